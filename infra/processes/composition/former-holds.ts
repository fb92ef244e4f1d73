import type { HoldService } from '@tollgate/command-api/holds/hold-service.ts'
import { type OpenHoldsPage, sweepOpenHolds } from '@tollgate/command-api/holds/partition-sweep.ts'
import { PARTITIONS } from '@tollgate/domain/account/partition.ts'
import type { HoldId, RelayId } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import {
  type OpenHold,
  openHoldsOfFormerRelays,
  openHoldsOfPartitions,
} from '@tollgate/projections/balances/queries.ts'
import type { ProjectionRunner } from '@tollgate/projections/runner/runner.ts'
import type { CommonQueryMethods } from 'slonik'
import { type Repeating, repeating } from '../timers/repeating.ts'
import { within } from '../timers/within.ts'
import type { Runtime } from '../runtime.ts'

/** Holds are read and closed in pages of this many. */
const PAGE = 1_000

/** How long the balances may take at start-up until the holds of former runs are looked for; the sweep finds the rest. */
const CATCH_UP_MS = 60_000
/** How long a start waits for it: mostly it takes a moment, and the first requests then have all of their wallets. */
const START_MS = 2_000
/** How often holds of former runs are looked for. */
const FORMER_HOLDS_MS = 60_000
const ALL_PARTITIONS = Array.from({ length: PARTITIONS }, (_, partition) => partition)

/** The facts that tell this run's holds from those of former runs: the clock may be put back after the start. */
export interface PresentRun {
  /** Its only relay. */
  readonly relay: RelayId
  /** Unix milliseconds. Holds granted later may be of a run that has replaced this one. */
  readonly startedAt: number
}

/** The present run, and how holds of former runs are found and closed. */
export interface FormerHolds {
  readonly reads: CommonQueryMethods
  readonly run: PresentRun
  /** Ends holds; answers how many were still open. */
  readonly close: (holds: readonly HoldId[]) => Promise<number>
}

/**
 * Nobody draws from the holds of a run that has ended: what they reserve goes back to the wallets (architecture 6,
 * rule 7). Goes through all open holds of before that the read model knows; answers how many it closed.
 */
export async function closeFormerHolds(
  { reads, run: { relay, startedAt }, close }: FormerHolds,
  pageSize = PAGE,
): Promise<number> {
  let closed = 0
  let page: readonly OpenHold[] = []
  do {
    const after: string = page.at(-1)?.hold ?? ''
    page = await openHoldsOfFormerRelays(reads, {
      grantedBefore: startedAt,
      present: relay,
      after,
      limit: pageSize,
    })
    closed += await close(page.map(({ hold }) => hold as HoldId))
  } while (page.length === pageSize)
  return closed
}

/** The facts by which former runs are found, and the service that closes their holds. */
export interface FormerRuns {
  readonly run: PresentRun
  readonly store: Pick<EventStore, 'headPosition'>
  readonly reads: CommonQueryMethods
  readonly holds: HoldService
  readonly projections: Pick<ProjectionRunner, 'waitFor'>
}

/**
 * Closes what former runs left behind, now and every minute: a read model that lags or a log that is unavailable when
 * Tollgate starts must not keep quota reserved until the next start. Resolves when that is done, or goes on in the
 * background.
 */
export async function closeHoldsOfFormerRuns(
  { run, store, reads, holds, projections }: FormerRuns,
  runtime: Pick<Runtime, 'clock' | 'logger'>,
): Promise<Repeating> {
  const { logger } = runtime
  const close = async (): Promise<void> => {
    const closed = await closeFormerHolds({
      reads,
      run,
      close: (page) => holds.closeHoldsOfFormerRuns(page),
    })
    if (closed > 0) logger.info({ closed }, 'closed the holds of a former run')
  }
  const onFailure = (err: unknown): void =>
    logger.warn({ err }, 'holds of a former run were not looked for')
  const first = closeOnceCaughtUp(close, store, projections, runtime).catch(onFailure)
  await within(first, START_MS)
  const openHolds: OpenHoldsPage = (asked) => openHoldsOfPartitions(reads, asked)
  const everyMinute = repeating(
    FORMER_HOLDS_MS,
    // A clock that was put back between the runs hides a hold from the first; silence ends it all the same.
    () => close().then(() => sweepOpenHolds(() => ALL_PARTITIONS, holds, openHolds)),
    onFailure,
  )
  return {
    async stop() {
      await Promise.all([everyMinute.stop(), within(first, START_MS)])
    },
  }
}

async function closeOnceCaughtUp(
  close: () => Promise<void>,
  store: FormerRuns['store'],
  projections: FormerRuns['projections'],
  { clock, logger }: Pick<Runtime, 'clock' | 'logger'>,
): Promise<void> {
  const since = clock.monotonicMs()
  const head = await store.headPosition()
  if (!(await projections.waitFor(['balances'], head, CATCH_UP_MS))) {
    logger.warn(
      // Tables of another version are not waited for.
      { projector: 'balances', waitedMs: Math.round(clock.monotonicMs() - since) },
      'the balances have not caught up: holds of a former run stay reserved until they have; see: npm run projections -- status',
    )
  }
  await close()
}
