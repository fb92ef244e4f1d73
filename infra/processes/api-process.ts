import { createHttpServer } from '../http/server.ts'
import { composeApi } from './sides/api-side.ts'
import { openBus } from './sides/bus.ts'
import type { Config } from './config.ts'
import { CONSOLE_FOLDER } from './console-folder.ts'
import { distantProjections } from './projectors/distant-projections.ts'
import { CONNECTIONS, openEngines } from './engines/engines.ts'
import { composeIdentity } from './sides/identity.ts'
import { composeGlobalLimits } from './sides/global-limits.ts'
import { inOrder } from './in-order.ts'
import { closeHttp, listen } from './listen.ts'
import { poisonOf, warningOf, whyNotReady } from './engines/readiness.ts'
import type { RunningProcess } from './run-process.ts'
import { withSharedEngines } from './engines/shared-engines.ts'
import { composeSharedLedger } from './sides/shared-ledger.ts'
import { shareWorkOver } from './sharing.ts'
import { databaseProbe, storeProbe } from './engines/engine-probe.ts'
import { openUpstreams } from './sides/upstreams.ts'
import type { World } from './world.ts'

/**
 * One of several processes that serve the console and its calls and own a share of the accounts: they decide what
 * relays and people ask for, and append what relays publish.
 */
export async function startApi(given: Config, world: World): Promise<RunningProcess> {
  const config = withSharedEngines(given)
  const { clock, logger } = world
  let isStopping = false
  const engines = await openEngines(config, world, CONNECTIONS.api)
  const bus = await openBus(config, world, 'tollgate api')
  const identity = await composeIdentity(config, world, engines)
  const upstreams = openUpstreams(identity)
  const shareWork = shareWorkOver(world, engines)
  const ledger = composeSharedLedger(world, engines, bus, shareWork)
  const projections = distantProjections(engines.pool, clock, logger)
  await projections.start()
  const parts = { engines, identity, ledger, projections, shareWork, upstreams }
  const console = await composeApi(config, world, parts)
  const eventLog = storeProbe(engines.store, clock)
  const database = databaseProbe(engines.pool, clock)
  const http = await createHttpServer({
    logger,
    trustedProxies: config.trustedProxies,
    limits: composeGlobalLimits(config, world, engines),
    consoleFolder: CONSOLE_FOLDER,
    api: console.api,
    registerRelay: null,
    warning: () => poisonOf(projections.status()) ?? warningOf(0, console.stuckProcesses()),
    whyNotReady: () =>
      whyNotReady([
        () => (isStopping ? 'the API is stopping' : null),
        eventLog,
        database,
        () => identity.whyNotReady(),
        () => ledger.access.whyNotReady(),
      ]),
  })
  return {
    url: await listen(http, config),
    stop() {
      isStopping = true
      return inOrder(logger, [
        ['HTTP', () => closeHttp(http)],
        ...console.stopSteps,
        ['ledger', () => ledger.stop()],
        ['NATS', () => bus.close()],
        ['read models', () => projections.stop()],
        ['identity', () => identity.stop()],
        ['upstream connections', () => upstreams.dispatchers.close()],
        ['PostgreSQL and event log', () => engines.close()],
      ])
    },
  }
}
