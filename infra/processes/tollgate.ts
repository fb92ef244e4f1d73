import { relayId } from '@tollgate/domain/ids.ts'
import type { ApiRoute } from '@tollgate/domain/ports/api-route.ts'
import type { ProjectionRunner } from '@tollgate/projections/runner/runner.ts'
import type { FastifyInstance } from 'fastify'
import { createHttpServer } from '../http/server.ts'
import { aloneWith } from '../leases/alone.ts'
import { type BeingAlone, beOnlyOne } from '../leases/only-one.ts'
import { composeApi } from './sides/api-side.ts'
import { STOP_GRACE_MS, STOP_HOLDS_MS, STOP_REQUESTS_MS } from './bounds.ts'
import { type Bus, openBus } from './sides/bus.ts'
import { type Config, ConfigInvalid } from './config.ts'
import { CONSOLE_FOLDER } from './console-folder.ts'
import { type Engines, openEngines } from './engines/engines.ts'
import { closeHoldsOfFormerRuns } from './sides/former-holds.ts'
import { composeIdentity, type Identity } from './sides/identity.ts'
import { composeGlobalLimits } from './sides/global-limits.ts'
import { inOrder } from './in-order.ts'
import { composeLedger } from './sides/ledger-side.ts'
import { masterKey } from './master-key.ts'
import { closeHttp, listen } from './listen.ts'
import { poisonOf, warningOf, whyNotReady } from './engines/readiness.ts'
import { composeRelaySide } from './sides/relay-side.ts'
import { composeSharedLedger } from './sides/shared-ledger.ts'
import { shareWorkOver } from './sharing.ts'
import { storeProbe } from './engines/engine-probe.ts'
import { threadedProjections } from './projectors/threaded-projections.ts'
import { openUpstreams } from './sides/upstreams.ts'
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
  /** Resolves when another Tollgate has taken this one for dead and works on its database. */
  readonly mustEnd?: Promise<Error>
  /** Ends streams, settles, gives holds back and closes the engines, within a bound. */
  stop(): Promise<void>
}

const WORKERS_NEED_RELAYS =
  'RELAY_WORKERS is for relay processes (npm run start:relay): all in one process has one relay. Example: RELAY_WORKERS=1'

/** Composes and starts everything; resolves when it listens. */
export async function startTollgate(config: Config, world: World): Promise<Tollgate> {
  if (config.relayWorkers > 1) throw new ConfigInvalid([WORKERS_NEED_RELAYS])
  let isStopping = false
  let isReplaced = false
  const startedAt = world.clock.now()
  const engines = await openEngines(config, world)
  const identity = await composeIdentity(config, world, engines)
  const upstreams = openUpstreams(identity)
  const { clock, logger } = world
  const bus = await busOf(config, world)
  const alone = bus === null ? await aloneOn(config, world, engines) : null
  void alone?.lost.then(() => (isReplaced = true))
  const shareWork = bus === null ? aloneWith(clock) : shareWorkOver(world, engines)
  const ledger =
    bus === null
      ? composeLedger(world, engines)
      : composeSharedLedger(world, engines, bus, shareWork)
  const projections = threadedProjections({
    config: {
      databaseUrl: engines.databaseUrl,
      eventStoreUrl: config.eventStoreUrl,
      member: bus === null ? null : world.randomness.uuid(),
    },
    pool: engines.pool,
    clock,
    logger,
  })
  await projections.start()
  const parts = { engines, identity, ledger, projections, shareWork, upstreams }
  const console = await composeApi(config, world, parts)
  const relay = relayId(world.randomness.uuid())
  const sweeping =
    bus === null
      ? await closeHoldsOfFormerRuns(startedAt, world, engines, ledger.holds, projections)
      : null
  const relaying = await composeRelaySide(
    relay,
    config,
    world,
    engines,
    identity,
    ledger.access,
    projections,
    upstreams.dispatchers,
  )
  const eventLog = storeProbe(engines.store, world.clock)
  const http = await createHttpServer({
    logger: world.logger,
    trustedProxies: config.trustedProxies,
    limits: composeGlobalLimits(config, world, engines),
    consoleFolder: CONSOLE_FOLDER,
    api: console.api,
    registerRelay: (app) => relaying.register(app),
    warning: () => warningOf(relaying.lostCharges(), console.stuckProcesses()),
    whyNotReady: () =>
      whyNotReady([
        () => (isStopping ? 'Tollgate is stopping' : null),
        () => (isReplaced ? 'another Tollgate works on this database' : null),
        () => engines.whyNotReady(),
        eventLog,
        () => projections.whyNotReady(),
        () => poisonOf(projections.status()),
        () => identity.whyNotReady(),
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
    ...(alone === null ? {} : { mustEnd: alone.lost }),
    stop() {
      isStopping = true
      return inOrder(world.logger, [
        ['requests', () => relaying.endRequests(STOP_GRACE_MS, STOP_REQUESTS_MS)],
        ['HTTP', () => closeHttp(http)],
        ['holds', () => relaying.stop(STOP_HOLDS_MS)],
        ['sweep of holds', () => stopIfAny(sweeping)],
        ['read models', () => projections.stop()],
        ...console.stopSteps,
        ['ledger', () => ledger.stop()],
        ['right to be alone', () => stopIfAny(alone)],
        ['NATS', async () => bus?.close()],
        ['identity', () => identity.stop()],
        ['upstream connections', () => upstreams.dispatchers.close()],
        ['PostgreSQL and event log', () => engines.close()],
      ])
    },
  }
}

const stopIfAny = async (running: { stop(): Promise<void> } | null): Promise<void> =>
  running?.stop()

/** The bus when there is one: then this process shares ledger and read models with others of any kind. */
async function busOf(config: Config, world: World): Promise<Bus | null> {
  const { natsUrl, dataDir } = config
  if (natsUrl === null) return null
  const key = await masterKey(config.masterKey, dataDir)
  return openBus({ ...config, natsUrl, masterKey: key }, world, 'tollgate')
}

/** Without a bus nobody else may work on the database; an embedded one is locked by its data folder. */
async function aloneOn(
  { databaseUrl }: Config,
  { clock, logger, randomness }: World,
  { leases }: Engines,
): Promise<BeingAlone | null> {
  if (databaseUrl === null) return null
  const onFailure = (err: unknown): void =>
    logger.warn({ err }, 'the right to be the only one was not renewed')
  return beOnlyOne({ leases, member: randomness.uuid(), clock, onFailure })
}
