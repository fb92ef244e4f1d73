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
/** Events that are looked through after one that lies outside the window. */
const REMOTE_WINDOW = 500
/** Remote events whose consequences are looked for: each is one more read of the log. */
const REMOTE_MOST = 10
/** A hold has a charge for each request; a tree of more than this is none that people read. */
const RELATED_MOST = 100
/** An order is paid (1) and credited (2), a task charged (3) and refunded (4). */
const ROUNDS = 4

/**
 * The events that an event belongs with, across streams: those that its causation id leads to and from, those of its
 * correlation id, and wherever they stand, charges and refunds of its request and the life of its order, code or task.
 * Fails with StoreUnavailable.
 */
export async function causesOf(
  log: EventLog,
  event: StoredText,
  positionsOfRequest: (requestId: string) => Promise<readonly Position[]>,
): Promise<EventCauses> {
  const [before, after] = await Promise.all([
    log.readStoredLogBackwards(event.position, WINDOW),
    log.readStoredLog(event.position, WINDOW),
  ])
  const known = new Map([...before, event, ...after].map((one) => [one.position, told(one)]))
  const search: RemoteSearch = { log, positionsOfRequest, known, asked: new Set(), windows: 0 }
  let related = connected([...known.values()], event.position)
  for (let round = 1; round <= ROUNDS && (await findRemote(search, related)); round += 1)
    related = connected([...known.values()], event.position)
  return {
    events: parented(related.slice(0, RELATED_MOST)),
    from: before.at(-1)?.position ?? event.position,
    to: after.at(-1)?.position ?? event.position,
    isCut: related.length > RELATED_MOST,
  }
}

interface RemoteSearch {
  readonly log: EventLog
  readonly positionsOfRequest: (requestId: string) => Promise<readonly Position[]>
  readonly known: Map<Position, Told>
  /** Requests and streams that have been looked for. */
  readonly asked: Set<string>
  windows: number
}

/** Adds what lies outside the window and belongs to these events; answers whether there was any. */
async function findRemote(search: RemoteSearch, related: readonly Told[]): Promise<boolean> {
  const { log, known, asked } = search
  const remote: StoredText[] = []
  for (const { facts, stream } of related.slice(0, RELATED_MOST)) {
    if (facts.requestId !== '' && isNew(asked, `request ${facts.requestId}`))
      for (const position of await search.positionsOfRequest(facts.requestId)) {
        const found = known.has(position) ? null : await log.readStoredAt(position)
        if (found !== null) remote.push(found)
      }
    if (isLife(stream) && isNew(asked, `stream ${stream}`)) {
      const life = log.readStoredStream(stream, { direction: 'backwards', limit: RELATED_MOST })
      for await (const one of life) if (!known.has(one.position)) remote.push(one)
    }
  }
  for (const one of remote) {
    known.set(one.position, told(one))
    // Charges bring nothing about in other streams; the newest of a life come first.
    if (!isLife(one.stream) || search.windows === REMOTE_MOST) continue
    search.windows += 1
    for (const next of await log.readStoredLog(one.position, REMOTE_WINDOW))
      known.set(next.position, told(next))
  }
  return remote.length > 0
}

function isNew(asked: Set<string>, key: string): boolean {
  if (asked.has(key)) return false
  asked.add(key)
  return true
}

/** Whether a stream is one story from its beginning to its end: an order, a code, a task. */
const isLife = (stream: string): boolean => /^(?:topup|redemption|task)-/.test(stream)

const told = (event: StoredText): Told => ({ ...event, facts: factsOf(event) })

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
function keysOf({ id, facts, stream }: Told): readonly string[] {
  return [
    `event ${id}`,
    ...(facts.causationId === null ? [] : [`event ${facts.causationId}`]),
    // A job such as `sweeper` names no occasion: everything it ever did would hang together.
    ...(/\d/.test(facts.correlationId) ? [`correlation ${facts.correlationId}`] : []),
    ...(facts.requestId === '' ? [] : [`request ${facts.requestId}`]),
    ...(isLife(stream) ? [`stream ${stream}`] : []),
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
