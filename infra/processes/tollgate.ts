import { relayId } from '@tollgate/domain/ids.ts'
import { startClockWatch } from './engines/watch-clock.ts'
import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import { readModels } from '@tollgate/projections/read-models.ts'
import type { ProjectionRunner } from '@tollgate/projections/runner/runner.ts'
import type { FastifyInstance } from 'fastify'
import { createHttpServer } from '../http/server.ts'
import { singletonLease } from '../leases/singleton-lease.ts'
import { composeApi } from './composition/compose-api.ts'
import { STOP_GRACE_MS, STOP_HOLDS_MS, STOP_REQUESTS_MS } from './bounds.ts'
import { type Bus, openBus } from './composition/compose-bus.ts'
import { type Config, ConfigInvalid } from './config.ts'
import { CONSOLE_FOLDER } from './console-folder.ts'
import { type Engines, closeOnceOpen, openEngines } from './engines/engines.ts'
import { holdDatabase } from './engines/hold-database.ts'
import { closeHoldsOfFormerRuns } from './composition/former-holds.ts'
import { composeIdentity, type Identity } from './composition/compose-identity.ts'
import { composeGlobalLimits } from './composition/global-limits.ts'
import { composeLedger, type LedgerAccess } from './composition/compose-ledger.ts'
import { masterKey } from './master-key.ts'
import { closeHttp, listen, readinessOf } from './listen.ts'
import { type Opening, openInOrder } from './opening.ts'
import { poisonOf, together, warningOf, readinessProblem } from './engines/readiness.ts'
import { composeRelay } from './composition/compose-relay.ts'
import { composeSpool } from './composition/charge-spool.ts'
import { composeSharedLedger } from './composition/shared-ledger.ts'
import { shareWorkOver } from './sharing.ts'
import { journalWriteProbe, logWriteProbe } from './engines/engine-probe.ts'
import { threadedProjections } from './projectors/threaded-projections.ts'
import { watchReadModelsWithoutProjector } from './engines/read-model-watch.ts'
import { composeUploads } from './composition/uploads.ts'
import { openUpstreams } from './composition/upstreams.ts'
import type { Repeating } from './timers/repeating.ts'
import { watchLog } from './engines/watched-log.ts'
import type { Runtime } from './runtime.ts'

/** All of Tollgate in one process, running. */
export interface Tollgate {
  readonly url: string
  readonly engines: Engines
  readonly identity: Identity
  readonly projections: ProjectionRunner
  /** How a relay reaches the owners of accounts. */
  readonly ledger: LedgerAccess
  /** Routes of the console API. */
  readonly routes: readonly ApiRoute[]
  readonly http: FastifyInstance
  /** Null when it is ready, else why not. */
  readinessProblem(): Promise<string | null>
  /** Resolves when a Tollgate in another mode has taken this one for dead and works on its database. */
  readonly mustEnd: Promise<Error>
  /** Ends streams, settles, gives holds back and closes the engines, within a bound. */
  stop(): Promise<void>
}

const WORKERS_NEED_RELAYS =
  'RELAY_WORKERS is for relay processes (npm run start:relay): all in one process has one relay. Example: RELAY_WORKERS=1'

/** Composes and starts everything; resolves when it listens. */
export async function startTollgate(config: Config, runtime: Runtime): Promise<Tollgate> {
  if (config.relayWorkers > 1) throw new ConfigInvalid([WORKERS_NEED_RELAYS])
  return openInOrder(runtime, (opening) => openTollgate(config, runtime, opening))
}

