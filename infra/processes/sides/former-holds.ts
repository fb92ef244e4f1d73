import type { HoldDesk } from '@tollgate/command-api/ledger/hold-desk.ts'
import { type OpenHoldsPage, sweepOpenHolds } from '@tollgate/command-api/ledger/partition-sweep.ts'
import { PARTITIONS } from '@tollgate/domain/account/partition.ts'
import type { HoldId, RelayId } from '@tollgate/domain/ids.ts'
import {
  type OpenHold,
  openHoldsOfFormerRelays,
  openHoldsOfPartitions,
} from '@tollgate/projections/balances/queries.ts'
import type { ProjectionRunner } from '@tollgate/projections/runner/runner.ts'
import type { Pool } from 'pg'
import type { Engines } from '../engines/engines.ts'
import { type Repeating, repeating } from '../timers/repeating.ts'
import type { World } from '../world.ts'

/** Holds are read and closed in pages of this many. */
const PAGE = 1_000

/** How long the balances may take at start-up until the holds of former runs are looked for; the sweep finds the rest. */
const CATCH_UP_MS = 60_000
/** How often holds of former runs are looked for. */
const FORMER_HOLDS_MS = 60_000
const ALL_PARTITIONS = Array.from({ length: PARTITIONS }, (_, partition) => partition)

/** What tells this run's holds from those of former runs: the clock may be put back after the start. */
export interface PresentRun {
  /** Its only relay. */
  readonly relay: RelayId
  /** Unix milliseconds. What was granted later may be of a run that has replaced this one. */
  readonly startedAt: number
}

/** Whose holds to close. */
export interface FormerHolds {
  readonly pool: Pool
  readonly run: PresentRun
  /** Ends holds; answers how many were still open. */
  readonly close: (holds: readonly HoldId[]) => Promise<number>
}

/**
 * Nobody draws from the holds of a run that has ended: what they reserve goes back to the wallets (architecture 6,
 * rule 7). Goes through all open holds of before that the read model knows; answers how many it closed.
 */
export async function closeFormerHolds(
  { pool, run: { relay, startedAt }, close }: FormerHolds,
  pageSize = PAGE,
): Promise<number> {
  let closed = 0
  let page: readonly OpenHold[] = []
  do {
    const after: string = page.at(-1)?.hold ?? ''
    page = await openHoldsOfFormerRelays(pool, {
      grantedBefore: startedAt,
      present: relay,
      after,
      limit: pageSize,
    })
    closed += await close(page.map(({ hold }) => hold as HoldId))
  } while (page.length === pageSize)
  return closed
}

/**
 * Closes what former runs left behind, now and every minute: a read model that lags or a log that is away when Tollgate
 * starts must not keep quota reserved until the next start.
 */
export async function closeHoldsOfFormerRuns(
  run: PresentRun,
  { logger }: World,
  { store, pool }: Engines,
  holds: HoldDesk,
  projections: ProjectionRunner,
): Promise<Repeating> {
  const close = async (): Promise<void> => {
    const closed = await closeFormerHolds({
      pool,
      run,
      close: (page) => holds.closeHoldsOfFormerRuns(page),
    })
    if (closed > 0) logger.info({ closed }, 'closed the holds of a former run')
  }
  const isCaughtUp = await projections.waitFor(
    ['balances'],
    await store.headPosition(),
    CATCH_UP_MS,
  )
  if (!isCaughtUp) {
    logger.warn(
      { projector: 'balances', waitedMs: CATCH_UP_MS },
      'the balances have not caught up: holds of a former run stay reserved until they have; see: npm run projections -- status',
    )
  }
  await close()
  const openHolds: OpenHoldsPage = (asked) => openHoldsOfPartitions(pool, asked)
  return repeating(
    FORMER_HOLDS_MS,
    // A clock that was put back between the runs hides a hold from the first; silence ends it all the same.
    () => close().then(() => sweepOpenHolds(() => ALL_PARTITIONS, holds, openHolds)),
    (err) => logger.warn({ err }, 'holds of a former run were not looked for'),
  )
}
