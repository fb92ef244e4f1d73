import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { ClientReadableStream } from '@grpc/grpc-js'
import { type ClientInternals, ON_LEADER } from './client.ts'
import { Empty, StreamsClient, StreamsService } from './protocol.ts'
import { type ReadAnswer, readAnswer } from './read-answer.ts'
import type { LogPosition } from './recorded.ts'

/**
 * Reads and subscriptions over the protocol's Read call, as the client's own methods do. Those parse the JSON of every
 * event that passes by, hold back up to 16 of them, and announce checkpoints ahead of what they hold back.
 */
export type ReadCall = ClientReadableStream<ReadAnswer>

const { ReadDirection } = streams.ReadReq.Options
const { Expression } = streams.ReadReq.Options.FilterOptions

/** Where a read begins, and which way it goes. */
export type From<Place> = Place | 'start' | 'end'

/** One page of a stream. */
export function streamRequest(
  stream: string,
  from: From<number>,
  isBackwards: boolean,
  maxCount: number,
): streams.ReadReq {
  const place = new streams.ReadReq.Options.StreamOptions().setStreamIdentifier(
    new shared.StreamIdentifier().setStreamName(Buffer.from(stream).toString('base64')),
  )
  if (from === 'start') place.setStart(new Empty())
  else if (from === 'end') place.setEnd(new Empty())
  else place.setRevision(String(from))
  return request(pageOptions(isBackwards, maxCount).setStream(place))
}

/** One page of the log. */
export const logRequest = (
  from: From<LogPosition>,
  isBackwards: boolean,
  maxCount: number,
): streams.ReadReq => request(pageOptions(isBackwards, maxCount).setAll(placeInLog(from)))

/**
 * The part of the log that the server sends, which it tells by names of streams or by event types: streams whose names
 * begin so, or all events but its own and those of some types.
 */
export type LogPart =
  | { readonly streamPrefixes: readonly string[] }
  | { readonly exceptTypes: readonly string[] }

/** A part of the log after a position for ever. */
export const subscriptionRequest = (after: From<LogPosition>, part: LogPart): streams.ReadReq =>
  request(
    new streams.ReadReq.Options()
      .setAll(placeInLog(after))
      .setSubscription(new streams.ReadReq.Options.SubscriptionOptions())
      .setFilter('streamPrefixes' in part ? inStreams(part) : ofTypes(part)),
  )

const inStreams = ({ streamPrefixes }: { readonly streamPrefixes: readonly string[] }) =>
  new streams.ReadReq.Options.FilterOptions()
    .setStreamIdentifier(new Expression().setPrefixList([...streamPrefixes]))
    .setMax(SEARCH_WINDOW)
    .setCheckpointintervalmultiplier(WINDOWS_PER_CHECKPOINT)

/** Followed for long, so its position keeps up with the log by a checkpoint every thousand events. */
const ofTypes = ({ exceptTypes }: { readonly exceptTypes: readonly string[] }) =>
  new streams.ReadReq.Options.FilterOptions()
    .setEventType(new Expression().setRegex(typesExcept(exceptTypes)))
    .setMax(SEARCH_WINDOW)
    .setCheckpointintervalmultiplier(1)

/** In what .NET and JavaScript share of regular expressions; types are words. */
const typesExcept = (types: readonly string[]): string =>
  types.length === 0 ? '^[^$].*' : `^(?!(?:${types.join('|')})$)[^$].*`

/** Without them a filter that lets little through floods its subscriber with checkpoints. */
const SEARCH_WINDOW = 1_000
const WINDOWS_PER_CHECKPOINT = 100

/** Begins a call on the leader; it has no deadline of gRPC's. */
export const openRead = (internals: ClientInternals, wanted: streams.ReadReq): Promise<ReadCall> =>
  internals.GRPCStreamCreator(StreamsClient, 'read', (client) =>
    client.makeServerStreamRequest(
      READ.path,
      READ.requestSerialize,
      readAnswer,
      wanted,
      ...internals.callArguments(ON_LEADER, { deadline: Infinity }),
    ),
  )()

const { read: READ } = StreamsService

const pageOptions = (isBackwards: boolean, maxCount: number): streams.ReadReq.Options =>
  new streams.ReadReq.Options()
    .setReadDirection(isBackwards ? ReadDirection.BACKWARDS : ReadDirection.FORWARDS)
    .setCount(String(maxCount))
    .setNoFilter(new Empty())

const request = (options: streams.ReadReq.Options): streams.ReadReq =>
  new streams.ReadReq().setOptions(
    options
      .setResolveLinks(false)
      .setUuidOption(new streams.ReadReq.Options.UUIDOption().setString(new Empty())),
  )

function placeInLog(from: From<LogPosition>): streams.ReadReq.Options.AllOptions {
  const place = new streams.ReadReq.Options.AllOptions()
  if (from === 'start') return place.setStart(new Empty())
  if (from === 'end') return place.setEnd(new Empty())
  return place.setPosition(
    new streams.ReadReq.Options.Position()
      .setCommitPosition(from.commit)
      .setPreparePosition(from.prepare),
  )
}
