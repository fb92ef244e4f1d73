import type { ChainedAppend, ChainedEvent } from '../chain.ts'
import { MessageWriter, partBytes, varintBytes } from './message-writer.ts'

/** As an append's expected revision: whatever the stream ends with. */
export const ANY_REVISION = -2

const CONTENT_TYPE = 'application/json'

/**
 * One append as one message (`BatchAppendReq` in the protocol's streams.proto), in bytes: the client package's own classes
 * take four times as long. The texts go out as they were hashed. It has no deadline: the server would compare that with
 * its own clock, and refuse every append of a client whose clock is behind.
 */
export function appendRequest(correlationId: string, append: ChainedAppend): Buffer {
  const { stream, expected } = append
  const streamBytes = Buffer.byteLength(stream)
  const optionsBytes = partBytes(partBytes(streamBytes)) + expectedBytes(expected.revision)
  const events = append.events.map(measured)
  const eventsBytes = events.reduce((sum, { bytes }) => sum + partBytes(bytes), 0)
  const writer = new MessageWriter(
    partBytes(uuidBytes(correlationId)) + partBytes(optionsBytes) + eventsBytes + FINAL_BYTES,
  )
  writeUuid(writer, correlationId)
  writer.begin(2, optionsBytes)
  writer.begin(1, partBytes(streamBytes))
  writer.text(3, stream, streamBytes)
  writeExpected(writer, expected.revision)
  for (const event of events) writeEvent(writer, event)
  writer.number(4, 1)
  return writer.finish()
}

const FINAL_BYTES = 2

function expectedBytes(revision: number): number {
  if (revision === ANY_REVISION || revision === -1) return partBytes(0)
  return 1 + varintBytes(revision)
}

function writeExpected(writer: MessageWriter, revision: number): void {
  if (revision === ANY_REVISION) writer.begin(4, 0)
  else if (revision === -1) writer.begin(3, 0)
  else writer.number(2, revision)
}

/** An event, and how long it and its texts are. */
interface MeasuredEvent {
  readonly event: ChainedEvent
  readonly typeBytes: number
  readonly dataBytes: number
  readonly metadataBytes: number
  readonly bytes: number
}

function measured(event: ChainedEvent): MeasuredEvent {
  const typeBytes = Buffer.byteLength(event.type)
  const dataBytes = Buffer.byteLength(event.dataText)
  const metadataBytes = Buffer.byteLength(event.metadataText)
  const bytes =
    partBytes(uuidBytes(event.id)) +
    partBytes(entryBytes('content-type', CONTENT_TYPE.length)) +
    partBytes(entryBytes('type', typeBytes)) +
    textBytes(metadataBytes) +
    textBytes(dataBytes)
  return { event, typeBytes, dataBytes, metadataBytes, bytes }
}

/** A `ProposedMessage`; what the server keeps beside the texts is a map. */
function writeEvent(writer: MessageWriter, measuredEvent: MeasuredEvent): void {
  const { event, typeBytes, dataBytes, metadataBytes, bytes } = measuredEvent
  writer.begin(3, bytes)
  writeUuid(writer, event.id)
  writeEntry(writer, 'content-type', CONTENT_TYPE, CONTENT_TYPE.length)
  writeEntry(writer, 'type', event.type, typeBytes)
  if (metadataBytes > 0) writer.text(3, event.metadataText, metadataBytes)
  if (dataBytes > 0) writer.text(4, event.dataText, dataBytes)
}

/** An empty text is left out. */
const textBytes = (bytes: number): number => (bytes === 0 ? 0 : partBytes(bytes))

/** UUIDs are ASCII. */
const uuidBytes = (uuid: string): number => partBytes(uuid.length)

function writeUuid(writer: MessageWriter, uuid: string): void {
  writer.begin(1, uuidBytes(uuid))
  writer.text(2, uuid)
}

const entryBytes = (key: string, valueBytes: number): number =>
  partBytes(key.length) + partBytes(valueBytes)

function writeEntry(writer: MessageWriter, key: string, value: string, valueBytes: number): void {
  writer.begin(2, entryBytes(key, valueBytes))
  writer.text(1, key)
  writer.text(2, value, valueBytes)
}
