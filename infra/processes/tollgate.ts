import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type RelayId, relayId } from '@tollgate/domain/ids.ts'
import { makeDispatchers } from '@tollgate/relay/upstream/dispatchers.ts'
import type { FastifyInstance } from 'fastify'
import { createHttpServer } from '../http/server.ts'
import type { Config } from './config.ts'
import { type Engines, openEngines } from './engines.ts'
import { composeIdentity, type Identity } from './identity.ts'
import { composeLedger, type LedgerSide } from './ledger-side.ts'
import { composeReadSide, type ReadSide } from './read-side.ts'
import { composeRelaySide, type RelaySide } from './relay-side.ts'
import { closeFormerHolds } from './former-holds.ts'
import { warningOf, whyNotReady } from './readiness.ts'
import { storeProbe } from './store-probe.ts'
import { type Repeating, repeating } from './repeating.ts'
import type { World } from './world.ts'
import { composeWriteSide, type WriteSide } from './write-side.ts'

/** All of Tollgate in one process, running. */
export interface Tollgate {
  readonly url: string
  readonly engines: Engines
  readonly identity: Identity
  readonly ledger: LedgerSide
  readonly writing: WriteSide
  readonly reading: ReadSide
  readonly relaying: RelaySide
  readonly http: FastifyInstance
  /** Ends streams, settles, gives holds back and closes the engines, within a bound. */
  stop(): Promise<void>
}

/** How long a read waits for its caller's own writes to arrive in the read models. */
const OWN_WRITES_MS = 2_000
/** How long requests under way get to finish by themselves before they are ended. */
const STOP_GRACE_MS = 5_000
/** How long requests that were ended may take until they are charged. */
const STOP_REQUESTS_MS = 5_000
/** How long connections may take to close; a client that does not read its answer's end is not waited for. */
const STOP_HTTP_MS = 2_000
/** How long holds may take to come back when stopping; what is left is closed at the next start. */
const STOP_HOLDS_MS = 5_000
/** How long the balances may take at start-up until the holds of former runs are looked for; the sweep finds the rest. */
const CATCH_UP_MS = 60_000
/** How often holds of former runs are looked for, and how old they must be: what is younger may be news in transit. */
const FORMER_HOLDS_MS = 60_000
/** How long `stop` may take in all: the bounds of its steps and some for closing the engines. */
export const STOP_MS = 28_000
/** Making a connection to upstream, TLS included (decision 13). */
const UPSTREAM_CONNECT_MS = 10_000
const CONSOLE_FOLDER = fileURLToPath(new URL('../../console/dist', import.meta.url))

/** Composes and starts everything; resolves when it listens. */
export async function startTollgate(config: Config, world: World): Promise<Tollgate> {
  let isStopping = false
  const engines = await openEngines(config, world)
  const dispatchers = makeDispatchers(UPSTREAM_CONNECT_MS)
  const identity = await composeIdentity(config, world, engines)
  const ledger = composeLedger(world, engines)
  const writing = composeWriteSide(world, engines, identity, ledger, dispatchers)
  const reading = await composeReadSide(config, world, engines, identity)
  const relay = relayId(world.randomness.uuid())
  const sweeping = await closeHoldsOfFormerRuns(relay, world, engines, ledger, reading)
  const relaying = await composeRelaySide(
    relay,
    config,
    world,
    engines,
    identity,
    ledger.access,
    reading.runner,
    dispatchers,
  )
  const eventLog = storeProbe(engines.store, world.clock)
  const http = await createHttpServer({
    logger: world.logger,
    trustedProxies: config.trustedProxies,
    consoleFolder: CONSOLE_FOLDER,
    api: {
      routes: [...writing.routes, ...reading.routes],
      authenticate: identity.authenticate,
      rememberWrite: (caller, position) => identity.rememberWrite(caller, position),
      waitForReadModels: async (names, position) => {
        await reading.runner.waitFor(names, position, OWN_WRITES_MS)
      },
      criticalLimit: writing.criticalLimit,
      isDemoSite: () => identity.options.current().flag('DemoSiteEnabled'),
    },
    registerRelay: (app) => relaying.register(app),
    warning: () => warningOf(relaying.lostCharges()),
    whyNotReady: () =>
      whyNotReady({
        isStopping: () => isStopping,
        engines: () => engines.whyNotReady(),
        eventLog,
        projections: () => reading.runner.status(),
        projectors: () => reading.whyNotReady(),
        relay: () => relaying.whyNotReady(),
      }),
  })
  await http.listen({ host: config.host, port: config.port })
  const { port } = http.server.address() as AddressInfo
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  return {
    url: `http://${host}:${port}`,
    engines,
    identity,
    ledger,
    writing,
    reading,
    relaying,
    http,
    stop() {
      isStopping = true
      return inOrder(world.logger, [
        ['requests', () => relaying.endRequests(STOP_GRACE_MS, STOP_REQUESTS_MS)],
        ['HTTP', () => closeHttp(http)],
        ['holds', () => relaying.stop(STOP_HOLDS_MS)],
        ['sweep of holds', () => sweeping.stop()],
        ['read models', () => reading.stop()],
        ['commands', () => writing.stop()],
        ['ledger', () => ledger.stop()],
        ['identity', () => identity.stop()],
        ['upstream connections', () => dispatchers.close()],
        ['PostgreSQL and event log', () => engines.close()],
      ])
    },
  }
}

/** Closes the server, and the connections that are still there after a while. */
async function closeHttp(http: FastifyInstance): Promise<void> {
  const late = setTimeout(() => http.server.closeAllConnections(), STOP_HTTP_MS)
  await http.close().finally(() => clearTimeout(late))
}

/** Runs every step even when one fails, so that nothing is left running; then throws what failed. */
async function inOrder(
  logger: World['logger'],
  steps: ReadonlyArray<readonly [what: string, step: () => Promise<unknown>]>,
): Promise<void> {
  const failures: unknown[] = []
  for (const [what, step] of steps) {
    try {
      await step()
    } catch (err) {
      logger.error({ err }, `stopping failed: ${what}`)
      failures.push(err)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Tollgate did not stop cleanly')
}

/**
 * Closes what former runs left behind, now and every minute: a read model that lags or a log that is away when Tollgate
 * starts must not keep quota reserved until the next start.
 */
async function closeHoldsOfFormerRuns(
  relay: RelayId,
  { clock, logger }: World,
  { store, pool }: Engines,
  { holds }: LedgerSide,
  { runner }: ReadSide,
): Promise<Repeating> {
  const close = async (grantedBefore: number | null): Promise<void> => {
    const closed = await closeFormerHolds({
      pool,
      relay,
      grantedBefore,
      close: (page) => holds.closeHoldsOfFormerRuns(page),
    })
    if (closed > 0) logger.info({ closed }, 'closed the holds of a former run')
  }
  const isCaughtUp = await runner.waitFor(['balances'], await store.headPosition(), CATCH_UP_MS)
  if (!isCaughtUp) {
    logger.warn(
      { projector: 'balances', waitedMs: CATCH_UP_MS },
      'the balances have not caught up: holds of a former run stay reserved until they have; see: npm run projections -- status',
    )
  }
  await close(null)
  return repeating(
    FORMER_HOLDS_MS,
    () => close(clock.now() - FORMER_HOLDS_MS),
    (err) => logger.warn({ err }, 'holds of a former run were not looked for'),
  )
}
