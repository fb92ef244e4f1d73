import { LOG_START, type Position, redemptionStream } from '@tollgate/domain/event.ts'
import type { RedemptionId, UserId } from '@tollgate/domain/ids.ts'
import type { RequestCommand } from '@tollgate/domain/ports/api-route.ts'
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
  readonly reserve: RequestCommand['reserve']
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
    readonly secrets: Pick<RedemptionSecrets, 'insert' | 'describe' | 'confirm'>
    readonly entropy: Entropy
  },
  { name, count, quota, creator, cause, reserve }: CodesWanted,
): Promise<IssuedCodes> {
  const ids = await reserve(
    () =>
      deps.secrets.insert(
        name,
        Array.from({ length: count }, () => deps.entropy(CODE_BYTES).toString('hex')),
      ),
    async (reserved) => (await liveCodes(deps, reserved)).size > 0,
  )
  const codes = await liveCodes(deps, ids)
  const issueOne = async (id: RedemptionId): Promise<Position> => {
    const outcome = await executeOn(
      deps,
      redemptionStream(id),
      redemptionDecider,
      { type: 'IssueCode', at: deps.clock.now(), quota, creator },
      { ...cause, causationId: `secrets.redemptions/${id}` },
    )
    if (outcome.status === 'done') return outcome.position
    // By the same request, whose process died before it could answer.
    if (outcome.rejection.reason === 'code-exists') return LOG_START
    throw new TypeError(outcome.rejection.reason)
  }
  const wanted = ids.filter((id) => codes.has(id))
  const outcomes = await Promise.allSettled(wanted.map(issueOne))
  const issued = wanted.filter((_, index) => outcomes[index]?.status === 'fulfilled')
  await deps.secrets.confirm(issued)
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  return {
    codes: issued.map((id) => codes.get(id) ?? ''),
    position: Math.max(
      ...outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : -1)),
    ),
    failure: failed?.reason ?? (wanted.length < count ? new RowsForgotten() : null),
  }
}

/** The characters of each code that has not been forgotten. */
async function liveCodes(
  { secrets }: { readonly secrets: Pick<RedemptionSecrets, 'describe'> },
  ids: readonly RedemptionId[],
): Promise<ReadonlyMap<number, string>> {
  const described = await secrets.describe(ids)
  return new Map(
    [...described].map(([id, { code }]) => [id, code] as const).filter(([, code]) => code !== ''),
  )
}

/** A request came again so late that what its first attempt had not issued was swept. */
class RowsForgotten extends Error {
  readonly code = 'ROWS_FORGOTTEN'
  readonly retryable = false
  constructor() {
    super('rows of redemption codes were forgotten before their request came again')
    this.name = 'RowsForgotten'
  }
}
