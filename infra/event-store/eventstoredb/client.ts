import { setTimeout as sleep } from 'node:timers/promises'
import { EventStoreDBClient, NotLeaderError } from '@eventstore/db-client'
import type { CallOptions, Metadata } from '@grpc/grpc-js'
import { messageOf } from '../message-of.ts'
import { checkCertificateFiles, clientAddress, UnfitAddress } from './address.ts'
import type { BatchStream, StreamsClient } from './protocol.ts'

/**
 * The client package's connection handling (discovery, leader changes, keep-alive, reconnecting), which it keeps for
 * its own methods. Its `appendToStream` is not used, see append-stream.ts; the version is pinned because of this.
 */
export interface ClientInternals {
  GRPCStreamCreator(
    client: typeof StreamsClient,
    debugName: string,
    creator: (client: InstanceType<typeof StreamsClient>) => BatchStream,
    cache: WeakMap<object, BatchStream | Promise<BatchStream>>,
  ): () => Promise<BatchStream>
  callArguments(options: object, callOptions: CallOptions): [Metadata, CallOptions]
  getChannel(): Promise<{ close(): void }>
  /** Connects anew when a call failed for the node's sake. */
  handleError(client: unknown, error: unknown): Promise<void>
  readonly capabilities: Promise<{ readonly serverVersion: string }>
}

/** A connected client and its insides; both are the same object. */
export interface Connection {
  readonly client: EventStoreDBClient
  readonly internals: ClientInternals
}

/** Fails when the connection string cannot be read; connecting itself happens with the first call. */
export function connect(connectionString: string): Connection {
  const client = parse(connectionString)
  // The members are declared protected or private, which says nothing at run time.
  const internals = client as unknown as ClientInternals
  // The client calls it and lets go: a discovery that fails in it would be an unhandled rejection and end the process.
  // The call that failed is told anyhow.
  const connectAnew = internals.handleError.bind(internals)
  internals.handleError = (failed, error) => connectAnew(failed, error).catch(() => undefined)
  return { client, internals }
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
    const why = error instanceof UnfitAddress ? `it ${messageOf(error)}` : messageOf(error)
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
  // What gRPC itself throws; the client's methods have made it a NotLeaderError.
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
export async function disconnect({ client, internals }: Connection): Promise<void> {
  await client.dispose()
  const channel = await internals.getChannel().catch(() => null)
  channel?.close()
}
