import { MessageFields } from './message-fields.ts'

/** The answer of a server to one append. */
export type AppendAnswer =
  /** Stored now or before; position is null when the server does not say. */
  | { readonly type: 'success'; readonly position: number | null }
  /** Revision −1: there is no such stream. */
  | { readonly type: 'wrong-expected-version'; readonly actual: number }
  /**
   * `isStored` null: the server does not know, it said so in time or not at all. `isFinal`: refused because of the events
   * or their stream, whenever they come.
   */
  | {
      readonly type: 'refused'
      readonly reason: string
      readonly isStored: false | null
      readonly isFinal: boolean
      /** The user has no right to write to the stream. */
      readonly isDenied: boolean
    }

/** Which append it belongs to, and what became of that. */
export interface CorrelatedAnswer {
  readonly correlationId: string
  readonly answer: AppendAnswer
}

/** Reads a `BatchAppendResp` (the protocol's streams.proto). Fails with RangeError for bytes that are none. */
export function appendAnswer(bytes: Buffer): CorrelatedAnswer {
  const fields = new MessageFields(bytes)
  let correlationId = ''
  let answer: AppendAnswer = { type: 'success', position: null }
  while (fields.next()) {
    if (fields.field === 1) correlationId = uuidIn(fields.message())
    else if (fields.field === 2) answer = refusalIn(fields.message())
    else if (fields.field === 3) answer = successIn(fields.message())
    else fields.skip()
  }
  return { correlationId, answer }
}

/** Reads a `UUID`, which is a text or two halves. */
function uuidIn(fields: MessageFields): string {
  let uuid = ''
  while (fields.next()) {
    if (fields.field === 1) uuid = structuredUuidIn(fields.message())
    else if (fields.field === 2) uuid = fields.text()
    else fields.skip()
  }
  return uuid
}

function structuredUuidIn(fields: MessageFields): string {
  let most = 0n
  let least = 0n
  while (fields.next()) {
    if (fields.field === 1) most = fields.uint64()
    else if (fields.field === 2) least = fields.uint64()
    else fields.skip()
  }
  const hex = [most, least].map((bits) => bits.toString(16).padStart(16, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Reads a `Success`; a place in the log that is no position is none. */
function successIn(fields: MessageFields): AppendAnswer {
  let position: number | null = null
  while (fields.next()) {
    if (fields.field === 3) position = numberAt(fields.message(), 1) ?? 0
    else fields.skip()
  }
  return {
    type: 'success',
    position: position !== null && Number.isSafeInteger(position) ? position : null,
  }
}

/** One number of a message; null when it is not there. */
function numberAt(fields: MessageFields, field: number): number | null {
  let value: number | null = null
  while (fields.next()) {
    if (fields.field === field) value = fields.number()
    else fields.skip()
  }
  return value
}

const NO_BYTES: Buffer = Buffer.alloc(0)

/** Reads a `google.rpc.Status`, whose details are a message of the type that they name. */
function refusalIn(fields: MessageFields): AppendAnswer {
  let message = ''
  let details = { type: '', value: NO_BYTES }
  while (fields.next()) {
    if (fields.field === 2) message = fields.text()
    else if (fields.field === 3) details = detailsIn(fields.message())
    else fields.skip()
  }
  return refusal(message, details)
}

/** Reads a `google.protobuf.Any`. */
function detailsIn(fields: MessageFields): { type: string; value: Buffer } {
  let type = ''
  let value = NO_BYTES
  while (fields.next()) {
    if (fields.field === 1) type = fields.text().split('/').at(-1) ?? ''
    else if (fields.field === 2) value = fields.bytes()
    else fields.skip()
  }
  return { type, value }
}

/** All other refusals may come for an append that is stored a moment later, `Timeout` above all. */
const SURELY_NOT_STORED = new Set([
  'AccessDenied',
  'BadRequest',
  'MaximumAppendSizeExceeded',
  'StreamDeleted',
])

/** Refusals that no later attempt changes; all others, such as Timeout and AccessDenied, end with their cause. */
const FINAL: ReadonlySet<string> = new Set([
  'BadRequest',
  'MaximumAppendSizeExceeded',
  'StreamDeleted',
])

function refusal(
  message: string,
  details: { readonly type: string; readonly value: Buffer },
): AppendAnswer {
  if (details.type === 'event_store.client.WrongExpectedVersion') {
    const actual = numberAt(new MessageFields(details.value), 1) ?? -1
    return { type: 'wrong-expected-version', actual }
  }
  const kind = details.type.split('.').at(-1) ?? ''
  return {
    type: 'refused',
    reason: `${kind} ${message}`.trim(),
    isStored: SURELY_NOT_STORED.has(kind) ? false : null,
    isFinal: FINAL.has(kind),
    isDenied: kind === 'AccessDenied',
  }
}
