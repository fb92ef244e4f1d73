import { hash as digest } from 'node:crypto'
import { dataText } from '@tollgate/domain/data-text.ts'
import type { NewEvent } from '@tollgate/domain/event.ts'
import { EMPTY_STREAM, type StreamHead } from '@tollgate/domain/ports/event-store.ts'
import {
  APPEND_BYTES_MAX,
  checkEvent,
  checkHead,
  checkStreamName,
  InvalidAppend,
} from './invalid-append.ts'
import type { StoredHead } from './auditable-store.ts'
import type { ChainColumns, StoredEvent } from './stored-event.ts'

/** Version of the hashes that new events are linked by; events of every version follow each other in a stream. */
export const CHAIN_VERSION = 2

/** An event ready to be sent: its place and the very bytes that will stand in the store. */
export interface ChainedEvent {
  readonly id: string
  readonly type: string
  readonly revision: number
  readonly dataText: string
  readonly metadataText: string
  readonly hash: string
  /** For engines that store columns beside the metadata. */
  readonly columns: ChainColumns
}

/** All events of one append, chained behind the stream's expected end. */
export interface ChainedAppend {
  readonly stream: string
  readonly expected: StreamHead
  /** Where the newest event is another client's: the hash that its column has, '' for none. */
  readonly storedHash?: string | undefined
  readonly events: readonly ChainedEvent[]
  readonly head: StreamHead
  /** As EventStoreDB counts them. */
  readonly bytes: number
}

/**
 * Serialises events and links their hashes to the stream's expected end. Fails with InvalidAppend before anything is
 * sent for data that is not plain JSON, ids that are no UUIDs, and appends that are empty or above 1 MiB.
 *
 * Metadata carries stream, type and id beside the caller's own, so that the hash vouches for the whole row. It ends in
 * the two hashes in every version: processes before version 2 look for them there, and for nothing else.
 */
export function chainEvents(
  stream: string,
  events: readonly NewEvent[],
  expected: StreamHead,
): ChainedAppend {
  checkHead(stream, expected)
  return chainBehind(stream, events, expected)
}

/**
 * The event that sets aside what other clients have written between the last event of Tollgate and the stream's end. Fails
 * as `chainEvents`.
 */
export const chainSetAside = (
  stream: string,
  event: NewEvent,
  expected: StoredHead,
): ChainedAppend => ({
  ...chainBehind(stream, [event], expected),
  storedHash: expected.storedHash,
})

function chainBehind(
  stream: string,
  events: readonly NewEvent[],
  expected: StreamHead,
): ChainedAppend {
  checkStreamName(stream)
  if (events.length === 0) throw new InvalidAppend(`nothing to append to stream ${stream}`)
  const chained: ChainedEvent[] = []
  let head = expected
  let bytes = 0
  for (const event of events) {
    const next = chainEvent(stream, event, head)
    bytes += sizeOf(next)
    head = { revision: next.revision, hash: next.hash }
    chained.push(next)
  }
  if (bytes > APPEND_BYTES_MAX) {
    throw new InvalidAppend(
      `append of ${events.length} events to ${stream} has ${bytes} bytes, at most ${APPEND_BYTES_MAX} are allowed: split it`,
    )
  }
  if (events.length > 1 && new Set(events.map((event) => event.id)).size < events.length) {
    throw new InvalidAppend(`append to ${stream} uses an event id twice`)
  }
  return { stream, expected, events: chained, head, bytes }
}

function chainEvent(stream: string, event: NewEvent, previous: StreamHead): ChainedEvent {
  checkEvent(event)
  const { actor, correlationId, causationId, commandId, schemaVersion } = event.metadata
  const text = dataText(event.data)
  const command = commandId === undefined ? '' : `"commandId":${JSON.stringify(commandId)},`
  // Names, ids and hashes were checked to need no escaping.
  const sealed =
    `{"actor":${JSON.stringify(actor)},"correlationId":${JSON.stringify(correlationId)},` +
    `"causationId":${JSON.stringify(causationId)},${command}"schemaVersion":${schemaVersion},` +
    `"stream":"${stream}","type":"${event.type}","id":"${event.id}",` +
    `"chainVersion":${CHAIN_VERSION},"prevHash":"${previous.hash}"}`
  const hash = hashOf(CHAIN_VERSION, previous.hash, text, sealed)
  return {
    id: event.id,
    type: event.type,
    revision: previous.revision + 1,
    dataText: text,
    metadataText: `${sealed.slice(0, -1)},"hash":"${hash}"}`,
    hash,
    columns: { hash, chainVersion: CHAIN_VERSION },
  }
}

/**
 * Events as another log has stored them, ready to be appended with the very same bytes. Those of `foreign` revisions
 * are another client's: nothing is asked of their bytes. Fails with InvalidAppend for others that do not follow
 * `expected`, or are not what was hashed.
 */
export function chainStored(
  stream: string,
  stored: readonly StoredEvent[],
  expected: StoredHead,
  foreign: Pick<ReadonlySet<number>, 'has'> = new Set(),
): ChainedAppend {
  let head: StreamHead = expected
  let bytes = 0
  const events = stored.map((event): ChainedEvent => {
    const { id, type, revision, dataText, metadataText } = event
    const isForeign = foreign.has(revision)
    const next = isForeign
      ? { head: { ...head, revision }, columns: NO_COLUMNS }
      : verifyEvent(event, head)
    if ('reason' in next) {
      throw new InvalidAppend(
        `event ${revision} of stream ${stream} is not what was written: expected ${next.expected}, found ${next.found}`,
      )
    }
    head = next.head
    const { columns } = next
    const chained = { id, type, revision, dataText, metadataText, hash: head.hash, columns }
    bytes += sizeOf(chained)
    return chained
  })
  return { stream, expected, storedHash: expected.storedHash, events, head, bytes }
}