async function openTollgate(config: Config, runtime: Runtime, opening: Opening): Promise<Tollgate> {
  let isStopping = false
  const startedAt = runtime.clock.now()
  const enginesOpen = openEngines(config, runtime)
  opening.opened(['PostgreSQL and event log', () => closeOnceOpen(enginesOpen)])
  const opened = await enginesOpen
  const database = await holdDatabase(config, runtime, opened, opening)
  const log = await watchLog(runtime, opened, 'writes')
  opening.opened(['watch of the log', () => log.stop()])
  const { engines } = log
  const identity = await composeIdentity(config, runtime, engines)
  opening.opened(['identity', () => identity.stop()])
  const upstreams = openUpstreams(identity)
  opening.opened(['upstream connections', () => upstreams.close()])
  const { clock, logger } = runtime
  const bus = await busOf(config, runtime)
  opening.opened(['NATS', async () => bus?.close()])
  const marks = bus === null ? null : await log.exchange(bus.link)
  opening.opened(['exchange about the log', async () => marks?.stop()])
  const shareWork = bus === null ? singletonLease(clock) : shareWorkOver(runtime, engines)
  const ledger =
    bus === null ? composeLedger(runtime, log) : composeSharedLedger(runtime, log, bus, shareWork)
  let sweeping: Repeating | null = null
  // The sweep ends once the ledger knows that it is stopping.
  opening.opened(['ledger', () => ledger.stop()], ['sweep of holds', () => stopIfAny(sweeping)])
  const projections = threadedProjections({
    config: {
      databaseUrl: engines.databaseUrl,
      eventStoreUrl: config.eventStoreUrl,
      log: log.watch.log,
      member: bus === null ? null : runtime.randomness.uuid(),
    },
    pool: engines.pool,
    clock,
    logger,
  })
  opening.opened(['read models', () => projections.stop()])
  await projections.start()
  const { pool, db, store } = engines
  const withoutProjector = watchReadModelsWithoutProjector({
    pool,
    store,
    models: readModels,
    logger,
  })
  opening.opened(['watch of read models', () => withoutProjector.stop()])
  const parts = { engines, identity, ledger, projections, shareWork, upstreams }
  const console = await composeApi(config, runtime, parts)
  opening.opened(...console.stopSteps)
  // Before their holds are closed, so that charges of a former run are paid by them.
  const spooling = await composeSpool(config, runtime, ledger.access)
  opening.opened(['spool', () => spooling.stop()])
  const relay = relayId(runtime.randomness.uuid())
  sweeping =
    bus === null
      ? await closeHoldsOfFormerRuns(
          { run: { relay, startedAt }, store, reads: db, holds: ledger.holds, projections },
          runtime,
        )
      : null
  // A process that was told to stop meanwhile has found no sweep to end.
  if (runtime.stopping?.aborted === true) await stopIfAny(sweeping)
  const relaying = await composeRelay(config, runtime, {
    relay,
    engines,
    identity,
    access: ledger.access,
    spool: spooling.spool,
    readModels: projections,
    upstreams,
    log: log.watch,
  })
  opening.opened(['holds', () => relaying.stop(STOP_HOLDS_MS)])
  const clocks = await startClockWatch(engines.pool, runtime)
  opening.opened(['watch of clocks', () => clocks.stop()])
  const uploads = composeUploads(config)
  const eventLog = logWriteProbe(engines.store, runtime)
  const disk = config.databaseUrl === null ? spooling.spoolProblem : isWell
  const journal = bus === null ? isWell : journalWriteProbe(bus.usage, runtime)
  const http = await createHttpServer({
    logger: runtime.logger,
    trustedProxies: config.trustedProxies,
    limits: composeGlobalLimits(config, runtime, engines, identity),
    consoleFolder: CONSOLE_FOLDER,
    api: { ...console.api, uploads },
    registerRelay: (app) => relaying.register(app, uploads),
    warning: () =>
      together(
        engines.store.readProblem(),
        engines.store.foreignProblem(),
        console.ledgerWarning(),
        spooling.warning(),
        withoutProjector.warning(),
        warningOf(relaying.lostCharges(), console.stuckProcesses()),
      ),
    readinessProblem: () =>
      readinessProblem([
        () => (isStopping ? 'Tollgate is stopping' : null),
        () => database.readinessProblem(),
        () => engines.readinessProblem(),
        () => clocks.problem(),
        eventLog,
        disk,
        journal,
        () => log.readinessProblem(),
        () => projections.readinessProblem(),
        () => poisonOf(projections.status()),
        () => identity.readinessProblem(),
        () => relaying.readinessProblem(),
      ]),
  })
  opening.opened(['HTTP', () => closeHttp(http)])
  return {
    url: await listen(http, config),
    readinessProblem: readinessOf(http),
    engines,
    identity,
    projections,
    ledger: ledger.access,
    routes: console.routes,
    http,
    mustEnd: Promise.race([database.mustEnd, log.mustEnd]),
    stop() {
      isStopping = true
      return opening.close([
        ['requests', () => relaying.endRequests(STOP_GRACE_MS, STOP_REQUESTS_MS)],
      ])
    },
  }
}

const isWell = (): null => null

const stopIfAny = async (running: { stop(): Promise<void> } | null): Promise<void> =>
  running?.stop()

/** The bus when there is one: then this process shares ledger and read models with others of any kind. */
async function busOf(config: Config, runtime: Runtime): Promise<Bus | null> {
  const { natsUrl, dataDir } = config
  if (natsUrl === null) return null
  const key = await masterKey(config.masterKey, dataDir)
  return openBus({ ...config, natsUrl, masterKey: key }, runtime, 'tollgate')
}
