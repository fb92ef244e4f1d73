import { postgresJobNotes } from '@tollgate/command-api/audit/job-notes.ts'
import { openAuditJobs } from '@tollgate/command-api/audit/jobs.ts'
import { auditRoutes } from '@tollgate/command-api/audit/routes.ts'
import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import { reconcile } from '@tollgate/projections/audit/reconcile.ts'
import { notedSeals } from '../../audit/noted-seals.ts'
import { verifyLog } from '../../audit/verify-log.ts'
import type { Config } from '../config.ts'
import type { Engines } from '../engines/engines.ts'
import { together } from '../engines/readiness.ts'
import type { Runtime } from '../runtime.ts'
import { watchCutStreams } from './cut-streams.ts'
import { watchOpenRights } from './open-rights.ts'
import { startSealing } from './sealing.ts'

/** Proof of the ledger in a process that takes commands: periodic seals, and the calls under /api/audit. */
export interface ComposedAudit {
  readonly routes: readonly ApiRoute[]
  /**
   * A problem that an operator should look at: seals that do not come, streams that others have cut; null when there is
   * nothing.
   */
  warning(): string | null
  stop(): Promise<void>
}

/** Few events at once, as requests are served beside: about 2 ms in which nothing else is done. */
const PAGE_EVENTS = 250

export function composeAudit(
  config: Pick<Config, 'ledgerSealMs' | 'dataDir'>,
  runtime: Runtime,
  { store, pool, db, batchPool }: Pick<Engines, 'store' | 'pool' | 'db' | 'batchPool'>,
): ComposedAudit {
  const { clock, randomness, logger } = runtime
  const jobs = openAuditJobs({
    clock,
    randomness,
    notes: postgresJobNotes(db),
    onFailure: (kind, err) => logger.error({ err, kind }, 'an audit broke off'),
  })
  const noted = notedSeals(config.dataDir, pool)
  const sealing = startSealing(config, runtime, store, noted)
  const cuts = watchCutStreams(store, runtime)
  const rights = watchOpenRights(store, runtime)
  return {
    routes: auditRoutes({
      store,
      clock,
      randomness,
      jobs,
      onSealed: (head) => noted.note(head),
      verify: (anchor) => async (onProgress, signal) =>
        verifyLog(store, {
          onProgress,
          signal,
          noted: await noted.read(),
          pageEvents: PAGE_EVENTS,
          ...(anchor === null ? {} : { anchor }),
        }),
      reconcile: (onProgress, signal) =>
        reconcile({ store, pool: batchPool, onProgress, signal, pageEvents: PAGE_EVENTS }),
    }),
    warning: () => together(sealing.warning(), cuts.warning(), rights.warning()),
    async stop() {
      await Promise.all([jobs.stop(), sealing.stop(), cuts.stop(), rights.stop()])
    },
  }
}
