import type { HoldId } from '@tollgate/domain/ids.ts'
import { type OpenHold, openHoldsGrantedBefore } from '@tollgate/projections/balances/queries.ts'
import type { Pool } from 'pg'

/** Holds are read and closed in pages of this many. */
const PAGE = 1_000

/** Whose holds to close. */
export interface FormerHolds {
  readonly pool: Pool
  /** When this run began, unix milliseconds: what was granted before is of a former run. */
  readonly grantedBefore: number
  /** Ends holds; answers how many were still open. */
  readonly close: (holds: readonly HoldId[]) => Promise<number>
}

/**
 * Nobody draws from the holds of a run that has ended: what they reserve goes back to the wallets (architecture 6,
 * rule 7). Goes through all open holds of before that the read model knows; answers how many it closed.
 */
export async function closeFormerHolds(
  { pool, grantedBefore, close }: FormerHolds,
  pageSize = PAGE,
): Promise<number> {
  let closed = 0
  let page: readonly OpenHold[] = []
  do {
    const after: string = page.at(-1)?.hold ?? ''
    page = await openHoldsGrantedBefore(pool, { grantedBefore, after, limit: pageSize })
    closed += await close(page.map(({ hold }) => hold as HoldId))
  } while (page.length === pageSize)
  return closed
}
