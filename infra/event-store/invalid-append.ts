import type { NewEvent } from '@tollgate/domain/event.ts'
import type { StreamHead } from '@tollgate/domain/ports/event-store.ts'

/** EventStoreDB's own bound on one append (data, metadata and twice the type's length); the same on every adapter. */
export const APPEND_BYTES_MAX = 1024 * 1024
/** Longest name of a stream or an event type: index entries of PostgreSQL stay well below a page. */
const NAME_LENGTH_MAX = 200
/** Deeper data is a mistake, such as a cycle. */
const DATA_DEPTH_MAX = 64

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const SHA_256 = /^[0-9a-f]{64}$/
/** Printable ASCII that JSON writes as it is, without `$` in front, which EventStoreDB keeps for itself. */
const NAME = /^(?!\$)[\x21\x23-\x5b\x5d-\x7e]+$/

/** The caller handed over something that no store may keep; nothing was sent. Mending the caller is the only way on. */
export class InvalidAppend extends Error {
  readonly code = 'INVALID_APPEND'
  readonly retryable = false
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'InvalidAppend'
  }
}

/** Fails with InvalidAppend unless `stream` can name a stream in every adapter. */
export function checkStreamName(stream: string): void {
  checkName(stream, 'stream name')
}

/** Fails with InvalidAppend unless `head` can be a stream's end: hash '' before the first event, SHA-256 hex after. */
export function checkHead(stream: string, head: StreamHead): void {
  if (!Number.isInteger(head.revision) || head.revision < -1 || head.revision > 2 ** 31 - 2) {
    throw new InvalidAppend(
      `expected revision of ${stream} must be a whole number from -1, got ${head.revision}`,
    )
  }
  const fits = head.revision === -1 ? head.hash === '' : SHA_256.test(head.hash)
  if (!fits) {
    throw new InvalidAppend(
      `expected hash of ${stream} at revision ${head.revision} must be the one the store answered, got '${head.hash}'`,
    )
  }
}

/** Fails with InvalidAppend for ids, types, metadata or data that would not survive storing. */
export function checkEvent(event: NewEvent): void {
  checkName(event.type, 'event type')
  if (!UUID.test(event.id)) {
    throw new InvalidAppend(`id of ${event.type} must be a lower-case UUID, got '${event.id}'`)
  }
  const { schemaVersion } = event.metadata
  if (!Number.isSafeInteger(schemaVersion) || schemaVersion < 1) {
    throw new InvalidAppend(
      `schema version of ${event.type} must be a whole number from 1, got ${schemaVersion}`,
    )
  }
  checkText(event.metadata.actor, event.type, 'metadata.actor')
  checkText(event.metadata.correlationId, event.type, 'metadata.correlationId')
  if (event.metadata.causationId !== null) {
    checkText(event.metadata.causationId, event.type, 'metadata.causationId')
  }
  if (event.metadata.commandId !== undefined) {
    checkText(event.metadata.commandId, event.type, 'metadata.commandId')
  }
  checkPlainJson(event.data, event.type)
}

function checkName(name: string, what: string): void {
  if (name.length === 0 || name.length > NAME_LENGTH_MAX || !NAME.test(name)) {
    throw new InvalidAppend(
      `${what} must be 1 to ${NAME_LENGTH_MAX} printable ASCII characters without spaces, quotes and backslashes, not beginning with $, got '${name}'`,
    )
  }
}

function checkText(value: unknown, type: string, path: string): void {
  if (typeof value !== 'string') {
    throw new InvalidAppend(`${path} of ${type} must be a text, got ${typeof value}`)
  }
}

/** JSON.stringify would drop or change these values in silence, or hang EventStoreDB's client (a bigint). */
function checkPlainJson(data: object, type: string): void {
  if (isPlainJson(data, 0)) return
  const { path, value } = findNotJson(data, 0)
  throw new InvalidAppend(
    `${['data', ...path].join('.')} of ${type} must be plain JSON (finite numbers, texts, booleans, null, arrays, plain objects), got ${describe(value)}`,
  )
}

function isPlainJson(value: unknown, depth: number): boolean {
  if (isScalar(value)) return true
  if (!isContainer(value, depth)) return false
  if (Array.isArray(value)) return value.every((member) => isPlainJson(member, depth + 1))
  // A plain object inherits nothing that can be enumerated; Object.values would make a list for every event.
  for (const key in value) {
    if (!isPlainJson((value as Readonly<Record<string, unknown>>)[key], depth + 1)) return false
  }
  return true
}

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  typeof value === 'boolean' ||
  value === null

const isContainer = (value: unknown, depth: number): value is object =>
  typeof value === 'object' &&
  value !== null &&
  depth < DATA_DEPTH_MAX &&
  (Array.isArray(value) || isPlainObject(value))

/** Where the first value is that is no JSON; apart from the check, which runs for every event. */
function findNotJson(value: unknown, depth: number): { path: string[]; value: unknown } {
  if (isContainer(value, depth)) {
    for (const [key, member] of Object.entries(value)) {
      if (isPlainJson(member, depth + 1)) continue
      const found = findNotJson(member, depth + 1)
      return { value: found.value, path: [key, ...found.path] }
    }
  }
  return { path: [], value }
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function describe(value: unknown): string {
  if (typeof value === 'object') return 'an object that is not plain or too deep'
  return typeof value === 'number' ? String(value) : typeof value
}