/** Those of an event of another client. */
export const NO_COLUMNS: ChainColumns = { hash: null, chainVersion: null }

type ChainVersion = 1 | typeof CHAIN_VERSION

/** Stands before the first event of a stream, from version 2 on. */
const NO_HASH = '0'.repeat(64)

/**
 * Version 1: SHA-256 of the hash before in hex, the data and the metadata without the hash, one text behind the other.
 * Version 2: SHA-256 of three times 32 bytes, the hash before and those of data and metadata, so that no byte can pass
 * from one to another.
 */
function hashOf(
  version: ChainVersion,
  prevHash: string,
  dataText: string,
  metadataText: string,
): string {
  if (version === 1) return digest('sha256', prevHash + dataText + metadataText)
  const hashes = (prevHash || NO_HASH) + digest('sha256', dataText) + digest('sha256', metadataText)
  return digest('sha256', Buffer.from(hashes, 'hex'))
}

/** Chain version that metadata name; null for one that is not known here. Events of version 1 name none. */
const versionIn = ({ chainVersion = 1 }: Readonly<Record<string, unknown>>): ChainVersion | null =>
  chainVersion === 1 || chainVersion === CHAIN_VERSION ? chainVersion : null

/** As EventStoreDB counts it. */
export const sizeOf = (event: Pick<ChainedEvent, 'dataText' | 'metadataText' | 'type'>): number =>
  Buffer.byteLength(event.dataText) + Buffer.byteLength(event.metadataText) + 2 * event.type.length

/** Where and how a stream's chain is broken. */
export interface ChainBreak {
  readonly stream: string
  readonly revision: number
  readonly position: number
  /** Id of the event that stands there. */
  readonly id: string
  readonly type: string
  readonly reason:
    /** An event is missing before this one, or stands twice. */
    | 'revision-gap'
    /** The metadata text does not end in its hash, is no JSON object, or names a version that is not known here. */
    | 'no-hash'
    /** It does not follow the event before it. */
    | 'previous-hash'
    /** Stream, type or id of the row are not those that were hashed. */
    | 'identity'
    /** Data or metadata are not the bytes that were hashed. */
    | 'content'
  /** The expected and the found value, in words with the values. */
  readonly expected: string
  readonly found: string
}

const HASH_MEMBER = /,"hash":"([0-9a-f]{64})"\}$/

/** An event that is what was written. */
export interface Verified {
  /** The stream's end behind it. */
  readonly head: StreamHead
  /** The columns that belong to its metadata. */
  readonly columns: ChainColumns
}

/** Checks one stored event against the end of the stream before it. */
export function verifyEvent(event: StoredEvent, previous: StreamHead): Verified | ChainBreak {
  const { stream, revision, position, id, type } = event
  const broken = (reason: ChainBreak['reason'], expected: string, found: string): ChainBreak => ({
    stream,
    revision,
    position,
    id,
    type,
    reason,
    expected,
    found,
  })
  const next = previous.revision + 1
  if (revision !== next) return broken('revision-gap', `revision ${next}`, `revision ${revision}`)
  const hash = HASH_MEMBER.exec(event.metadataText)?.[1]
  const sealed = event.metadataText.replace(HASH_MEMBER, '}')
  const claims = hash === undefined ? null : parseObject(sealed)
  if (hash === undefined || claims === null) {
    return broken('no-hash', 'metadata that ends in its hash', excerpt(event.metadataText))
  }
  const version = versionIn(claims)
  if (version === null) {
    const found = `chainVersion ${excerpt(String(claims['chainVersion']))}`
    return broken('no-hash', `chainVersion ${CHAIN_VERSION} at most`, found)
  }
  if (claims['prevHash'] !== previous.hash) {
    const found = `prevHash ${excerpt(String(claims['prevHash']))}`
    return broken('previous-hash', `prevHash ${previous.hash || "''"}`, found)
  }
  const computed = hashOf(version, previous.hash, event.dataText, sealed)
  if (computed !== hash) {
    return broken('content', `bytes with the hash ${hash}`, `bytes with the hash ${computed}`)
  }
  for (const [name, value] of Object.entries({ stream, type, id })) {
    if (claims[name] === value) continue
    return broken('identity', `${name} ${excerpt(String(claims[name]))}`, `${name} ${value}`)
  }
  return { head: { revision, hash }, columns: { hash, chainVersion: version } }
}

/** Enough of a text to know it by. */
const EXCERPT_CHARACTERS = 80
const excerpt = (text: string): string =>
  text.length <= EXCERPT_CHARACTERS ? text : `${text.slice(0, EXCERPT_CHARACTERS)}…`

/** The findings of a walk through one stream: how many events stand, its end, and the first break if there is one. */
export interface ChainReport {
  readonly events: number
  readonly head: StreamHead
  readonly firstBreak: ChainBreak | null
}

/** Walks one stream from its first event and stops at the first break. */
export async function verifyStream(
  events: AsyncIterable<StoredEvent> | Iterable<StoredEvent>,
): Promise<ChainReport> {
  let head = EMPTY_STREAM
  let count = 0
  for await (const event of events) {
    const next = verifyEvent(event, head)
    if ('reason' in next) return { events: count, head, firstBreak: next }
    head = next.head
    count += 1
  }
  return { events: count, head, firstBreak: null }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    // Text that was tampered with until it is no JSON any more is a break to report, not a failure of the walk.
    return null
  }
}
