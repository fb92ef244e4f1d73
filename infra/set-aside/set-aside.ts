import { newEvents } from '@tollgate/command-api/aggregates/cause.ts'
import { writeDecided } from '@tollgate/command-api/aggregates/write-decided.ts'
import { LOG_START, type NewEvent } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventPlace, EventStore, StreamHead } from '@tollgate/domain/ports/event-store.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import { type EventsSetAside, SET_ASIDE } from '@tollgate/domain/set-aside/events.ts'
import { isStreamOfTollgate } from '@tollgate/domain/stream-names.ts'
import type { AuditableEventStore, StoredHead } from '../event-store/auditable-store.ts'
import { type ExaminedStream, examineStream } from '../event-store/examine-stream.ts'

/** The event cannot be set aside; the message says why, and what to do. */
export class NotSetAside extends Error {
  readonly code = 'NOT_SET_ASIDE'
  readonly retryable = false
  constructor(message: string) {
    super(message)
    this.name = 'NotSetAside'
  }
}

export interface SetAsideOptions {
  readonly store: AuditableEventStore
  readonly clock: Clock
  readonly randomness: Randomness
}

/**
 * Appends the event that lets a stream go on without one that another client has written; Tollgate may run meanwhile.
 * Answers the revisions that are still to be set aside, in order. Fails with NotSetAside, StreamCut and StoreUnavailable.
 */
export async function setAside(
  { store, clock, randomness }: SetAsideOptions,
  place: EventPlace,
  reason: string,
): Promise<readonly number[]> {
  const { stream, revision } = place
  if (!isStreamOfTollgate(stream)) {
    throw new NotSetAside(
      `${stream} is no stream of Tollgate's: its events count for nothing, and need not be set aside.`,
    )
  }
  const { loaded } = await writeDecided(
    { store: { append: (...appended) => appendOne(store, ...appended) }, clock },
    {
      stream,
      // Again when something was written behind it meanwhile: that is to be looked at, too.
      async load() {
        const examined = await examineStream(store, stream)
        const { end } = examined
        if (end === null) throw new NotSetAside(`The event log has no stream ${stream}.`)
        return { ...examined, head: end, position: LOG_START }
      },
      decide(examined, { at }) {
        const problem = setAsideProblem(place, examined.head.revision, examined)
        if (problem !== null) throw new NotSetAside(problem)
        const decided: EventsSetAside = {
          type: SET_ASIDE,
          data: { at, revisions: [revision], reason, by: 'operator' },
        }
        const correlationId = randomness.uuid()
        const cause = { actor: 'system', correlationId, causationId: null } as const
        return { events: newEvents([decided], cause, randomness) }
      },
    },
  )
  return [...loaded.foreign].filter((one) => one !== revision)
}

async function appendOne(
  store: AuditableEventStore,
  stream: string,
  [event]: readonly NewEvent[],
  end: StreamHead,
): ReturnType<EventStore['append']> {
  if (event === undefined || !isStored(end)) throw new TypeError('nothing to append, or nowhere')
  return store.appendSetAside(stream, event, end)
}

const isStored = (head: StreamHead): head is StoredHead => 'storedHash' in head

/** In words; null when the event is the one to be set aside next. */
function setAsideProblem(
  { stream, revision }: EventPlace,
  last: number,
  { foreign, setAside: before }: ExaminedStream,
): string | null {
  const [first] = foreign
  if (first === revision) return null
  const next =
    first === undefined
      ? `${stream} is not locked: what stands in it is Tollgate's, or was set aside.`
      : `The one to be set aside next is ${stream}@${first}.`
  const earlier = before.get(revision)
  if (earlier !== undefined) {
    const when = new Date(earlier.at).toISOString()
    return `Event ${revision} of ${stream} was set aside at ${when} (${earlier.reason}). ${next}`
  }
  if (revision > last)
    return `${stream} ends at revision ${last}: no event stands at ${revision}. ${next}`
  if (!foreign.has(revision)) {
    return `Event ${revision} of ${stream} is Tollgate's own, and cannot be set aside. ${next}`
  }
  return `Event ${first} of ${stream} stands before it, and is not Tollgate's either: set that one aside first, with ${stream}@${first}.`
}
