import { LogWatch, type TimelineChanged } from '@tollgate/command-api/ledger/log-watch.ts'
import { ensureTimelines } from '@tollgate/command-api/ledger/timelines.ts'
import { watchedStore } from '@tollgate/command-api/ledger/watched-store.ts'
import { StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import type { LogView } from '@tollgate/domain/ports/log-view.ts'
import type { Timelines } from '@tollgate/domain/timeline/timelines.ts'
import type { NatsLink } from '../../bus/nats/connection.ts'
import { exchangeLogMarks } from '../../bus/nats/log-marks.ts'
import { repeating } from '../timers/repeating.ts'
import type { World } from '../world.ts'
import type { Engines } from './engines.ts'

/** The event log as a process sees it: with an identity, and compared with what was seen of it before. */
export interface WatchedLog {
  /** The same engines; nothing is appended to their log while it is not what it was. */
  readonly engines: Engines
  readonly timelines: Timelines
  readonly watch: Pick<LogWatch, keyof LogView | 'admit' | 'markOfAnswer'>
  /** Resolves when the log goes by another timeline: the process must begin anew. */
  readonly changed: Promise<TimelineChanged>
  whyNotReady(): string | null
  /** Exchanges with other processes how far each has seen the log; resolves when those who run have answered. */
  exchange(link: NatsLink): Promise<{ stop(): void }>
  stop(): Promise<void>
}

/** How often the log is compared with what was seen of it, besides after every failure. */
const COMPARE_MS = 5_000
const ASK_AGAIN_MS = 500

/** Reads the log's identity, or gives it its first one; waits, saying so, while the log does not answer. */
export async function watchLog(world: World, engines: Engines): Promise<WatchedLog> {
  const { clock, logger } = world
  const timelines = await timelinesOf(world, engines)
  const watch = new LogWatch({
    store: engines.store,
    clock,
    timelines,
    onChange(reason) {
      if (reason !== null) logger.error({ reason }, 'nothing more is appended to the event log')
      else logger.info('the event log is what it was: appending goes on')
    },
  })
  engines.onConnectionLost(() => watch.suspect())
  const comparing = repeating(
    COMPARE_MS,
    () => watch.check(),
    (err) => logger.warn({ err }, 'the event log was not compared with what was seen of it'),
  )
  return {
    engines: { ...engines, store: watchedStore(engines.store, watch) },
    timelines,
    watch,
    changed: watch.changed,
    whyNotReady: () => watch.whyNotReady(),
    exchange(link) {
      link.onReconnect(() => watch.suspect())
      return exchangeLogMarks({
        link,
        seen: () => watch.seen,
        hear: (mark) => watch.hear(mark),
      })
    },
    stop: () => comparing.stop(),
  }
}

async function timelinesOf(world: World, { store }: Engines): Promise<Timelines> {
  const { clock, randomness, logger, stopping } = world
  for (let isTold = false; ; isTold = true) {
    try {
      return await ensureTimelines({ store, clock, randomness })
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      if (!isTold) logger.warn({ reason: error.message }, 'waiting for the event log')
      await clock.sleep(ASK_AGAIN_MS, stopping)
      stopping?.throwIfAborted()
    }
  }
}
