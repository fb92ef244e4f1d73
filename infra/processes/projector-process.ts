import { readModels } from '@tollgate/projections/read-models.ts'
import { createHttpServer } from '../http/server.ts'
import type { Config } from './config.ts'
import { CONNECTIONS, closeOnceOpen, openEngines } from './engines/engines.ts'
import { holdDatabase } from './engines/hold-database.ts'
import { NO_LIMITS } from './composition/global-limits.ts'
import { closeHttp, listen, readinessOf } from './listen.ts'
import { type Opening, openInOrder } from './opening.ts'
import { composeProjector } from './projectors/compose-projector.ts'
import { poisonOf, together, whyNotReady } from './engines/readiness.ts'
import type { RunningProcess } from './run-process.ts'
import { withSharedEngines } from './engines/shared-engines.ts'
import { databaseProbe, storeProbe } from './engines/engine-probe.ts'
import { watchUnfed } from './engines/unfed-read-models.ts'
import { watchLog } from './engines/watched-log.ts'
import type { World } from './runtime.ts'

/** One of several processes that feed the read models; it answers nothing but whether it is well. */
export function startProjector(config: Config, world: World): Promise<RunningProcess> {
  return openInOrder(world, (opening) => openProjector(config, world, opening))
}

async function openProjector(
  given: Config,
  world: World,
  opening: Opening,
): Promise<RunningProcess> {
  const config = withSharedEngines(given)
  const { clock, logger } = world
  let isStopping = false
  const enginesOpen = openEngines(config, world, CONNECTIONS.others)
  opening.opened(['PostgreSQL and event log', () => closeOnceOpen(enginesOpen)])
  const engines = await enginesOpen
  const database = await holdDatabase(config, world, engines, opening)
  // Where a log was put back, what projectors have in memory is of its lost past: they begin anew like all others.
  const log = await watchLog(world, engines, 'follows')
  opening.opened(['watch of the log', () => log.stop()])
  const projecting = await composeProjector(
    {
      databaseUrl: engines.databaseUrl,
      eventStoreUrl: config.eventStoreUrl,
      log: log.watch.log,
      member: world.randomness.uuid(),
    },
    { clock, logger },
  )
  opening.opened(['read models', () => projecting.stop()])
  const { pool, store } = engines
  const unfed = watchUnfed({ pool, store, models: readModels, logger })
  opening.opened(['watch of read models', () => unfed.stop()])
  const eventLog = storeProbe(engines.store, world)
  const postgres = databaseProbe(engines.pool, world)
  const http = await createHttpServer({
    logger,
    trustedProxies: config.trustedProxies,
    limits: NO_LIMITS,
    api: null,
    registerRelay: null,
    consoleFolder: null,
    warning: () =>
      together(engines.store.readProblem(), engines.store.foreignProblem(), unfed.warning()),
    whyNotReady: () =>
      whyNotReady([
        () => (isStopping ? 'the projector is stopping' : null),
        () => database.whyNotReady(),
        eventLog,
        () => log.whyNotReady(),
        postgres,
        () => poisonOf(projecting.runner.status()),
      ]),
  })
  opening.opened(['HTTP', () => closeHttp(http)])
  return {
    url: await listen(http, config),
    whyNotReady: readinessOf(http),
    mustEnd: Promise.race([database.mustEnd, log.mustEnd]),
    stop() {
      isStopping = true
      return opening.close()
    },
  }
}
