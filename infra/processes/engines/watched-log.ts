import { pairTable } from '@tollgate/command-api/timelines/log-pair/pair-table.ts'
import { pairUp } from '@tollgate/command-api/timelines/log-pair/pair-up.ts'
import { LogWatch } from '@tollgate/command-api/timelines/log-watch.ts'
import { comparedStore, watchedStore } from '@tollgate/command-api/timelines/watched-store.ts'
import { StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import type { LogView } from '@tollgate/domain/timeline/log-view.ts'
import type { Timelines } from '@tollgate/domain/timeline/timelines.ts'
import type { NatsLink } from '../../bus/nats/connection.ts'
import { exchangeLogMarks } from '../../bus/nats/log-marks.ts'
import { repeating } from '../timers/repeating.ts'
import type { Runtime } from '../runtime.ts'
import type { Engines } from './engines.ts'
import { keepLogClaimed, type LogRole, openClaim } from './log-claim.ts'
import { keepPaired } from './kept-pair.ts'

/** The event log as a process sees it: with an identity, and compared with what was seen of it before. */
export interface WatchedLog {
  /** The same engines; nothing is appended to their log while it is not what it was. */
  readonly engines: Engines
  readonly timelines: Timelines
  readonly watch: Pick<LogWatch, keyof LogView | 'admit' | 'markOfAnswer'>
  /**
   * Resolves when the process must not go on as it is: with TimelineChanged when it must begin anew, with LogMismatch
   * when the log goes with another database.
   */
  readonly mustEnd: Promise<Error>
  readinessProblem(): string | null
  /** Exchanges with other processes how far each has seen the log; resolves when those who run have answered. */
  exchange(link: NatsLink): Promise<{ stop(): void }>
  stop(): Promise<void>
}

/** How often the log is compared with what was seen of it, besides after every failure. */
const COMPARE_MS = 5_000
const ASK_AGAIN_MS = 500

/**
 * Compares log and database and keeps comparing; gives a new log its identity. Waits, saying so, while the log does not
 * answer. Fails with LogMismatch when the two do not go together.
 */
export async function watchLog(
  runtime: Runtime,
  engines: Engines,
  role: LogRole,
): Promise<WatchedLog> {
  const { clock, randomness, logger } = runtime
  const { store, places } = engines
  const table = pairTable(engines.db)
  const pair = { store, table, places, clock, randomness }
  const timelines = await onceThere(runtime, () => pairUp(pair))
  const watch = new LogWatch({
    store,
    clock,
    timelines,
    onChange(reason) {
      if (reason !== null) logger.error({ reason }, 'nothing more is appended to the event log')
      else logger.info('the event log is what it was: appending goes on')
    },
  })
  engines.onConnectionLost(() => watch.suspect())
  // One that was lost since the two were compared has told nobody.
  watch.suspect()
  const watched = watchedStore(store, watch)
  // Another log may stand there by now.
  const claiming = { ...pair, store: comparedStore(store, watch) }
  const isClaimed = await Promise.race([
    onceThere(runtime, () => openClaim(claiming, role)),
    watch.changed.then((changed) => Promise.reject(changed)),
  ])
  const comparing = repeating(
    COMPARE_MS,
    () => watch.check(),
    (err) => logger.warn({ err }, 'the event log was not compared with what was seen of it'),
  )
  const pairing = keepPaired({ table, watch, timelines, places, logger })
  const claim = keepLogClaimed({ ...claiming, role, isClaimed, watch, logger })
  return {
    engines: { ...engines, store: watched },
    timelines,
    watch,
    mustEnd: Promise.race([watch.changed, claim.lost]),
    readinessProblem: () => watch.readinessProblem(),
    exchange(link) {
      link.onReconnect(() => watch.suspect())
      return exchangeLogMarks({
        link,
        seen: () => watch.seen,
        hear: (mark) => watch.hear(mark),
      })
    },
    async stop() {
      await Promise.all([comparing.stop(), claim.stop()])
      await pairing.stop()
    },
  }
}

/** Does `work` once the log answers. */
async function onceThere<Result>(
  { clock, logger, stopping }: Runtime,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let isTold = false; ; isTold = true) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      if (!isTold) logger.warn({ reason: error.message }, 'waiting for the event log')
      await clock.sleep(ASK_AGAIN_MS, stopping)
      stopping?.throwIfAborted()
    }
  }
}
