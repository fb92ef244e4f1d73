import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  excludeSystemEvents,
  START,
  streamNameFilter,
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  type EventStoreDBClient,
} from '@eventstore/db-client'
import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { StoreUnavailable, StreamFilter } from '@tollgate/domain/ports/event-store.ts'
import type { StoredEvent } from '../stored-event.ts'
import { ON_LEADER } from './client.ts'
import { readFailure } from './refusal.ts'
import { letsThrough, NO_POSITION, positionNumber, storedEvent, type Prepares } from './recorded.ts'

/** Events per batch, and how many may wait for the consumer before the server is slowed down. */
const BATCH_EVENTS_MAX = 1_000
const WAITING_EVENTS_MAX = 4_000
/** Without them a filter that lets little through floods its subscriber with checkpoints. */
const SEARCH = { maxSearchWindow: 1_000, checkpointInterval: 100 }

/** What one subscription has brought since the last look. */
export interface Catch {
  readonly events: readonly StoredEvent[]
  /** Everything up to here has been looked through. */
  readonly position: Position
  readonly caughtUp: boolean
}

/** One subscription until it fails; it never resumes by itself. */
export interface Follower {
  /**
   * Resolves when there is something new, with null once the signal has aborted. Fails with StoreUnavailable when the
   * subscription is over and all that it brought was taken.
   */
  take(): Promise<Catch | null>
  stop(): void
}

/** Whether the server dropped a live subscription because it was some thirty events behind. */
export const isTooSlow = ({ message }: StoreUnavailable): boolean =>
  message.includes('Consumer too slow')

/**
 * Subscribes to the log after a position. While `searching`, the server filters by stream name; otherwise everything
 * comes and is filtered here, because only then the position moves with every event of the log.
 *
 * The client announces checkpoints and having caught up ahead of up to 16 events that it still holds. How many those
 * are is its `readableLength` at that moment; the news counts once they have passed.
 */
export function follow(
  client: EventStoreDBClient,
  prepares: Prepares,
  after: Position,
  filter: StreamFilter,
  isSearching: boolean,
  signal: AbortSignal,
): Follower {
  const arrived: Array<StoredEvent | null> = []
  const news: News[] = []
  const state: State = {
    position: after,
    received: 0,
    isCaughtUp: false,
    hasNews: false,
    failure: null,
  }
  let wake: () => void = () => undefined
  const wakeTaker = (): void => wake()
  signal.addEventListener('abort', wakeTaker)

  const announce = (what: Omit<News, 'afterEvents'>): void => {
    news.push({ afterEvents: state.received + subscription.readableLength, ...what })
    applyNews()
  }
  const checkpointReached = (_: unknown, at: { commit: bigint }): void => {
    if (at.commit !== NO_POSITION) announce({ position: positionNumber(at.commit) })
  }
  const subscription: AllStreamSubscription = client.subscribeToAll({
    ...ON_LEADER,
    fromPosition: after === LOG_START ? START : prepares.logPosition(after),
    filter:
      isSearching && filter !== 'all'
        ? streamNameFilter({ prefixes: [...filter.streamPrefixes], checkpointReached, ...SEARCH })
        : excludeSystemEvents({ checkpointReached, ...SEARCH }),
  })
  subscription.on('caughtUp', () => announce({ caughtUp: true }))
  subscription.on('fellBehind', () => announce({ caughtUp: false }))
  subscription.on('data', (resolved: AllStreamResolvedEvent) => {
    prepares.note(resolved)
    state.received += 1
    arrived.push(storedEventOrFail(resolved))
    if (arrived.length >= WAITING_EVENTS_MAX) subscription.pause()
    applyNews()
  })
  const fail = (reason: unknown): void => {
    state.failure ??= readFailure('ended a subscription', reason)
    wake()
  }
  subscription.on('error', fail)
  subscription.on('end', () => fail(new Error('the server ended the subscription')))
  subscription.on('close', () => fail(new Error('the subscription was closed')))

  function storedEventOrFail(resolved: AllStreamResolvedEvent): StoredEvent | null {
    try {
      return storedEvent(resolved)
    } catch (error) {
      fail(error)
      return null
    }
  }

  function applyNews(): void {
    state.hasNews = true
    wake()
  }

  /** News whose events have all been handed out. */
  function passNews(handedOut: number): void {
    for (let next = news[0]; next !== undefined && next.afterEvents <= handedOut; next = news[0]) {
      news.shift()
      if (next.position !== undefined) state.position = Math.max(state.position, next.position)
      if (next.caughtUp !== undefined) state.isCaughtUp = next.caughtUp
    }
  }

  function takeArrived(): Catch {
    const taken = arrived.splice(0, BATCH_EVENTS_MAX)
    state.hasNews = arrived.length > 0
    if (!state.hasNews && subscription.isPaused()) subscription.resume()
    const stored = taken.filter((event) => event !== null)
    state.position = Math.max(state.position, stored.at(-1)?.position ?? state.position)
    passNews(state.received - arrived.length)
    return {
      events: stored.filter((event) => letsThrough(filter, event)),
      position: state.position,
      caughtUp: state.isCaughtUp && arrived.length === 0 && subscription.readableLength === 0,
    }
  }

  return {
    async take() {
      while (!state.hasNews && state.failure === null && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      // Events come one by one; what arrives in the same turn of the event loop makes one batch.
      await nextTurn()
      if (signal.aborted) return null
      if (!state.hasNews && state.failure !== null) throw state.failure
      return takeArrived()
    },
    stop() {
      signal.removeEventListener('abort', wakeTaker)
      // Cancelling a subscription that never came about fails with the reason that is known already.
      void subscription.unsubscribe().catch(() => undefined)
    },
  }
}

interface State {
  position: Position
  /** Events that the subscription has brought. */
  received: number
  isCaughtUp: boolean
  hasNews: boolean
  failure: StoreUnavailable | null
}

interface News {
  /** It counts when so many events of the subscription have been handed out. */
  readonly afterEvents: number
  readonly position?: Position
  readonly caughtUp?: boolean
}
