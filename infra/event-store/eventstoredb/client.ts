import { EventStoreDBClient } from '@eventstore/db-client'
import type { CallOptions, Metadata } from '@grpc/grpc-js'
import { messageOf } from '../message-of.ts'
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
  return { client, internals: client as unknown as ClientInternals }
}

function parse(connectionString: string): EventStoreDBClient {
  try {
    return EventStoreDBClient.connectionString(connectionString)
  } catch (error) {
    throw new Error(
      `the connection string of EventStoreDB cannot be read (${messageOf(error)}): write it like esdb://127.0.0.1:2113?tls=false`,
      { cause: error },
    )
  }
}

/** Cancels what is under way and closes the connection. */
export async function disconnect({ client, internals }: Connection): Promise<void> {
  await client.dispose()
  const channel = await internals.getChannel().catch(() => null)
  channel?.close()
}
