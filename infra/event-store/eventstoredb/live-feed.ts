import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { FetchedBatch, Follower } from './subscription.ts'
import type { ArrivedEvent } from './recorded.ts'

/** Events that may wait for one consumer; one that has more to do goes back to a subscription of its own. */
const WAITING_EVENTS_MAX = 4_000
/** Events per batch. */
const BATCH_EVENTS_MAX = 1_000
/** The newest events, for those who join: they have caught up a moment before or after the feed. */
const RECENT_EVENTS_MAX = 1_000

/** One live subscription of a process or thread, which all who follow the same part of the log share at its end. */
export interface LiveFeed {
  /**
   * Follows the log after a position, until the signal aborts; ends as well (null) when the consumer has fallen behind,
   * and has to catch up by itself. Null at once where the feed has gone too far past the position. The first who joins
   * begins it, and must have caught up for the others' sake.
   */
  join(after: Position, signal: AbortSignal): Follower | null
  readonly isRunning: boolean
}

/** Follows a part of the log after a position until the signal aborts, through lost connections. */
export type FollowAll = (
  after: Position,
  signal: AbortSignal,
  receive: (found: FetchedBatch) => void,
) => Promise<void>

interface Member {
  readonly after: Position
  waiting: ArrivedEvent[]
  hasNews: boolean
  isLost: boolean
  wake(): void
}

export function liveFeed(followAll: FollowAll, onFailure: (error: unknown) => void): LiveFeed {
  const members = new Set<Member>()
  let running: AbortController | null = null
  let position: Position = LOG_START
  let isCaughtUp = false
  /** All events between `recentAfter` and `position`. */
  let recent: ArrivedEvent[] = []
  let recentAfter: Position = LOG_START

  function receive(found: FetchedBatch): void {
    position = found.position
    isCaughtUp = found.caughtUp
    recent.push(...found.events)
    if (recent.length > 2 * RECENT_EVENTS_MAX) {
      recentAfter = recent.at(-RECENT_EVENTS_MAX - 1)?.position ?? position
      recent = recent.slice(-RECENT_EVENTS_MAX)
    }
    for (const member of members) {
      for (const event of found.events) {
        if (event.position > member.after) member.waiting.push(event)
      }
      member.hasNews = true
      if (member.waiting.length > WAITING_EVENTS_MAX) lose(member)
      member.wake()
    }
  }

  function lose(member: Member): void {
    member.isLost = true
    leave(member)
  }

  function leave(member: Member): void {
    members.delete(member)
    if (members.size > 0) return
    running?.abort()
    running = null
  }

  function start(after: Position): void {
    const own = new AbortController()
    running = own
    position = after
    isCaughtUp = false
    recent = []
    recentAfter = after
    followAll(after, own.signal, (found) => {
      if (!own.signal.aborted) receive(found)
    }).catch((error: unknown) => {
      // Not a lost connection: those who follow find out by themselves, and say so.
      onFailure(error)
      if (running !== own) return
      for (const member of members) {
        lose(member)
        member.wake()
      }
    })
  }

  return {
    get isRunning() {
      return running !== null
    },
    join(after, signal) {
      if (running === null) start(after)
      if (recentAfter > after) return null
      const member: Member = {
        after,
        waiting: recent.filter((event) => event.position > after),
        hasNews: true,
        isLost: false,
        wake: () => undefined,
      }
      const wake = (): void => member.wake()
      signal.addEventListener('abort', wake)
      members.add(member)
      return {
        async take() {
          while (!member.hasNews && !member.isLost && !signal.aborted) {
            await new Promise<void>((resolve) => {
              member.wake = resolve
            })
          }
          if (signal.aborted || member.isLost) return null
          const events = member.waiting.splice(0, BATCH_EVENTS_MAX)
          const isDrained = member.waiting.length === 0
          member.hasNews = !isDrained
          const last = events.at(-1)?.position ?? after
          return {
            events,
            position: isDrained ? Math.max(position, after) : last,
            caughtUp: isCaughtUp && isDrained,
          }
        },
        stop() {
          signal.removeEventListener('abort', wake)
          leave(member)
        },
      }
    },
  }
}
