import { appendUntilKnown } from '@tollgate/command-api/ledger/append.ts'
import { newEvents } from '@tollgate/command-api/ledger/cause.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventPlace } from '@tollgate/domain/ports/event-store.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import { type EventsSetAside, SET_ASIDE } from '@tollgate/domain/set-aside/events.ts'
import { isStreamOfTollgate } from '@tollgate/domain/stream-names.ts'
import type { AuditableEventStore } from '../event-store/auditable-store.ts'
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

/** How long a store that does not answer is asked again. */
const ATTEMPTS_MS = 10_000

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
  const givenUpAt = clock.monotonicMs() + ATTEMPTS_MS
  const isTooLate = (): boolean => clock.monotonicMs() > givenUpAt
  for (;;) {
    const examined = await examineStream(store, stream)
    const { end, foreign } = examined
    if (end === null) throw new NotSetAside(`The event log has no stream ${stream}.`)
    const problem = whyNot(place, end.revision, examined)
    if (problem !== null) throw new NotSetAside(problem)
    const decided: EventsSetAside = {
      type: SET_ASIDE,
      data: {
        at: Math.max(clock.now(), examined.at),
        revisions: [revision],
        reason,
        by: 'operator',
      },
    }
    const cause = { actor: 'system', correlationId: randomness.uuid(), causationId: null } as const
    const appending: Parameters<typeof appendUntilKnown>[0] = {
      append: async (_, [event]) => {
        if (event === undefined) throw new TypeError('nothing to append')
        return store.appendSetAside(stream, event, end)
      },
    }
    const events = newEvents([decided], cause, randomness)
    // Null: something was written behind it meanwhile, and is to be looked at, too.
    if ((await appendUntilKnown(appending, clock, stream, events, end, isTooLate)) !== null) {
      return [...foreign].filter((one) => one !== revision)
    }
  }
}

/** In words; null when the event is the one to be set aside next. */
function whyNot(
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
