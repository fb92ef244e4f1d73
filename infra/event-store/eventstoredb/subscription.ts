import { setImmediate as nextTurn } from 'node:timers/promises'
import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import type { ClientInternals } from './client.ts'
import { type LogPart, openRead, type ReadCall, subscriptionRequest } from './raw-reads.ts'
import { positionOf, type ReadAnswer } from './read-answer.ts'
import { readFailure } from './refusal.ts'
import { type ArrivedEvent, isOfServer, NO_POSITION, type Prepares } from './recorded.ts'

/** Events per batch, and how many may wait for the consumer before the server is slowed down. */
const BATCH_EVENTS_MAX = 1_000
const WAITING_EVENTS_MAX = 4_000

/** The events that one subscription has brought since the last look. */
export interface FetchedBatch {
  readonly events: readonly ArrivedEvent[]
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
  take(): Promise<FetchedBatch | null>
  stop(): void
}

/** Whether the server dropped a live subscription because it was some thirty events behind. */
export const isTooSlow = ({ message }: StoreUnavailable): boolean =>
  message.includes('Consumer too slow')

/** An arrival over a subscription, in its order. */
type Arrival =
  | { readonly type: 'event'; readonly event: ArrivedEvent }
  | { readonly type: 'checkpoint'; readonly position: Position }
  | { readonly type: 'caughtUp'; readonly isCaughtUp: boolean }

/**
 * Subscribes to a part of the log after a position. The position moves with each event that comes, and past those that
 * the server leaves out now and then.
 */
export function follow(
  internals: ClientInternals,
  prepares: Prepares,
  { after, part }: { readonly after: Position; readonly part: LogPart },
  signal: AbortSignal,
): Follower {
  const arrived: Arrival[] = []
  let position = after
  let isCaughtUp = false
  let failure: StoreUnavailable | null = null
  let isStopped = false
  let call: ReadCall | null = null
  let wake: () => void = () => undefined
  const wakeTaker = (): void => wake()
  signal.addEventListener('abort', wakeTaker)

  const fail = (reason: unknown): void => {
    failure ??= readFailure('ended a subscription', reason)
    wake()
  }

  function receive(answer: ReadAnswer): void {
    try {
      const arrival = arrivalOf(answer, prepares)
      if (arrival === null) return
      arrived.push(arrival)
      if (arrived.length >= WAITING_EVENTS_MAX) call?.pause()
      wake()
    } catch (error) {
      fail(error)
    }
  }

  async function begin(): Promise<void> {
    const from = after === LOG_START ? 'start' : prepares.logPosition(after)
    call = await openRead(internals, subscriptionRequest(from, part))
    call.on('error', fail)
    call.on('end', () => fail(new Error('the server ended the subscription')))
    call.on('data', receive)
    if (isStopped) call.cancel()
  }
  begin().catch(fail)

  function takeArrived(): FetchedBatch {
    const events: ArrivedEvent[] = []
    for (const arrival of arrived.splice(0, BATCH_EVENTS_MAX)) {
      if (arrival.type === 'caughtUp') {
        isCaughtUp = arrival.isCaughtUp
        continue
      }
      if (arrival.type === 'event') events.push(arrival.event)
      const at = arrival.type === 'event' ? arrival.event.position : arrival.position
      position = Math.max(position, at)
    }
    if (arrived.length === 0 && call?.isPaused() === true) call.resume()
    return { events, position, caughtUp: isCaughtUp && arrived.length === 0 }
  }

  const isWaiting = (): boolean => arrived.length === 0 && failure === null && !signal.aborted

  return {
    async take() {
      while (isWaiting()) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      // Events come one by one; what arrives in the same turn of the event loop makes one batch.
      await nextTurn()
      if (signal.aborted) return null
      if (arrived.length === 0 && failure !== null) throw failure
      return takeArrived()
    },
    stop() {
      isStopped = true
      signal.removeEventListener('abort', wakeTaker)
      call?.cancel()
    },
  }
}

/** Null for what says nothing of the log: that it begins, the server's own events, links whose target is gone. */
function arrivalOf(answer: ReadAnswer, prepares: Prepares): Arrival | null {
  switch (answer.type) {
    case 'event':
      if (isOfServer(answer.event)) return null
      prepares.note(answer.event)
      return answer
    case 'checkpoint':
      return answer.commit === NO_POSITION
        ? null
        : { type: 'checkpoint', position: positionOf(answer.commit) }
    case 'caughtUp':
      return { type: 'caughtUp', isCaughtUp: true }
    case 'fellBehind':
      return { type: 'caughtUp', isCaughtUp: false }
    case 'other':
      return null
    default:
      return answer satisfies never
  }
}
