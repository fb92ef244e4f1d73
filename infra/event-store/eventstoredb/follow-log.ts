import type { Position, RecordedEvent } from '@tollgate/domain/event.ts'
import {
  StoreUnavailable,
  type StreamFilter,
  type SubscriptionBatch,
} from '@tollgate/domain/ports/event-store.ts'
import { backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import { pause } from '../../time/pause.ts'
import type { StoreLogger } from '../store-logger.ts'
import { type ClientInternals, isNotLeader, MOVE_MS } from './client.ts'
import { type LiveFeed, liveFeed } from './live-feed.ts'
import type { ReadRights } from './read-rights.ts'
import type { OwnEvents } from './own-events.ts'
import type { LogPart } from './raw-reads.ts'
import type { ArrivedEvent, Prepares } from './recorded.ts'
import { type FetchedBatch, follow, isTooSlow } from './subscription.ts'

export interface LogFollowing {
  readonly internals: ClientInternals
  readonly prepares: Prepares
  readonly rights: Pick<ReadRights, 'noteSubscription'>
  readonly logger: StoreLogger
  readonly ownEvents: OwnEvents
}

/** See EventStore.subscribeAll. */
export type FollowLog = (
  after: Position,
  filter: StreamFilter,
  signal: AbortSignal,
) => AsyncGenerator<SubscriptionBatch, void, undefined>

/**
 * Lets any number of consumers follow the log. Each catches up by itself, at first by the names of streams, which is
 * quick and whose positions are coarse; at the log's end those that leave out the same types share one subscription,
 * which the server keeps these out of, and an event is decoded once.
 */
export function logFollowers(following: LogFollowing): FollowLog {
  const { logger } = following
  const feeds = new Map<string, LiveFeed>()

  function feedWithout(exceptTypes: readonly string[]): LiveFeed {
    const key = exceptTypes.toSorted().join(' ')
    const known = feeds.get(key)
    if (known !== undefined) return known
    const feed = liveFeed(
      async (after, signal, receive) => {
        for await (const found of subscribe(following, after, { exceptTypes }, signal)) {
          receive(found)
        }
      },
      (error) => logger.error({ err: error }, 'the live subscription to the event log ended'),
    )
    feeds.set(key, feed)
    return feed
  }

  /** Looks up events that are not at hand; a log that does not answer is asked until the signal aborts, then null. */
  async function own(
    arrived: readonly ArrivedEvent[],
    filter: StreamFilter,
    signal: AbortSignal,
  ): Promise<readonly RecordedEvent[] | null> {
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        return await following.ownEvents(arrived, filter)
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        await pause(backOffMs(failures), signal)
      }
    }
    return null
  }

  return async function* followLog(after, filter, signal) {
    let position = after
    let wasCaughtUp = false
    const exceptTypes = filter === 'all' ? [] : (filter.exceptTypes ?? [])
    const part = { exceptTypes, feed: feedWithout(exceptTypes) }
    for await (const found of parts(following, part, { after, filter }, signal)) {
      const events = await own(found.events, filter, signal)
      if (events === null) return
      const isNews =
        events.length > 0 || found.position > position || found.caughtUp !== wasCaughtUp
      position = found.position
      wasCaughtUp = found.caughtUp
      if (isNews) yield { events, position, caughtUp: wasCaughtUp }
    }
  }
}

/** The log from a position on: searched, caught up with, and followed together with others. */
async function* parts(
  following: LogFollowing,
  { exceptTypes, feed }: { readonly exceptTypes: readonly string[]; readonly feed: LiveFeed },
  { after, filter }: { readonly after: Position; readonly filter: StreamFilter },
  signal: AbortSignal,
): AsyncGenerator<FetchedBatch, void, undefined> {
  let position = after
  const moved = (found: FetchedBatch, caughtUp: boolean): FetchedBatch => {
    position = Math.max(position, found.position)
    return { events: found.events, position, caughtUp }
  }
  if (filter !== 'all') {
    const { streamPrefixes } = filter
    for await (const found of subscribe(following, position, { streamPrefixes }, signal)) {
      yield moved(found, false)
      if (found.caughtUp) break
    }
  }
  while (!signal.aborted) {
    let shared = feed.isRunning ? feed.join(position, signal) : null
    if (shared === null) {
      for await (const found of subscribe(following, position, { exceptTypes }, signal)) {
        yield moved(found, false)
        if (!found.caughtUp) continue
        shared = feed.join(position, signal)
        if (shared !== null) break
      }
    }
    try {
      for (;;) {
        const found = (await shared?.take()) ?? null
        if (found === null) break
        yield moved(found, found.caughtUp)
      }
    } finally {
      shared?.stop()
    }
  }
}

/** One subscription after the other until the signal aborts, each after the last event that was handed out. */
async function* subscribe(
  { internals, prepares, rights, logger }: LogFollowing,
  after: Position,
  part: LogPart,
  signal: AbortSignal,
): AsyncGenerator<FetchedBatch, void, undefined> {
  const itself = {}
  let failures = 0
  /** An outage is told once, however often it is tried again, and its end. */
  let isTold = false
  let position = after
  try {
    while (!signal.aborted) {
      const follower = follow(internals, prepares, { after: position, part }, signal)
      try {
        for (;;) {
          const found = await follower.take()
          if (found === null) return
          if (isTold) logger.info({ position }, 'a subscription goes on after the last event')
          isTold = false
          failures = 0
          rights.noteSubscription(itself, null)
          position = found.position
          yield found
        }
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        rights.noteSubscription(itself, error)
        // The server drops live subscribers that are about 32 events behind: that is how it works. Another leader is
        // found at once, too; only when it goes on so is it a failure.
        if (failures === 0 && (isTooSlow(error) || isNotLeader(error))) {
          await pause(MOVE_MS, signal)
        } else {
          if (!isTold) {
            logger.warn(
              { error: error.message, position },
              'a subscription broke off, it starts again',
            )
          }
          isTold = true
          await pause(backOffMs(failures + 1), signal)
        }
        failures += 1
      } finally {
        follower.stop()
      }
    }
  } finally {
    rights.noteSubscription(itself, null)
  }
}
