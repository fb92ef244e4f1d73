import { once } from 'node:events'
import { Metadata, type ServerWritableStream, status } from '@grpc/grpc-js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { type LogRecord, type LogView, visibleOf } from './log.ts'
import { encodedEvent, identifierOf, nameOf } from './messages.ts'

/** A call whose written messages may be encoded already. */
export type ReadCall = ServerWritableStream<streams.ReadReq, streams.ReadResp | Buffer>

const { BACKWARDS } = streams.ReadReq.Options.ReadDirection

const NO_POSITION = 2n ** 64n - 1n

/** Answers every kind of read request: a stream or the log, in either direction, or a subscription to the log. */
export function answerRead(log: LogView, call: ReadCall): void {
  const options = call.request.getOptions()
  if (options === undefined) {
    call.end()
    return
  }
  const stream = options.getStream()
  const all = options.getAll()
  if (all !== undefined && options.hasSubscription()) subscribe(log, call, options, all)
  else if (all !== undefined) readAll(log, call, options, all)
  else if (stream !== undefined) readStream(log, call, options, stream)
  else call.end()
}

function readStream(
  log: LogView,
  call: ReadCall,
  options: streams.ReadReq.Options,
  stream: streams.ReadReq.Options.StreamOptions,
): void {
  const name = nameOf(stream.getStreamIdentifier())
  if (log.isDeleted(name)) {
    const metadata = new Metadata()
    metadata.set('exception', 'stream-deleted')
    metadata.set('stream-name', name)
    const details = `Event stream '${name}' is deleted.`
    const code = status.FAILED_PRECONDITION
    call.emit('error', Object.assign(new Error(details), { code, details, metadata }))
    return
  }
  const records = visibleOf(log, name)
  if (records.length === 0) {
    const notFound = new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifierOf(name))
    call.write(new streams.ReadResp().setStreamNotFound(notFound))
    call.end()
    return
  }
  const isBackwards = options.getReadDirection() === BACKWARDS
  const from = stream.hasRevision() ? BigInt(stream.getRevision()) : null
  const chosen = isBackwards
    ? records.filter((record) => from === null || record.revision <= from).toReversed()
    : records.filter((record) => from === null || record.revision >= from)
  void send(call, chosen.slice(0, Number(options.getCount())))
}

function readAll(
  log: LogView,
  call: ReadCall,
  options: streams.ReadReq.Options,
  all: streams.ReadReq.Options.AllOptions,
): void {
  const isBackwards = options.getReadDirection() === BACKWARDS
  const position = all.getPosition()
  const from = position === undefined ? null : BigInt(position.getCommitPosition())
  // A forward read includes the event at its start, a backward read begins before it.
  const start = from === null ? (isBackwards ? log.records.length : 0) : indexAt(log, from)
  const count = Number(options.getCount())
  void send(
    call,
    isBackwards
      ? log.records.slice(Math.max(0, start - count), start).toReversed()
      : log.records.slice(start, start + count),
  )
}

/** Index of the first record at or behind a position. */
function indexAt({ records }: LogView, position: bigint): number {
  let [low, high] = [0, records.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((records[middle]?.position ?? position) < position) low = middle + 1
    else high = middle
  }
  return low
}

/** As fast as the client takes them. */
async function send(call: ReadCall, records: readonly LogRecord[]): Promise<void> {
  const gone = once(call, 'cancelled').catch(() => undefined)
  for (const record of records) {
    if (call.cancelled) return
    if (!call.write(encodedEvent(record))) await Promise.race([once(call, 'drain'), gone])
  }
  call.end()
}

function subscribe(
  log: LogView,
  call: ReadCall,
  options: streams.ReadReq.Options,
  all: streams.ReadReq.Options.AllOptions,
): void {
  const filter = options.getFilter()
  const matches = matcherOf(filter)
  const window = filter?.hasMax() === true ? filter.getMax() : 32
  const checkpointEvery = window * (filter?.getCheckpointintervalmultiplier() ?? 1)
  const start = all.getPosition()
  const after = start === undefined ? null : BigInt(start.getCommitPosition())
  let next = all.hasEnd()
    ? log.records.length
    : log.records.findIndex((record) => after === null || record.position > after)
  if (next === -1) next = log.records.length
  let sinceCheckpoint = 0

  function pump(): void {
    for (; next < log.records.length; next += 1) {
      const record = log.records[next]
      if (record === undefined) return
      if (matches(record)) call.write(encodedEvent(record))
      sinceCheckpoint += 1
      if (filter !== undefined && sinceCheckpoint >= checkpointEvery) {
        sinceCheckpoint = 0
        call.write(checkpointAt(record.position))
      }
    }
  }

  const confirmation = new streams.ReadResp.SubscriptionConfirmation()
  call.write(
    new streams.ReadResp().setConfirmation(confirmation.setSubscriptionId(crypto.randomUUID())),
  )
  const hasMatched = log.records.slice(next).some(matches)
  pump()
  // Version 24.10, when the filter has matched nothing by the end.
  if (filter !== undefined && !hasMatched) call.write(checkpointAt(NO_POSITION))
  call.write(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()))
  const stop = log.follow(pump)
  call.on('cancelled', stop)
  call.on('close', stop)
}

function checkpointAt(position: bigint): streams.ReadResp {
  return new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint()
      .setCommitPosition(String(position))
      .setPreparePosition(String(position)),
  )
}

function matcherOf(
  filter: streams.ReadReq.Options.FilterOptions | undefined,
): (record: LogRecord) => boolean {
  const byStream = filter?.getStreamIdentifier()
  const byType = filter?.getEventType()
  const expression = byStream ?? byType
  if (expression === undefined) return () => true
  const prefixes = expression.getPrefixList()
  const regex = new RegExp(expression.getRegex())
  return (record) => {
    const text = byStream === undefined ? record.type : record.stream
    return prefixes.length > 0
      ? prefixes.some((prefix) => text.startsWith(prefix))
      : regex.test(text)
  }
}
