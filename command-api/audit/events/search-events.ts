import type { Position } from '@tollgate/domain/event.ts'
import { type EventLog, factsOf, type StoredText } from './event-log.ts'

/** Conditions of a reader of the log. Absent = no condition. */
export interface EventFilter {
  readonly stream?: string
  readonly type?: string
  readonly actor?: string
  readonly correlationId?: string
  /** By the event's own time, unix milliseconds; `to` is exclusive. */
  readonly from?: number
  readonly to?: number
}

/** Where a page begins: above a position, oldest first; or below one (null = the log's end), newest first. */
export type EventPlace = { readonly after: Position } | { readonly before: Position | null }

/** A page of the filtered events. */
export interface EventPage {
  readonly events: readonly StoredText[]
  /** The position from which the next page goes on; null where the log ends. */
  readonly next: Position | null
  /** How many events were looked at: with few hits a call ends before its page is full. */
  readonly searched: number
}

/** Events that one call looks through: a quarter of a second, most of it in the store. */
const SEARCHED_MOST = 20_000
const BATCH_EVENTS = 1_000

/** One page of the log or of one stream. A call looks through a bounded part and may find fewer than it asks for. */
export async function searchEvents(
  log: EventLog,
  filter: EventFilter,
  place: EventPlace,
  limit: number,
): Promise<EventPage> {
  const isWanted = wanted(filter)
  const events: StoredText[] = []
  const isUnfiltered = Object.keys(filter).every((name) => name === 'stream')
  const size = isUnfiltered ? limit + 1 : BATCH_EVENTS
  let searched = 0
  let last: Position | null = null
  for await (const event of candidates(log, filter.stream, place, size)) {
    if (events.length === limit || searched === SEARCHED_MOST) {
      return { events, next: last, searched }
    }
    searched += 1
    last = event.position
    if (isWanted(event)) events.push(event)
  }
  return { events, next: null, searched }
}

function wanted({ type, actor, correlationId, from, to }: EventFilter) {
  const readsTexts = [actor, correlationId, from, to].some((value) => value !== undefined)
  return (event: StoredText): boolean => {
    if (type !== undefined && event.type !== type) return false
    if (!readsTexts) return true
    const facts = factsOf(event)
    return (
      (actor === undefined || facts.actor === actor) &&
      (correlationId === undefined || facts.correlationId === correlationId) &&
      (from === undefined || (facts.at ?? event.recordedAt) >= from) &&
      (to === undefined || (facts.at ?? event.recordedAt) < to)
    )
  }
}

function candidates(
  log: EventLog,
  stream: string | undefined,
  place: EventPlace,
  size: number,
): AsyncIterable<StoredText> {
  return stream === undefined ? wholeLog(log, place, size) : oneStream(log, stream, place)
}

async function* wholeLog(
  log: EventLog,
  place: EventPlace,
  size: number,
): AsyncGenerator<StoredText> {
  let from = 'after' in place ? place.after : place.before
  while (true) {
    const batch =
      'after' in place
        ? await log.readStoredLog(from ?? -1, size)
        : await log.readStoredLogBackwards(from, size)
    yield* batch
    const last = batch.at(-1)
    if (last === undefined || batch.length < size) return
    from = last.position
  }
}

/** A stream knows no positions: events on the wrong side of the place are passed over. */
async function* oneStream(
  log: EventLog,
  stream: string,
  place: EventPlace,
): AsyncGenerator<StoredText> {
  const isForwards = 'after' in place
  const from = await revisionAt(log, stream, isForwards ? place.after : place.before)
  const options = {
    direction: isForwards ? ('forwards' as const) : ('backwards' as const),
    ...(from === null ? {} : { from }),
  }
  for await (const event of log.readStoredStream(stream, options)) {
    const isPast = isForwards
      ? event.position > place.after
      : place.before === null || event.position < place.before
    if (isPast) yield event
  }
}

/** The revision of the stream's event at a position, as a cursor names it; null when another stands there. */
async function revisionAt(
  log: EventLog,
  stream: string,
  position: Position | null,
): Promise<number | null> {
  if (position === null || position < 0) return null
  const event = await log.readStoredAt(position)
  return event?.stream === stream ? event.revision : null
}
