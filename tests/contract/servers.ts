import { logVerbosity, setLogVerbosity } from '@grpc/grpc-js'
import { getContainerRuntimeClient, GenericContainer, Wait } from 'testcontainers'
import { openEventStoreDb } from '@tollgate/infra/event-store/eventstoredb/store.ts'
import type { AuditableEventStore } from '@tollgate/infra/event-store/auditable-store.ts'
import { openPostgresEventStore } from '@tollgate/infra/event-store/postgres/store.ts'
import { UPCASTERS, type Upcasters } from '@tollgate/infra/event-store/upcasters.ts'
import { openPool } from '@tollgate/infra/postgres/pool.ts'
import { addressByPort } from '@tollgate/infra/postgres/socket-folder.ts'
import { systemClock } from '@tollgate/infra/processes/runtime.ts'
import { createMigratedDatabase } from '../support/engines/database.ts'
import { startDoubleCluster } from '../support/engines/eventstoredb-double/cluster.ts'
import { type Door, openDoor, openProxyDoor } from '../support/engines/eventstoredb-double/door.ts'
import { startEventStoreDbDouble } from '../support/engines/eventstoredb-double/double.ts'

/** One server that the contract is checked against. Every connection to it goes through a door that can be shut. */
export interface ContractServer {
  /** Where it came from, such as `EVENTSTORE_URL` or `the protocol double`. */
  readonly origin: string
  readonly door: Door
  /** A store of its own, as another process would have; with upcasters of its own, as a newer version would have. */
  openStore(upcasters?: Upcasters): AuditableEventStore
  stop(): Promise<void>
}

/** Short, as the tests cut connections; no test waits for it otherwise. */
const APPEND_TIMEOUT_MS = 1_000
/** The image that the contract is checked against where Docker is there, and that infra/deploy/compose.yaml starts. */
export const EVENTSTORE_IMAGE = 'eventstore/eventstore:23.10.0-bookworm-slim'
const CONTAINER_START_MS = 90_000

const clock = systemClock
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** PostgreSQL is always there. */
export async function postgresServer(): Promise<ContractServer> {
  const database = await createMigratedDatabase()
  const url = new URL(addressByPort(database.url))
  const door = await openDoor(Number(url.port), url.hostname)
  url.hostname = '127.0.0.1'
  url.port = String(door.port)
  const closings: Array<() => Promise<void>> = []
  return {
    origin: 'embedded',
    door,
    openStore(upcasters = UPCASTERS) {
      const pool = openPool(url.href, { max: 4, applicationName: 'contract' })
      const store = openPostgresEventStore({
        pool,
        databaseUrl: url.href,
        logger: silent,
        clock,
        upcasters,
        appendTimeoutMs: APPEND_TIMEOUT_MS,
      })
      closings.push(() => pool.end())
      return store
    },
    async stop() {
      for (const close of closings) await close()
      await door.shut()
      await database.drop()
    },
  }
}

/** The first that is there: EVENTSTORE_URL, a container, the protocol double. */
export async function eventStoreDbServer(): Promise<ContractServer> {
  const given = process.env['EVENTSTORE_URL']
  if (given !== undefined && given !== '') return behindDoor('EVENTSTORE_URL', given)
  const container = await startContainer()
  if (typeof container !== 'string') {
    const server = await behindDoor('a container', container.url)
    return {
      ...server,
      stop: () => Promise.all([server.stop(), container.stop()]).then(() => undefined),
    }
  }
  const double = await startEventStoreDbDouble()
  const server = await behindDoor(`the protocol double, ${container}`, double.connectionString)
  return {
    ...server,
    stop: () => Promise.all([server.stop(), double.close()]).then(() => undefined),
  }
}

/** A cluster of the protocol double, at the address of a node that follows and hears of nothing new. */
export async function followerServer(): Promise<ContractServer> {
  const cluster = await startDoubleCluster()
  const follower = cluster.nodes.find((node) => node !== cluster.leader)
  const server = await behindDoor('a node that follows', `esdb://${follower?.host}?tls=false`)
  return {
    ...server,
    stop: () => Promise.all([server.stop(), cluster.close()]).then(() => undefined),
  }
}

/** The door is a proxy that gRPC asks for every connection, so that users, TLS and clusters stay as they are given. */
async function behindDoor(origin: string, connectionString: string): Promise<ContractServer> {
  const door = await openProxyDoor()
  const proxied = { grpc_proxy: `http://127.0.0.1:${door.port}`, no_grpc_proxy: 'nobody.invalid' }
  Object.assign(process.env, proxied)
  // It prints each connection that a shut door refuses.
  setLogVerbosity(logVerbosity.NONE)
  return {
    origin,
    door,
    openStore: (upcasters = UPCASTERS) =>
      openEventStoreDb({
        connectionString,
        logger: silent,
        clock,
        upcasters,
        appendTimeoutMs: APPEND_TIMEOUT_MS,
      }),
    async stop() {
      for (const name of Object.keys(proxied)) delete process.env[name]
      await door.shut()
    },
  }
}

/** A running container, or why there is none. */
async function startContainer(): Promise<string | { url: string; stop(): Promise<void> }> {
  try {
    await getContainerRuntimeClient()
  } catch {
    return 'as no Docker engine answers'
  }
  try {
    const container = await new GenericContainer(EVENTSTORE_IMAGE)
      .withEnvironment({ EVENTSTORE_INSECURE: 'true', EVENTSTORE_RUN_PROJECTIONS: 'None' })
      .withExposedPorts(2113)
      .withWaitStrategy(Wait.forHttp('/health/live', 2113).forStatusCode(204))
      .withStartupTimeout(CONTAINER_START_MS)
      .start()
    return {
      url: `esdb://${container.getHost()}:${container.getMappedPort(2113)}?tls=false`,
      stop: () => container.stop().then(() => undefined),
    }
  } catch (error) {
    return `as the container did not start (${error instanceof Error ? error.message : String(error)})`
  }
}
