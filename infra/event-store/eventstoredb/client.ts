import { setTimeout as sleep } from 'node:timers/promises'
import { EventStoreDBClient, NotLeaderError, UnavailableError } from '@eventstore/db-client'
import type { CallOptions, Channel, Metadata } from '@grpc/grpc-js'
import { messageOf } from '../message-of.ts'
import { checkCertificateFiles, clientAddress, InvalidAddress } from './address.ts'
import type { StreamsClient } from './protocol.ts'

/**
 * The client package's connection handling (discovery, leader changes, keep-alive, reconnecting), which it keeps for
 * its own methods. Its `appendToStream` is not used, see append-stream.ts; the version is pinned because of this.
 */
export interface ClientInternals {
  GRPCStreamCreator<Stream>(
    client: typeof StreamsClient,
    debugName: string,
    creator: (client: InstanceType<typeof StreamsClient>) => Stream,
    cache?: WeakMap<object, Stream | Promise<Stream>>,
  ): () => Promise<Stream>
  callArguments(options: object, callOptions: CallOptions): [Metadata, CallOptions]
  getChannel(): Promise<Channel>
  createChannel(): Promise<Channel>
  /** Connects anew when a call failed for the node's sake. */
  handleError(client: { getChannel(): unknown }, error: unknown): Promise<void>
  /** Calls under way. */
  readonly disposableStreams: ReadonlySet<{ destroy(error: Error): void; cancel?(): void }>
  readonly capabilities: Promise<{ readonly serverVersion: string }>
}

/** A connected client and its insides; both are the same object. */
export interface Connection {
  readonly client: EventStoreDBClient
  readonly internals: ClientInternals
  /** A read that brings nothing for so many milliseconds has met a node that has stalled. */
  readonly silenceMs: number
  /**
   * The node has been silent since a moment (`performance.now()`): ends all that is under way with it and connects anew,
   * in a cluster to the leader of now. Does nothing when that has happened since.
   */
  readonly abandon: (since: number) => void
}

/** Stalls of about a second happen now and then in a healthy server. */
const SILENCE_MS = 10_000

/** Fails when the connection string cannot be read; connecting itself happens with the first call. */
export function connect(connectionString: string, silenceMs = SILENCE_MS): Connection {
  const client = parse(connectionString)
  // The members are declared protected or private, which says nothing at run time.
  const internals = client as unknown as ClientInternals
  failOneByOne(internals)
  let present: { readonly channel: Channel; readonly openedAt: number } | null = null
  const createChannel = internals.createChannel.bind(internals)
  internals.createChannel = async () => {
    const channel = await createChannel()
    present = { channel, openedAt: performance.now() }
    return channel
  }
  return {
    client,
    internals,
    silenceMs,
    abandon(since) {
      if (present === null || present.openedAt > since) return
      const { channel } = present
      present = null
      const silent = new UnavailableError(undefined, 'the node did not answer: connecting anew')
      void internals.handleError({ getChannel: () => channel }, silent)
      for (const stream of internals.disposableStreams) {
        // Those who wait for it are told; a cancelled call alone would end in silence.
        stream.destroy(silent)
        stream.cancel?.()
      }
    },
  }
}

/**
 * When a node goes, all calls fail at once, and for each the client looks at its channel, waits, and makes another. It
 * does not mind those that came in between: one outage left dozens of channels open. One after the other, they find
 * what the first has done. Nor does it wait for the end: a discovery that failed would be an unhandled rejection and end
 * the process. The call that failed is told anyhow.
 */
function failOneByOne(internals: ClientInternals): void {
  const connectAnew = internals.handleError.bind(internals)
  let last = Promise.resolve()
  internals.handleError = (failed, error) => {
    last = last.then(() => connectAnew(failed, error)).catch(() => undefined)
    return last
  }
}

/** An address of EventStoreDB, or a file that it names, cannot be used. */
class ConnectionStringInvalid extends Error {
  readonly code = 'CONNECTION_STRING_INVALID'
  readonly retryable = false
  constructor(problem: string, cause: unknown) {
    super(
      `the connection string of EventStoreDB (EVENTSTORE_URL) cannot be used: ${problem}. Write it like esdb://user:password@a:2113,b:2113,c:2113?tlsCAFile=/path/to/ca.crt, or esdb://127.0.0.1:2113?tls=false`,
      { cause },
    )
    this.name = 'ConnectionStringInvalid'
  }
}

function parse(connectionString: string): EventStoreDBClient {
  try {
    const address = clientAddress(connectionString)
    checkCertificateFiles(connectionString)
    return EventStoreDBClient.connectionString(address)
  } catch (error) {
    const why = error instanceof InvalidAddress ? `it ${messageOf(error)}` : messageOf(error)
    throw new ConnectionStringInvalid(why, error)
  }
}

/** Where every call goes: another node of a cluster reads behind, and what it misses would be booked again. */
export const ON_LEADER = { requiresLeader: true } as const

/** By the time the client has connected to the leader that a refusal named. */
export const MOVE_MS = 20

/** Whether a node refused a call because another is the leader; nothing was done then. */
export function isNotLeader(error: unknown): boolean {
  if (error instanceof NotLeaderError) return true
  if (!(error instanceof Error)) return false
  // Errors thrown by gRPC itself; the client's methods have turned theirs into a NotLeaderError.
  const { metadata } = error as { metadata?: Metadata }
  return metadata?.get('exception').includes('not-leader') === true || isNotLeader(error.cause)
}

/** Runs a call, once more when it met a node that is not the leader: the client moves to the leader meanwhile. */
export async function onLeader<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call()
  } catch (error) {
    if (!isNotLeader(error)) throw error
    await sleep(MOVE_MS)
    return await call()
  }
}

/** Cancels what is under way and closes the connection. */
export async function disconnect({
  client,
  internals,
}: Pick<Connection, 'client' | 'internals'>): Promise<void> {
  await client.dispose()
  const channel = await internals.getChannel().catch(() => null)
  channel?.close()
}
