import { relayId } from '@tollgate/domain/ids.ts'
import { startClockWatch } from './engines/watch-clock.ts'
import { exchangeRequestCounts } from '../bus/nats/request-counts.ts'
import { createHttpServer } from '../http/server.ts'
import { busAccess, openBus } from './composition/compose-bus.ts'
import type { Config } from './config.ts'
import { remoteProjections } from './projectors/remote-projections.ts'
import { CONNECTIONS, closeOnceOpen, openEngines } from './engines/engines.ts'
import { holdDatabase } from './engines/hold-database.ts'
import { composeIdentity } from './composition/compose-identity.ts'
import { composeGlobalLimits } from './composition/global-limits.ts'
import { closeHttp, listen, readinessOf } from './listen.ts'
import { type Opening, openInOrder } from './opening.ts'
import { together, warningOf, readinessProblem } from './engines/readiness.ts'
import { composeRelay } from './composition/compose-relay.ts'
import { composeSpool } from './composition/charge-spool.ts'
import type { RunningProcess } from './run-process.ts'
import { withSharedEngines } from './engines/shared-engines.ts'
import { journalWriteProbe, storeProbe } from './engines/engine-probe.ts'
import { STOP_GRACE_MS, STOP_HOLDS_MS, STOP_REQUESTS_MS } from './bounds.ts'
import { composeUploads } from './composition/uploads.ts'
import { openUpstreams } from './composition/upstreams.ts'
import { watchLog } from './engines/watched-log.ts'
import type { Runtime } from './runtime.ts'

/**
 * One relay of several: clients' requests, with holds asked of the ledger's owners and charges handed to the usage
 * journal over NATS. PostgreSQL is asked for cold tokens and the playground's sessions only.
 */
export function startRelay(config: Config, runtime: Runtime): Promise<RunningProcess> {
  return openInOrder(runtime, (opening) => openRelay(config, runtime, opening))
}

async function openRelay(
  given: Config,
  runtime: Runtime,
  opening: Opening,
): Promise<RunningProcess> {
  const config = withSharedEngines(given)
  const { clock, logger } = runtime
  let isStopping = false
  const enginesOpen = openEngines(config, runtime, CONNECTIONS.others)
  opening.opened(['PostgreSQL and event log', () => closeOnceOpen(enginesOpen)])
  const opened = await enginesOpen
  const database = await holdDatabase(config, runtime, opened, opening)
  const log = await watchLog(runtime, opened, 'follows')
  opening.opened(['watch of the log', () => log.stop()])
  const { engines } = log
  const bus = await openBus(config, runtime, 'tollgate relay')
  opening.opened(['NATS', () => bus.close()])
  const marks = await log.exchange(bus.link)
  opening.opened(['exchange about the log', async () => marks.stop()])
  const identity = await composeIdentity(config, runtime, engines)
  opening.opened(['identity', () => identity.stop()])
  const upstreams = openUpstreams(identity)
  opening.opened(['upstream connections', () => upstreams.close()])
  const readModels = remoteProjections(engines.pool, clock, logger)
  opening.opened(['read models', () => readModels.stop()])
  await readModels.start()
  const access = busAccess(bus)
  const spooling = await composeSpool(config, runtime, access)
  opening.opened(['spool', () => spooling.stop()])
  const relay = relayId(runtime.randomness.uuid())
  const relaying = await composeRelay(config, runtime, {
    relay,
    engines,
    identity,
    access,
    spool: spooling.spool,
    readModels,
    upstreams,
    log: log.watch,
  })
  opening.opened(['holds', () => relaying.stop(STOP_HOLDS_MS)])
  const counts = exchangeRequestCounts({ link: bus.link, relay, counts: relaying.requestCounts })
  opening.opened(['request counts', () => counts.stop()])
  const clocks = await startClockWatch(engines.pool, runtime)
  opening.opened(['watch of clocks', () => clocks.stop()])
  const eventLog = storeProbe(engines.store, runtime)
  const uploads = composeUploads(config)
  const journal = journalWriteProbe(bus.usage, runtime)
  const http = await createHttpServer({
    logger,
    trustedProxies: config.trustedProxies,
    limits: composeGlobalLimits(config, runtime, engines, null),
    api: null,
    consoleFolder: null,
    registerRelay: (app) => relaying.register(app, uploads),
    warning: () =>
      together(
        engines.store.readProblem(),
        engines.store.foreignProblem(),
        clocks.problem(),
        spooling.warning(),
        warningOf(relaying.lostCharges(), 0),
      ),
    readinessProblem: () =>
      readinessProblem([
        () => (isStopping ? 'the relay is stopping' : null),
        () => database.readinessProblem(),
        eventLog,
        journal,
        () => log.readinessProblem(),
        () => identity.readinessProblem(),
        () => relaying.readinessProblem(),
      ]),
  })
  opening.opened(['HTTP', () => closeHttp(http)])
  return {
    url: await listen(http, config),
    readinessProblem: readinessOf(http),
    mustEnd: Promise.race([database.mustEnd, log.mustEnd]),
    stop() {
      isStopping = true
      return opening.close([
        ['requests', () => relaying.endRequests(STOP_GRACE_MS, STOP_REQUESTS_MS)],
      ])
    },
  }
}
