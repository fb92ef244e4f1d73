import { readFile } from 'node:fs/promises'
import {
  connect,
  type ConnectionOptions,
  credsAuthenticator,
  Events,
  type NatsConnection,
  type Status,
} from 'nats'
import { backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import { pause } from '../../time/pause.ts'
import { messageOf } from '../../event-store/message-of.ts'
import type { BusLogger } from './bus-logger.ts'
import { serverAddresses } from './server-addresses.ts'

/** A server that does not answer a dial within this is passed over. */
const DIAL_MS = 2_000
/** Between dials of the same server: a broker that restarts is found again at once. */
const REDIAL_MS = 100
/** A server that hangs (paused, cut off) is given up after two pings without an answer. */
const PING_MS = 2_000
const PINGS_UNANSWERED_MAX = 2
/** Draining sends out what is buffered; a broker that is unavailable must not keep the process from ending. */
const DRAIN_MS = 2_000

export interface NatsOptions {
  /** `nats://host:4222`, several with commas, with user and password or token where needed. */
  readonly url: string
  /** Path of a credentials file; null = what the address says. */
  readonly credsFile: string | null
  /** Shown in NATS's own list of connections, such as `tollgate relay`. */
  readonly name: string
  readonly logger: BusLogger
  /** Ends the waiting for a server at the start, which then fails with the signal's reason. */
  readonly signal?: AbortSignal
}

/** One connection to NATS that is kept for the life of the process. */
export interface NatsLink {
  readonly client: NatsConnection
  readonly logger: BusLogger
  isConnected(): boolean
  /** Null while connected, else why not, fit for an operator. */
  readinessProblem(): string | null
  /** Called after each reconnect; answers how to stop that. */
  onReconnect(listener: () => void): () => void
  /** Called whenever the connection is lost; answers how to stop that. */
  onDisconnect(listener: () => void): () => void
  /** Sends what is buffered, within two seconds, and closes. */
  close(): Promise<void>
}

/** Connects, waiting and saying so while there is no server; afterwards reconnects for ever by itself. */
export async function openNats(options: NatsOptions): Promise<NatsLink> {
  const { logger } = options
  const client = await connectPatiently(options)
  const listeners = { reconnect: new Set<() => void>(), disconnect: new Set<() => void>() }
  let isConnected = true
  const server = (): string => client.getServer()
  const changes: Readonly<Record<string, () => void>> = {
    [Events.Disconnect]: () => {
      isConnected = false
      logger.warn({ server: server() }, 'the connection to NATS is lost, reconnecting')
      for (const listener of listeners.disconnect) listener()
    },
    [Events.Reconnect]: () => {
      isConnected = true
      logger.info({ server: server() }, 'connected to NATS again')
      for (const listener of listeners.reconnect) listener()
    },
    [Events.LDM]: () => logger.info({ server: server() }, 'this NATS server is about to shut down'),
  }
  void follow(client.status(), (status) => {
    if (status.type === Events.Error) logger.warn({ status: status.data }, 'NATS reports an error')
    changes[status.type]?.()
  })
  return {
    client,
    logger,
    isConnected: () => isConnected && !client.isClosed(),
    readinessProblem: () => (isConnected && !client.isClosed() ? null : 'NATS does not answer'),
    onReconnect: (listener) => added(listeners.reconnect, listener),
    onDisconnect: (listener) => added(listeners.disconnect, listener),
    close: () => closeBounded(client, () => isConnected),
  }
}

async function connectPatiently(options: NatsOptions): Promise<NatsConnection> {
  const { url, logger, signal = new AbortController().signal } = options
  const { servers } = serverAddresses(url)
  let told = ''
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted()
    try {
      const client = await connect(await connectionOptions(options))
      logger.info(
        { server: client.getServer(), version: client.info?.version },
        'connected to NATS',
      )
      return client
    } catch (error) {
      const reason = messageOf(error)
      if (reason !== told) {
        const advice = 'trying again until it does (NATS_URL, NATS_CREDS)'
        logger.warn({ servers, reason }, `NATS does not let this process in, ${advice}`)
      }
      told = reason
      await pause(backOffMs(failures), signal)
    }
  }
}

async function connectionOptions(options: NatsOptions): Promise<ConnectionOptions> {
  const { servers, user, password, token, isEncrypted } = serverAddresses(options.url)
  const { name, credsFile } = options
  return {
    servers: [...servers],
    name,
    ...(user === null ? {} : { user }),
    ...(password === null ? {} : { pass: password }),
    ...(token === null ? {} : { token }),
    ...(isEncrypted ? { tls: {} } : {}),
    ...(credsFile === null ? {} : { authenticator: credsAuthenticator(await readFile(credsFile)) }),
    timeout: DIAL_MS,
    reconnectTimeWait: REDIAL_MS,
    maxReconnectAttempts: -1,
    // Rights that are being changed on the server must not end the process's only connection.
    ignoreAuthErrorAbort: true,
    pingInterval: PING_MS,
    maxPingOut: PINGS_UNANSWERED_MAX,
    // A stack trace for each of thousands of requests a second costs more than the request.
    noAsyncTraces: true,
  }
}

async function follow(
  statuses: AsyncIterable<Status>,
  take: (status: Status) => void,
): Promise<void> {
  for await (const status of statuses) take(status)
}

function added(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

async function closeBounded(client: NatsConnection, isConnected: () => boolean): Promise<void> {
  if (client.isClosed()) return
  const over = new AbortController()
  if (isConnected() && !client.isDraining()) {
    await Promise.race([client.drain(), pause(DRAIN_MS, over.signal)])
    over.abort()
  }
  await client.close()
}
