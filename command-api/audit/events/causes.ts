import type { Position } from '@tollgate/domain/event.ts'
import { type EventFacts, type EventLog, factsOf, type StoredText } from './event-log.ts'

/** An event among those that belong together. */
export interface RelatedEvent extends StoredText {
  readonly facts: EventFacts
  /** Position of the event that brought this one about; null = none of those found. */
  readonly parent: Position | null
}

/** Events that an event came from and events that came of it, in the order of the log. */
export interface EventCauses {
  readonly events: readonly RelatedEvent[]
  /** The part of the log that was looked through. */
  readonly from: Position
  readonly to: Position
  /** More belong to it than are listed. */
  readonly isCut: boolean
}

/** Events that are looked through before an event and after it: consequences across streams follow within seconds. */
const WINDOW = 5_000
/** A hold has a charge for each request; a tree of more than this is none that people read. */
const RELATED_MOST = 100

/**
 * The events that an event belongs with, across streams: those that its causation id leads to and from, those of its
 * correlation id, and charges and refunds of its request wherever they stand. Fails with StoreUnavailable.
 */
export async function causesOf(
  log: EventLog,
  event: StoredText,
  positionsOfRequest: (requestId: string) => Promise<readonly Position[]>,
): Promise<EventCauses> {
  const { requestId } = factsOf(event)
  const [before, after, remote] = await Promise.all([
    log.readStoredLogBackwards(event.position, WINDOW),
    log.readStoredLog(event.position, WINDOW),
    requestId === '' ? [] : positionsOfRequest(requestId),
  ])
  const known = new Map([...before, event, ...after].map((one) => [one.position, one]))
  for (const position of remote) {
    const found = known.has(position) ? null : await log.readStoredAt(position)
    if (found !== null) known.set(position, found)
  }
  const told = [...known.values()].map((one) => ({ ...one, facts: factsOf(one) }))
  const related = connected(told, event.position)
  return {
    events: parented(related.slice(0, RELATED_MOST)),
    from: before.at(-1)?.position ?? event.position,
    to: after.at(-1)?.position ?? event.position,
    isCut: related.length > RELATED_MOST,
  }
}

type Told = Omit<RelatedEvent, 'parent'>

/** All that hang together with an event by cause, correlation or request, in the order of the log. */
function connected(all: readonly Told[], start: Position): readonly Told[] {
  const byKey = new Map<string, Told[]>()
  for (const event of all) {
    for (const key of keysOf(event)) {
      const there = byKey.get(key)
      if (there === undefined) byKey.set(key, [event])
      else there.push(event)
    }
  }
  const found = new Set(all.filter((event) => event.position === start))
  // A set's iteration includes members added meanwhile.
  for (const event of found) {
    if (found.size > RELATED_MOST) break
    for (const key of keysOf(event)) for (const other of byKey.get(key) ?? []) found.add(other)
  }
  return [...found].toSorted((one, other) => one.position - other.position)
}

/** The keys that an event shares with those that belong to it. */
function keysOf({ id, facts }: Told): readonly string[] {
  return [
    `event ${id}`,
    ...(facts.causationId === null ? [] : [`event ${facts.causationId}`]),
    // A job such as `sweeper` names no occasion: everything it ever did would hang together.
    ...(/\d/.test(facts.correlationId) ? [`correlation ${facts.correlationId}`] : []),
    ...(facts.requestId === '' ? [] : [`request ${facts.requestId}`]),
  ]
}

/** Each with the event that brought it about: named by its causation id, or the charge that a refund is about. */
function parented(events: readonly Told[]): readonly RelatedEvent[] {
  const byId = new Map(events.map((event) => [event.id, event.position]))
  const charges = new Map(
    events.flatMap((event) =>
      event.type === 'UsageCharged' ? [[event.facts.requestId, event.position] as const] : [],
    ),
  )
  return events.map((event) => {
    const cause = byId.get(event.facts.causationId ?? '')
    const charge = event.type === 'UsageRefunded' ? charges.get(event.facts.requestId) : undefined
    return { ...event, parent: cause ?? charge ?? null }
  })
}
