import shared from '@eventstore/db-client/generated/shared_pb.js'
import type status from '@eventstore/db-client/generated/status_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { createRequire } from 'node:module'
import type EmptyModule from 'google-protobuf/google/protobuf/empty_pb.js'
import type { ClientDuplexStream } from '@grpc/grpc-js'
import type { ChainedAppend } from '../chain.ts'

/** The client package brings a protobuf library of its own; its messages only fit into messages of that one. */
const requireAsClient = createRequire(
  createRequire(import.meta.url).resolve('@eventstore/db-client'),
)
export const { Empty } = requireAsClient(
  'google-protobuf/google/protobuf/empty_pb.js',
) as typeof EmptyModule

export const { StreamsClient, StreamsService } = streamsService
/** The call over which appends go and answers come, in any order. */
export type BatchStream = ClientDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>
type BatchRequest = streams.BatchAppendReq
export type BatchResponse = streams.BatchAppendResp

/** What a server answered to one append. */
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

/** As an append's expected revision: whatever the stream ends with. */
export const ANY_REVISION = -2

/**
 * One append as one message. The texts go out as they were hashed. It has no deadline: the server would compare that
 * with its own clock, and refuse every append of a client whose clock is behind.
 */
export function batchRequest(correlationId: string, append: ChainedAppend): BatchRequest {
  const options = new streams.BatchAppendReq.Options().setStreamIdentifier(
    new shared.StreamIdentifier().setStreamName(Buffer.from(append.stream).toString('base64')),
  )
  if (append.expected.revision === ANY_REVISION) options.setAny(new Empty())
  else if (append.expected.revision === -1) options.setNoStream(new Empty())
  else options.setStreamPosition(String(append.expected.revision))
  return new streams.BatchAppendReq()
    .setCorrelationId(new shared.UUID().setString(correlationId))
    .setOptions(options)
    .setProposedMessagesList(append.events.map(proposedMessage))
    .setIsFinal(true)
}

function proposedMessage(
  event: ChainedAppend['events'][number],
): streams.BatchAppendReq.ProposedMessage {
  const message = new streams.BatchAppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(event.id))
    .setData(Buffer.from(event.dataText))
    .setCustomMetadata(Buffer.from(event.metadataText))
  message.getMetadataMap().set('type', event.type)
  message.getMetadataMap().set('content-type', 'application/json')
  return message
}

/** All other refusals may come for an append that is stored a moment later, `Timeout` above all. */
const SURELY_NOT_STORED = new Set([
  'AccessDenied',
  'BadRequest',
  'MaximumAppendSizeExceeded',
  'StreamDeleted',
])

/** Which append an answer belongs to. */
export function correlationOf(response: BatchResponse): string {
  const id = response.getCorrelationId()
  const structured = id?.getStructured()
  if (structured === undefined) return id?.getString() ?? ''
  const hex = [structured.getMostSignificantBits(), structured.getLeastSignificantBits()]
    .map((bits) => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0'))
    .join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

export function answerOf(response: BatchResponse): AppendAnswer {
  const error = response.getError()
  if (error !== undefined) return refusalOf(error)
  const position = response.getSuccess()?.getPosition()
  const commit = position === undefined ? -1 : Number(position.getCommitPosition())
  return { type: 'success', position: Number.isSafeInteger(commit) && commit >= 0 ? commit : null }
}

/** Refusals that no later attempt changes; all others, such as Timeout and AccessDenied, end with their cause. */
const FINAL: ReadonlySet<string> = new Set([
  'BadRequest',
  'MaximumAppendSizeExceeded',
  'StreamDeleted',
])

function refusalOf(error: status.Status): AppendAnswer {
  const details = error.getDetails()
  const name = details?.getTypeName() ?? ''
  if (details !== undefined && name === 'event_store.client.WrongExpectedVersion') {
    const conflict = shared.WrongExpectedVersion.deserializeBinary(details.getValue_asU8())
    const actual = conflict.hasCurrentStreamRevision()
      ? Number(conflict.getCurrentStreamRevision())
      : -1
    return { type: 'wrong-expected-version', actual }
  }
  const kind = name.split('.').at(-1) ?? ''
  return {
    type: 'refused',
    reason: `${kind} ${error.getMessage()}`.trim(),
    isStored: SURELY_NOT_STORED.has(kind) ? false : null,
    isFinal: FINAL.has(kind),
    isDenied: kind === 'AccessDenied',
  }
}
