import { readModels } from '@tollgate/projections/read-models.ts'
import { createHttpServer } from '../http/server.ts'
import type { Config } from './config.ts'
import { CONNECTIONS, closeOnceOpen, openEngines } from './engines/engines.ts'
import { holdDatabase } from './engines/hold-database.ts'
import { NO_LIMITS } from './composition/global-limits.ts'
import { closeHttp, listen, readinessOf } from './listen.ts'
import { type Opening, openInOrder } from './opening.ts'
import { composeProjector } from './projectors/compose-projector.ts'
import { poisonOf, together, readinessProblem } from './engines/readiness.ts'
import type { RunningProcess } from './run-process.ts'
import { withSharedEngines } from './engines/shared-engines.ts'
import { databaseProbe, storeProbe } from './engines/engine-probe.ts'
import { watchReadModelsWithoutProjector } from './engines/read-model-watch.ts'
import { watchLog } from './engines/watched-log.ts'
import type { Runtime } from './runtime.ts'

/** One of several processes that feed the read models; it answers nothing but whether it is well. */
export function startProjector(config: Config, runtime: Runtime): Promise<RunningProcess> {
  return openInOrder(runtime, (opening) => openProjector(config, runtime, opening))
}

async function openProjector(
  given: Config,
  runtime: Runtime,
  opening: Opening,
): Promise<RunningProcess> {
  const config = withSharedEngines(given)
  const { clock, logger } = runtime
  let isStopping = false
  const enginesOpen = openEngines(config, runtime, CONNECTIONS.others)
  opening.opened(['PostgreSQL and event log', () => closeOnceOpen(enginesOpen)])
  const engines = await enginesOpen
  const database = await holdDatabase(config, runtime, engines, opening)
  // Where a log was put back, what projectors have in memory is of its lost past: they begin anew like all others.
  const log = await watchLog(runtime, engines, 'follows')
  opening.opened(['watch of the log', () => log.stop()])
  const projecting = await composeProjector(
    {
      databaseUrl: engines.databaseUrl,
      eventStoreUrl: config.eventStoreUrl,
      log: log.watch.log,
      member: runtime.randomness.uuid(),
    },
    { clock, logger },
  )
  opening.opened(['read models', () => projecting.stop()])
  const { pool, store } = engines
  const withoutProjector = watchReadModelsWithoutProjector({
    pool,
    store,
    models: readModels,
    logger,
  })
  opening.opened(['watch of read models', () => withoutProjector.stop()])
  const eventLog = storeProbe(engines.store, runtime)
  const postgres = databaseProbe(engines.pool, runtime)
  const http = await createHttpServer({
    logger,
    trustedProxies: config.trustedProxies,
    limits: NO_LIMITS,
    api: null,
    registerRelay: null,
    consoleFolder: null,
    warning: () =>
      together(
        engines.store.readProblem(),
        engines.store.foreignProblem(),
        withoutProjector.warning(),
      ),
    readinessProblem: () =>
      readinessProblem([
        () => (isStopping ? 'the projector is stopping' : null),
        () => database.readinessProblem(),
        eventLog,
        () => log.readinessProblem(),
        postgres,
        () => poisonOf(projecting.runner.status()),
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
