import { type Position, redemptionStream } from '@tollgate/domain/event.ts'
import type { RedemptionId, UserId } from '@tollgate/domain/ids.ts'
import type { RequestCommand } from '../http-contract/api-route.ts'
import type { Quota } from '@tollgate/domain/quota.ts'
import { redemptionDecider } from '@tollgate/domain/redemption/decider.ts'
import { type AggregateWriter, executeOn } from '../aggregates/aggregate.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import type { Entropy } from '../secrets/entropy.ts'
import type { RedemptionSecrets } from '../secrets/redemption-secrets.ts'

export interface CodesWanted {
  readonly name: string
  readonly count: number
  readonly quota: Quota
  readonly creator: UserId
  readonly cause: CommandCause
  readonly reserve: RequestCommand['reserve']
}

export interface IssuedCodes {
  readonly codes: readonly string[]
  readonly position: Position
  /** Why some of them were not issued; null when all were. */
  readonly failure: unknown
}

/** 128 bits, which cannot be guessed. */
const CODE_BYTES = 16

/**
 * Makes codes: rows first, then their events. A code exists once its event is in the log; rows that a crash or a failure
 * leaves behind mean nothing and are removed by age.
 */
export async function issueCodes(
  deps: AggregateWriter & {
    readonly secrets: Pick<RedemptionSecrets, 'insert' | 'describe'>
    readonly entropy: Entropy
  },
  { name, count, quota, creator, cause, reserve }: CodesWanted,
): Promise<IssuedCodes> {
  const ids = await reserve(() =>
    deps.secrets.insert(
      name,
      Array.from({ length: count }, () => deps.entropy(CODE_BYTES).toString('hex')),
    ),
  )
  const issueOne = async (id: RedemptionId): Promise<Position> => {
    const outcome = await executeOn(
      deps,
      {
        stream: redemptionStream(id),
        decider: redemptionDecider,
        command: { type: 'IssueCode', quota, creator },
      },
      { ...cause, causationId: `secrets.redemptions/${id}` },
      // A request whose process died before it could answer comes again.
      { isOnce: true },
    )
    if (outcome.status === 'done') return outcome.position
    throw new TypeError(outcome.rejection.reason)
  }
  const outcomes = await Promise.allSettled(ids.map(issueOne))
  const issued = ids.filter((_, index) => outcomes[index]?.status === 'fulfilled')
  const described = await deps.secrets.describe(issued)
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  return {
    // One that was deleted before its request came again has no characters any more.
    codes: issued.map((id) => described.get(id)?.code ?? '').filter((code) => code !== ''),
    position: Math.max(
      ...outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : -1)),
    ),
    failure: failed?.reason ?? null,
  }
}
