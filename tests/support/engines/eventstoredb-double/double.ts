import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type sendUnaryData,
} from '@grpc/grpc-js'
import features from '@eventstore/db-client/generated/serverfeatures_pb.js'
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import type shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { openDoor } from './door.ts'
import { DoubleLog, type ProposedEvent } from './log.ts'
import {
  batchResponse,
  expectedOfAppend,
  expectedOfBatch,
  nameOf,
  proposedEvent,
} from './messages.ts'
import { answerRead, type ReadCall } from './reads.ts'

/**
 * A stand-in for one EventStoreDB node that speaks its protocol to the real client, for machines without a server. Its
 * log is in memory and outlives `die`. It knows appends, reads and subscriptions to the whole log, nothing else.
 */
export interface EventStoreDbDouble {
  readonly connectionString: string
  readonly log: DoubleLog
  /** Connections stay open and nothing answers, as after SIGSTOP. */
  pause(): void
  resume(): void
  /** Connections are cut, as after SIGKILL; what was stored stays. */
  die(): Promise<void>
  comeBack(): Promise<void>
  /** The next so many appends are stored and never acknowledged. */
  storeWithoutAcknowledging(appends: number): void
  close(): Promise<void>
}

/** What the double calls itself; a version that tells subscribers when they have caught up. */
export const DOUBLE_VERSION = '23.10.1'

export async function startEventStoreDbDouble(): Promise<EventStoreDbDouble> {
  const log = new DoubleLog()
  let unacknowledged = 0

  const isAcknowledged = (): boolean => {
    if (unacknowledged === 0) return true
    unacknowledged -= 1
    return false
  }

  const server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 })
  server.addService(featuresService.ServerFeaturesService, { getSupportedMethods })
  server.addService(streamsService.StreamsService, {
    read: (call: ReadCall) => answerRead(log, call),
    append: (call: AppendCall, callback: sendUnaryData<streams.AppendResp>) =>
      answerAppend(log, call, callback, isAcknowledged),
    batchAppend: (call: BatchCall) => answerBatches(log, call, isAcknowledged),
  })
  const innerPort = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    )
  })
  const door = await openDoor(innerPort)
  let isOpen = true

  return {
    connectionString: `esdb://127.0.0.1:${door.port}?tls=false`,
    log,
    pause: () => door.pause(),
    resume: () => door.resume(),
    async die() {
      if (isOpen) await door.shut()
      isOpen = false
    },
    async comeBack() {
      await door.open()
      isOpen = true
    },
    storeWithoutAcknowledging(appends) {
      unacknowledged = appends
    },
    async close() {
      if (isOpen) await door.shut()
      server.forceShutdown()
    },
  }
}

type AppendCall = ServerReadableStream<streams.AppendReq, streams.AppendResp>
type BatchCall = ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>

function getSupportedMethods(_: unknown, callback: sendUnaryData<features.SupportedMethods>): void {
  const methods = ['read', 'append', 'batchappend'].map((name) =>
    new features.SupportedMethod()
      .setMethodName(name)
      .setServiceName('event_store.client.streams.streams'),
  )
  callback(
    null,
    new features.SupportedMethods()
      .setMethodsList(methods)
      .setEventStoreServerVersion(DOUBLE_VERSION),
  )
}

/** One append in parts: options first, then events until the part marked final. */
interface OpenBatch {
  readonly options: streams.BatchAppendReq.Options
  readonly events: ProposedEvent[]
}

function answerBatches(log: DoubleLog, call: BatchCall, isAcknowledged: () => boolean): void {
  const open = new Map<string, OpenBatch>()
  call.on('data', (request: streams.BatchAppendReq) => {
    const id = correlationOf(request.getCorrelationId())
    const options = request.getOptions()
    const batch = open.get(id) ?? (options === undefined ? undefined : { options, events: [] })
    if (batch === undefined) return
    open.set(id, batch)
    batch.events.push(...request.getProposedMessagesList().map(proposedEvent))
    if (!request.getIsFinal()) return
    open.delete(id)
    const stream = nameOf(batch.options.getStreamIdentifier())
    const expected = expectedOfBatch(batch.options)
    const result = log.append(stream, expected, batch.events)
    if (isAcknowledged()) {
      call.write(batchResponse(request.getCorrelationId(), stream, expected, result))
    }
  })
  call.on('end', () => call.end())
  call.on('error', () => undefined)
}

const correlationOf = (uuid: shared.UUID | undefined): string => uuid?.getString() ?? ''

function answerAppend(
  log: DoubleLog,
  call: AppendCall,
  callback: sendUnaryData<streams.AppendResp>,
  isAcknowledged: () => boolean,
): void {
  const events: ProposedEvent[] = []
  let options: streams.AppendReq.Options | undefined
  call.on('data', (request: streams.AppendReq) => {
    options ??= request.getOptions()
    const message = request.getProposedMessage()
    if (message !== undefined) events.push(proposedEvent(message))
  })
  call.on('error', () => undefined)
  call.on('end', () => {
    if (options === undefined) return
    const result = log.append(
      nameOf(options.getStreamIdentifier()),
      expectedOfAppend(options),
      events,
    )
    if (isAcknowledged()) callback(null, appendResponse(result))
  })
}

function appendResponse(result: ReturnType<DoubleLog['append']>): streams.AppendResp {
  if (result.type === 'success') {
    const position = new streams.AppendResp.Position()
      .setCommitPosition(String(result.position))
      .setPreparePosition(String(result.position))
    const success = new streams.AppendResp.Success().setCurrentRevision(String(result.revision))
    return new streams.AppendResp().setSuccess(success.setPosition(position))
  }
  const conflict = new streams.AppendResp.WrongExpectedVersion()
  if (result.type === 'wrong-expected-version' && result.current !== null) {
    conflict.setCurrentRevision(String(result.current))
  }
  return new streams.AppendResp().setWrongExpectedVersion(conflict)
}
