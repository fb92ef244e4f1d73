import { readModels } from '@tollgate/projections/read-models.ts'
import { startClockWatch } from './engines/watch-clock.ts'
import { createHttpServer } from '../http/server.ts'
import { composeApi } from './composition/compose-api.ts'
import { openBus } from './composition/compose-bus.ts'
import type { Config } from './config.ts'
import { CONSOLE_FOLDER } from './console-folder.ts'
import { remoteProjections } from './projectors/remote-projections.ts'
import { CONNECTIONS, closeOnceOpen, openEngines } from './engines/engines.ts'
import { holdDatabase } from './engines/hold-database.ts'
import { composeIdentity } from './composition/compose-identity.ts'
import { composeGlobalLimits } from './composition/global-limits.ts'
import { closeHttp, listen, readinessOf } from './listen.ts'
import { type Opening, openInOrder } from './opening.ts'
import { poisonOf, together, warningOf, readinessProblem } from './engines/readiness.ts'
import type { RunningProcess } from './run-process.ts'
import { withSharedEngines } from './engines/shared-engines.ts'
import { composeSharedLedger } from './composition/shared-ledger.ts'
import { shareWorkOver } from './sharing.ts'
import { databaseProbe, logWriteProbe } from './engines/engine-probe.ts'
import { watchReadModelsWithoutProjector } from './engines/read-model-watch.ts'
import { composeUploads } from './composition/uploads.ts'
import { openUpstreams } from './composition/upstreams.ts'
import { watchLog } from './engines/watched-log.ts'
import type { Runtime } from './runtime.ts'

/**
 * One of several processes that serve the console and its calls and own a share of the accounts: they decide what
 * relays and people ask for, and append what relays publish.
 */
export function startApi(config: Config, runtime: Runtime): Promise<RunningProcess> {
  return openInOrder(runtime, (opening) => openApiProcess(config, runtime, opening))
}

async function openApiProcess(
  given: Config,
  runtime: Runtime,
  opening: Opening,
): Promise<RunningProcess> {
  const config = withSharedEngines(given)
  const { clock, logger } = runtime
  let isStopping = false
  const enginesOpen = openEngines(config, runtime, CONNECTIONS.api)
  opening.opened(['PostgreSQL and event log', () => closeOnceOpen(enginesOpen)])
  const opened = await enginesOpen
  const database = await holdDatabase(config, runtime, opened, opening)
  const log = await watchLog(runtime, opened, 'writes')
  opening.opened(['watch of the log', () => log.stop()])
  const { engines } = log
  const bus = await openBus(config, runtime, 'tollgate api')
  opening.opened(['NATS', () => bus.close()])
  const marks = await log.exchange(bus.link)
  opening.opened(['exchange about the log', async () => marks.stop()])
  const identity = await composeIdentity(config, runtime, engines)
  opening.opened(['identity', () => identity.stop()])
  const upstreams = openUpstreams(identity)
  opening.opened(['upstream connections', () => upstreams.close()])
  const shareWork = shareWorkOver(runtime, engines)
  const ledger = composeSharedLedger(runtime, log, bus, shareWork)
  opening.opened(['ledger', () => ledger.stop()])
  const projections = remoteProjections(engines.pool, clock, logger)
  opening.opened(['read models', () => projections.stop()])
  await projections.start()
  const { pool, store } = engines
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
  const clocks = await startClockWatch(engines.pool, runtime)
  opening.opened(['watch of clocks', () => clocks.stop()])
  const eventLog = logWriteProbe(engines.store, runtime)
  const postgres = databaseProbe(engines.pool, runtime)
  const uploads = composeUploads(config)
  const http = await createHttpServer({
    logger,
    trustedProxies: config.trustedProxies,
    limits: composeGlobalLimits(config, runtime, engines, identity),
    consoleFolder: CONSOLE_FOLDER,
    api: { ...console.api, uploads },
    registerRelay: null,
    warning: () =>
      together(
        engines.store.readProblem(),
        engines.store.foreignProblem(),
        console.ledgerWarning(),
        poisonOf(projections.status()),
        withoutProjector.warning(),
        warningOf(0, console.stuckProcesses()),
      ),
    readinessProblem: () =>
      readinessProblem([
        () => (isStopping ? 'the API is stopping' : null),
        () => database.readinessProblem(),
        () => clocks.problem(),
        eventLog,
        () => log.readinessProblem(),
        postgres,
        () => identity.readinessProblem(),
        () => ledger.access.readinessProblem(),
      ]),
  })
  opening.opened(['HTTP', () => closeHttp(http)])
  return {
    url: await listen(http, config),
    readinessProblem: readinessOf(http),
    mustEnd: Promise.race([database.mustEnd, log.mustEnd]),
    stop() {
      isStopping = true
      return opening.close()
    },
  }
}
