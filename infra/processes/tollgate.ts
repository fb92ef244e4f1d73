import { type OpenHoldsPage, sweepOpenHolds } from '@tollgate/command-api/ledger/partition-sweep.ts'
import { PARTITIONS } from '@tollgate/domain/account/partition.ts'
import { relayId } from '@tollgate/domain/ids.ts'
import type { ApiRoute } from '@tollgate/domain/ports/api-route.ts'
import { openHoldsOfPartitions } from '@tollgate/projections/balances/queries.ts'
import type { ProjectionRunner } from '@tollgate/projections/runner/runner.ts'
import { makeDispatchers } from '@tollgate/relay/upstream/dispatchers.ts'
import type { FastifyInstance } from 'fastify'
import { createHttpServer } from '../http/server.ts'
import { aloneWith } from '../leases/alone.ts'
import { composeApi } from './api-side.ts'
import { STOP_GRACE_MS, STOP_HOLDS_MS, STOP_REQUESTS_MS, UPSTREAM_CONNECT_MS } from './bounds.ts'
import type { Config } from './config.ts'
import { CONSOLE_FOLDER } from './console-folder.ts'
import { type Engines, openEngines } from './engines.ts'
import { closeFormerHolds } from './former-holds.ts'
import { composeIdentity, type Identity } from './identity.ts'
import { inOrder } from './in-order.ts'
import { composeLedger, type LedgerSide } from './ledger-side.ts'
import { closeHttp, listen } from './listen.ts'
import { poisonOf, warningOf, whyNotReady } from './readiness.ts'
import { composeRelaySide } from './relay-side.ts'
import { type Repeating, repeating } from './repeating.ts'
import { storeProbe } from './store-probe.ts'
import { threadedProjections } from './threaded-projections.ts'
import type { World } from './world.ts'

/** All of Tollgate in one process, running. */
export interface Tollgate {
  readonly url: string
  readonly engines: Engines
  readonly identity: Identity
  readonly projections: ProjectionRunner
  /** Of the console API. */
  readonly routes: readonly ApiRoute[]
  readonly http: FastifyInstance
  /** Ends streams, settles, gives holds back and closes the engines, within a bound. */
  stop(): Promise<void>
}

/** How long the balances may take at start-up until the holds of former runs are looked for; the sweep finds the rest. */
const CATCH_UP_MS = 60_000
/** How often holds of former runs are looked for. */
const FORMER_HOLDS_MS = 60_000
const ALL_PARTITIONS = Array.from({ length: PARTITIONS }, (_, partition) => partition)

/** Composes and starts everything; resolves when it listens. */
export async function startTollgate(config: Config, world: World): Promise<Tollgate> {
  let isStopping = false
  const startedAt = world.clock.now()
  const engines = await openEngines(config, world)
  const dispatchers = makeDispatchers(UPSTREAM_CONNECT_MS)
  const identity = await composeIdentity(config, world, engines)
  const ledger = composeLedger(world, engines)
  const projections = threadedProjections({
    config: { databaseUrl: engines.databaseUrl, eventStoreUrl: config.eventStoreUrl },
    pool: engines.pool,
    clock: world.clock,
    logger: world.logger,
  })
  await projections.start()
  const shareWork = aloneWith(world.clock)
  const parts = { engines, identity, ledger, projections, shareWork, dispatchers }
  const console = await composeApi(config, world, parts)
  const relay = relayId(world.randomness.uuid())
  const sweeping = await closeHoldsOfFormerRuns(startedAt, world, engines, ledger, projections)
  const relaying = await composeRelaySide(
    relay,
    config,
    world,
    engines,
    identity,
    ledger.access,
    projections,
    dispatchers,
  )
  const eventLog = storeProbe(engines.store, world.clock)
  const http = await createHttpServer({
    logger: world.logger,
    trustedProxies: config.trustedProxies,
    consoleFolder: CONSOLE_FOLDER,
    api: console.api,
    registerRelay: (app) => relaying.register(app),
    warning: () => warningOf(relaying.lostCharges(), console.stuckProcesses()),
    whyNotReady: () =>
      whyNotReady([
        () => (isStopping ? 'Tollgate is stopping' : null),
        () => engines.whyNotReady(),
        eventLog,
        () => projections.whyNotReady(),
        () => poisonOf(projections.status()),
        () => relaying.whyNotReady(),
      ]),
  })
  return {
    url: await listen(http, config),
    engines,
    identity,
    projections,
    routes: console.routes,
    http,
    stop() {
      isStopping = true
      return inOrder(world.logger, [
        ['requests', () => relaying.endRequests(STOP_GRACE_MS, STOP_REQUESTS_MS)],
        ['HTTP', () => closeHttp(http)],
        ['holds', () => relaying.stop(STOP_HOLDS_MS)],
        ['sweep of holds', () => sweeping.stop()],
        ['read models', () => projections.stop()],
        ...console.stopSteps,
        ['ledger', () => ledger.stop()],
        ['identity', () => identity.stop()],
        ['upstream connections', () => dispatchers.close()],
        ['PostgreSQL and event log', () => engines.close()],
      ])
    },
  }
}

/**
 * Closes what former runs left behind, now and every minute: a read model that lags or a log that is away when Tollgate
 * starts must not keep quota reserved until the next start.
 */
async function closeHoldsOfFormerRuns(
  startedAt: number,
  { logger }: World,
  { store, pool }: Engines,
  { holds }: LedgerSide,
  projections: ProjectionRunner,
): Promise<Repeating> {
  const close = async (): Promise<void> => {
    const closed = await closeFormerHolds({
      pool,
      grantedBefore: startedAt,
      close: (page) => holds.closeHoldsOfFormerRuns(page),
    })
    if (closed > 0) logger.info({ closed }, 'closed the holds of a former run')
  }
  const isCaughtUp = await projections.waitFor(
    ['balances'],
    await store.headPosition(),
    CATCH_UP_MS,
  )
  if (!isCaughtUp) {
    logger.warn(
      { projector: 'balances', waitedMs: CATCH_UP_MS },
      'the balances have not caught up: holds of a former run stay reserved until they have; see: npm run projections -- status',
    )
  }
  await close()
  const openHolds: OpenHoldsPage = (asked) => openHoldsOfPartitions(pool, asked)
  return repeating(
    FORMER_HOLDS_MS,
    // A clock that was put back between the runs hides a hold from the first; silence ends it all the same.
    () => close().then(() => sweepOpenHolds(() => ALL_PARTITIONS, holds, openHolds)),
    (err) => logger.warn({ err }, 'holds of a former run were not looked for'),
  )
}
