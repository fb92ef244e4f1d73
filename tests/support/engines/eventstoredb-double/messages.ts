import { createRequire } from 'node:module'
import type AnyMessage from 'google-protobuf/google/protobuf/any_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import status from '@eventstore/db-client/generated/status_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import {
  MAX_APPEND_SIZE,
  type AppendResult,
  type ExpectedRevision,
  type LogRecord,
  type ProposedEvent,
} from './log.ts'

/** The client package brings a protobuf library of its own; its messages only fit into messages of that one. */
const requireAsClient = createRequire(
  createRequire(import.meta.url).resolve('@eventstore/db-client'),
)
const { Any } = requireAsClient('google-protobuf/google/protobuf/any_pb.js') as typeof AnyMessage
const { Empty } = requireAsClient('google-protobuf/google/protobuf/empty_pb.js') as {
  Empty: new () => NonNullable<ReturnType<streams.BatchAppendResp['getAny']>>
}

type Bytes = Uint8Array | string

/** .NET ticks of 100 ns, which is how the server states when an event was recorded. */
const TICKS_PER_MS = 10_000n

export const nameOf = (identifier: shared.StreamIdentifier | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8')

export function identifierOf(name: string): shared.StreamIdentifier {
  return new shared.StreamIdentifier().setStreamName(Buffer.from(name).toString('base64'))
}

/** Events are read more than once, and to encode one takes longer than to decode it. Tests change the data of some. */
const encoded = new WeakMap<LogRecord, { readonly data: Uint8Array; readonly bytes: Buffer }>()

/** An event as a subscription or a read delivers it, in bytes. */
export function encodedEvent(record: LogRecord): Buffer {
  const known = encoded.get(record)
  if (known?.data === record.data) return known.bytes
  const bytes = Buffer.from(eventResponse(record).serializeBinary())
  encoded.set(record, { data: record.data, bytes })
  return bytes
}

/** The same, to be encoded. */
export function eventResponse(record: LogRecord): streams.ReadResp {
  const event = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(record.id))
    .setStreamIdentifier(identifierOf(record.stream))
    .setStreamRevision(String(record.revision))
    .setCommitPosition(String(record.position))
    .setPreparePosition(String(record.position))
    .setData(base64(record.data))
    .setCustomMetadata(base64(record.metadata))
  event.getMetadataMap().set('type', record.type)
  event.getMetadataMap().set('content-type', record.contentType)
  event.getMetadataMap().set('created', String(BigInt(record.created) * TICKS_PER_MS))
  const resolved = new streams.ReadResp.ReadEvent()
    .setEvent(event)
    .setCommitPosition(String(record.position))
  return new streams.ReadResp().setEvent(resolved)
}

export function proposedEvent(
  message: streams.AppendReq.ProposedMessage | streams.BatchAppendReq.ProposedMessage,
): ProposedEvent {
  return {
    id: message.getId()?.getString() ?? '',
    type: message.getMetadataMap().get('type') ?? '',
    contentType: message.getMetadataMap().get('content-type') ?? '',
    data: bytesOf(message.getData()),
    metadata: bytesOf(message.getCustomMetadata()),
  }
}

export function expectedOfBatch(options: streams.BatchAppendReq.Options): ExpectedRevision {
  if (options.hasAny()) return 'any'
  if (options.hasNoStream()) return 'no-stream'
  if (options.hasStreamExists()) return 'stream-exists'
  return BigInt(options.getStreamPosition())
}

export function expectedOfAppend(options: streams.AppendReq.Options): ExpectedRevision {
  if (options.hasAny()) return 'any'
  if (options.hasNoStream()) return 'no-stream'
  if (options.hasStreamExists()) return 'stream-exists'
  return BigInt(options.getRevision())
}

export function batchResponse(
  correlationId: shared.UUID | undefined,
  stream: string,
  expected: ExpectedRevision,
  result: AppendResult,
): streams.BatchAppendResp {
  const response = new streams.BatchAppendResp()
    .setCorrelationId(correlationId)
    .setStreamIdentifier(identifierOf(stream))
  if (result.type !== 'success') return response.setError(errorOf(expected, result))
  return response.setSuccess(
    new streams.BatchAppendResp.Success()
      .setCurrentRevision(String(result.revision))
      .setPosition(
        new shared.AllStreamPosition()
          .setCommitPosition(String(result.position))
          .setPreparePosition(String(result.position)),
      ),
  )
}

type Failure = Exclude<AppendResult, { type: 'success' }>

function errorOf(expected: ExpectedRevision, failure: Failure): status.Status {
  switch (failure.type) {
    case 'wrong-expected-version': {
      const details = new shared.WrongExpectedVersion()
      if (failure.current === null) details.setCurrentNoStream(new Empty())
      else details.setCurrentStreamRevision(String(failure.current))
      if (typeof expected === 'bigint') details.setExpectedStreamPosition(String(expected))
      else if (expected === 'no-stream') details.setExpectedNoStream(new Empty())
      else if (expected === 'stream-exists') details.setExpectedStreamExists(new Empty())
      else details.setExpectedAny(new Empty())
      return withDetails('WrongExpectedVersion', details.serializeBinary())
    }
    case 'too-large': {
      const details = new shared.MaximumAppendSizeExceeded().setMaxappendsize(MAX_APPEND_SIZE)
      return withDetails('MaximumAppendSizeExceeded', details.serializeBinary())
    }
    case 'timeout':
      return withDetails('Timeout', new shared.Timeout().serializeBinary())
    case 'access-denied':
      return withDetails('AccessDenied', new shared.AccessDenied().serializeBinary())
    case 'stream-deleted':
      return withDetails('StreamDeleted', new shared.StreamDeleted().serializeBinary())
    case 'bad-id':
      return withDetails('Unknown', new shared.Unknown().serializeBinary())
    default:
      return failure satisfies never
  }
}

function withDetails(name: string, bytes: Uint8Array): status.Status {
  const details = new Any()
  details.pack(bytes, `event_store.client.${name}`)
  return new status.Status().setMessage(name).setDetails(details)
}

const bytesOf = (bytes: Bytes): Uint8Array =>
  typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : bytes

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
