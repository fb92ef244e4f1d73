import cluster from 'node:cluster'
import { STOP_MS } from './bounds.ts'
import { startRelay } from './relay-process.ts'
import { startRelayWorkers } from './relay-workers.ts'
import { runProcess } from './run-process.ts'
import { withSharedEngines } from './engines/shared-engines.ts'

/** `npm run start:relay`: one relay of several, or as many on one port as RELAY_WORKERS says. */
await runProcess({
  title: 'Tollgate relay',
  stopMs: STOP_MS,
  isQuiet: cluster.isWorker,
  start: (config, runtime) =>
    cluster.isPrimary && config.relayWorkers > 1
      ? startRelayWorkers(withSharedEngines(config), runtime)
      : startRelay(config, runtime),
})
