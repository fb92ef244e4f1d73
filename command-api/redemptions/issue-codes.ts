import { type Position, redemptionStream } from '@tollgate/domain/event.ts'
import type { RedemptionId, UserId } from '@tollgate/domain/ids.ts'
import type { Quota } from '@tollgate/domain/quota.ts'
import { redemptionDecider } from '@tollgate/domain/redemption/decider.ts'
import { type AggregateWriter, executeOn } from '../ledger/aggregate.ts'
import type { CommandCause } from '../ledger/cause.ts'
import type { Entropy } from '../secrets/entropy.ts'
import type { RedemptionSecrets } from '../secrets/redemption-secrets.ts'

export interface CodesWanted {
  readonly name: string
  readonly count: number
  readonly quota: Quota
  readonly creator: UserId
  readonly cause: CommandCause
}

export interface IssuedCodes {
  readonly codes: readonly string[]
  readonly position: Position
  /** Why some of them were not issued; null when all were. */
  readonly failure: unknown
}

/** 128 bits: nobody guesses one. */
const CODE_BYTES = 16

/**
 * Makes codes: rows first, then their events, then the rows are confirmed. A code is found only once its row is
 * confirmed; the process manager decides about rows that a crash or a failure leaves behind.
 */
export async function issueCodes(
  deps: AggregateWriter & {
    readonly secrets: Pick<RedemptionSecrets, 'insert' | 'confirm'>
    readonly entropy: Entropy
  },
  { name, count, quota, creator, cause }: CodesWanted,
): Promise<IssuedCodes> {
  const codes = Array.from({ length: count }, () => deps.entropy(CODE_BYTES).toString('hex'))
  const ids = await deps.secrets.insert(name, codes)
  const issueOne = async (id: RedemptionId): Promise<Position> => {
    const outcome = await executeOn(
      deps,
      redemptionStream(id),
      redemptionDecider,
      { type: 'IssueCode', at: deps.clock.now(), quota, creator },
      { ...cause, causationId: `secrets.redemptions/${id}` },
    )
    if (outcome.status === 'rejected') throw new TypeError(outcome.rejection.reason)
    return outcome.position
  }
  const outcomes = await Promise.allSettled(ids.map(issueOne))
  const isIssued = (index: number): boolean => outcomes[index]?.status === 'fulfilled'
  await deps.secrets.confirm(ids.filter((_, index) => isIssued(index)))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  return {
    codes: codes.filter((_, index) => isIssued(index)),
    position: Math.max(
      ...outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : -1)),
    ),
    failure: failed?.reason ?? null,
  }
}
