import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  status,
  type sendUnaryData,
} from '@grpc/grpc-js'
import features from '@eventstore/db-client/generated/serverfeatures_pb.js'
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import gossip from '@eventstore/db-client/generated/gossip_pb.js'
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import type { Certificate } from '../certificates.ts'
import { DoubleRights } from './rights.ts'
import { openDoor } from './door.ts'
import { DoubleLog, type LogView, type ProposedEvent } from './log.ts'
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
  /** For a client without user and TLS. */
  readonly connectionString: string
  /** `127.0.0.1:port`. */
  readonly host: string
  readonly log: DoubleLog
  readonly rights: DoubleRights
  /** Connections stay open and nothing answers, as after SIGSTOP. */
  pause(): void
  resume(): void
  /** Connections are cut, as after SIGKILL; what was stored stays. */
  die(): Promise<void>
  comeBack(): Promise<void>
  /** The next so many appends are stored and never acknowledged. */
  storeWithoutAcknowledging(appends: number): void
  /** The next so many appends are stored and answered with Timeout. */
  storeWithTimeout(appends: number): void
  /** Its clock from now on, against that of the clients. */
  setClockAhead(ms: number): void
  /** How many subscriptions are open. */
  subscriptions(): number
  /** Live subscriptions are dropped as too slow. */
  dropSubscribers(): void
  /**
   * From now on it is a follower of a leader with the same log: it forwards appends and reads what stood in the log at
   * this moment, and refuses calls that require the leader.
   */
  follow(leader: EventStoreDbDouble): void
  /** From now on it is the leader, and reads what is there. */
  lead(): void
  close(): Promise<void>
}

/** Version that the double gives itself; one that tells subscribers when they have caught up. */
export const DOUBLE_VERSION = '23.10.1'

/** With a log of its own, or with that of another node of its cluster; with a certificate it speaks TLS alone. */
export async function startEventStoreDbDouble(
  log: DoubleLog = new DoubleLog(),
  certificate: Certificate | null = null,
): Promise<EventStoreDbDouble> {
  const rights = new DoubleRights()
  let unacknowledged = 0
  let timedOut = 0
  let clockAheadMs = 0
  let leader: EventStoreDbDouble | null = null
  /** The part of the log that it reads. */
  let view: LogView = log
  const subscriptions = new Set<ReadCall>()

  const isAcknowledged = (): boolean => {
    if (unacknowledged === 0) return true
    unacknowledged -= 1
    return false
  }

  const answersTimeout = (deadline: Date | undefined): boolean => {
    if (deadline !== undefined && deadline.getTime() < Date.now() + clockAheadMs) return true
    if (timedOut === 0) return false
    timedOut -= 1
    return true
  }

  /** A node refuses whom it does not let in, and as a follower calls that want the leader, and says who that is. */
  const refuses = (call: AnyCall, isOfLog = false): boolean => {
    const denial = rights.denialOf(call.metadata, isOfLog)
    if (denial !== null) {
      call.emit('error', denial)
      return true
    }
    if (leader === null || !call.metadata.get('requires-leader').includes('true')) return false
    const metadata = new Metadata()
    const { hostname, port } = new URL(leader.connectionString)
    metadata.set('exception', 'not-leader')
    metadata.set('leader-endpoint-host', hostname)
    metadata.set('leader-endpoint-port', port)
    call.emit(
      'error',
      Object.assign(new Error('Leader info available'), {
        code: status.NOT_FOUND,
        details: 'Leader info available',
        metadata,
      }),
    )
    return true
  }

  const server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 })
  server.addService(featuresService.ServerFeaturesService, { getSupportedMethods })
  server.addService(gossipService.GossipService, {
    read: (_: unknown, callback: sendUnaryData<gossip.ClusterInfo>) =>
      callback(null, clusterOf([leader?.connectionString ?? ownAddress()])),
  })
  server.addService(STREAMS_SERVICE, {
    read(call: ReadCall) {
      if (refuses(call, call.request.getOptions()?.hasAll())) return
      if (call.request.getOptions()?.hasSubscription() === true) {
        subscriptions.add(call)
        call.on('close', () => subscriptions.delete(call))
      }
      answerRead(view, call)
    },
    append: (call: AppendCall, callback: sendUnaryData<streams.AppendResp>) =>
      answerAppend(log, call, callback, isAcknowledged),
    batchAppend(call: BatchCall) {
      if (!refuses(call)) answerBatches(log, call, isAcknowledged, answersTimeout)
    },
  })
  const innerPort = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentialsOf(certificate), (error, port) =>
      error === null ? resolve(port) : reject(error),
    )
  })
  const door = await openDoor(innerPort)
  const host = `127.0.0.1:${door.port}`
  const ownAddress = (): string => `esdb://${host}?tls=false`
  let isOpen = true

  return {
    connectionString: ownAddress(),
    host,
    log,
    rights,
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
    storeWithTimeout(appends) {
      timedOut = appends
    },
    setClockAhead(ms) {
      clockAheadMs = ms
    },
    subscriptions: () => subscriptions.size,
    dropSubscribers() {
      for (const call of subscriptions) {
        call.emit(
          'error',
          Object.assign(new Error('Consumer too slow'), {
            code: status.ABORTED,
            details:
              'Consumer too slow to handle event while live. Client resubscription required.',
          }),
        )
      }
    },
    follow(other) {
      leader = other
      view = log.asItIsNow()
    },
    lead() {
      leader = null
      view = log
    },
    async close() {
      if (isOpen) await door.shut()
      server.forceShutdown()
    },
  }
}

type AppendCall = ServerReadableStream<streams.AppendReq, streams.AppendResp>
type BatchCall = ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>
type AnyCall = BatchCall | ReadCall

/** Events of reads are encoded once, and by themselves. */
const STREAMS_SERVICE = {
  ...streamsService.StreamsService,
  read: {
    ...streamsService.StreamsService.read,
    responseSerialize: (response: streams.ReadResp | Buffer) =>
      Buffer.isBuffer(response) ? response : Buffer.from(response.serializeBinary()),
  },
}

const credentialsOf = (certificate: Certificate | null): ServerCredentials =>
  certificate === null
    ? ServerCredentials.createInsecure()
    : ServerCredentials.createSsl(null, [
        { cert_chain: Buffer.from(certificate.cert), private_key: Buffer.from(certificate.key) },
      ])

/** The answer of a node to clients that look for the leader. */
function clusterOf(leaders: readonly string[]): gossip.ClusterInfo {
  const members = leaders.map((address) => {
    const { hostname, port } = new URL(address)
    return new gossip.MemberInfo()
      .setInstanceId(new shared.UUID().setString(crypto.randomUUID()))
      .setTimeStamp(String(Date.now()))
      .setState(gossip.MemberInfo.VNodeState.LEADER)
      .setIsAlive(true)
      .setHttpEndPoint(new gossip.EndPoint().setAddress(hostname).setPort(Number(port)))
  })
  return new gossip.ClusterInfo().setMembersList(members)
}

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

function answerBatches(
  log: DoubleLog,
  call: BatchCall,
  isAcknowledged: () => boolean,
  answersTimeout: (deadline: Date | undefined) => boolean,
): void {
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
    // The server gives up waiting and stores all the same.
    const isTimedOut = answersTimeout(batch.options.getDeadline()?.toDate())
    const stored = log.isDenied(stream)
      ? ({ type: 'access-denied' } as const)
      : log.append(stream, expected, batch.events)
    const result = isTimedOut ? ({ type: 'timeout' } as const) : stored
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
