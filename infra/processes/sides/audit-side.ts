import { postgresJobNotes } from '@tollgate/command-api/audit/job-notes.ts'
import { openAuditJobs } from '@tollgate/command-api/audit/jobs.ts'
import { auditRoutes } from '@tollgate/command-api/audit/routes.ts'
import { headOfSeal } from '@tollgate/command-api/audit/seals.ts'
import { sealLedger } from '@tollgate/command-api/audit/seal-ledger.ts'
import type { ApiRoute } from '@tollgate/domain/ports/api-route.ts'
import { reconcile } from '@tollgate/projections/audit/reconcile.ts'
import { type NotedSeals, notedSeals } from '../../audit/noted-seals.ts'
import { verifyLog } from '../../audit/verify-log.ts'
import type { Config } from '../config.ts'
import type { Engines } from '../engines/engines.ts'
import { type Repeating, repeating } from '../timers/repeating.ts'
import type { World } from '../world.ts'

/** Proof of the ledger in a process that takes commands: periodic seals, and the calls under /api/audit. */
export interface AuditSide {
  readonly routes: readonly ApiRoute[]
  stop(): Promise<void>
}

/** Few events at once, as requests are served beside: about 2 ms in which nothing else is done. */
const PAGE_EVENTS = 250

export function composeAudit(
  config: Pick<Config, 'ledgerSealMs' | 'dataDir'>,
  world: World,
  { store, pool, patientPool }: Pick<Engines, 'store' | 'pool' | 'patientPool'>,
): AuditSide {
  const { clock, randomness, logger } = world
  const jobs = openAuditJobs({
    clock,
    randomness,
    notes: postgresJobNotes(pool),
    onFailure: (kind, err) => logger.error({ err, kind }, 'an audit broke off'),
  })
  const noted = notedSeals(config.dataDir, pool)
  const sealing = startSealing(config, world, store, noted)
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
        reconcile({ store, pool: patientPool, onProgress, signal, pageEvents: PAGE_EVENTS }),
    }),
    async stop() {
      await Promise.all([jobs.stop(), sealing.stop()])
    },
  }
}

/** Seals the ledger again and again: several processes that do so do each other no harm. */
function startSealing(
  { ledgerSealMs }: Pick<Config, 'ledgerSealMs'>,
  { clock, randomness, logger }: World,
  store: Engines['store'],
  noted: NotedSeals,
): Repeating {
  if (ledgerSealMs === null) return { stop: async () => undefined }
  const ending = new AbortController()
  const sealing = repeating(
    ledgerSealMs,
    async () => {
      const correlationId = randomness.uuid()
      const cause = { actor: 'system', correlationId, causationId: null } as const
      const { signal } = ending
      const { made, seal } = await sealLedger({ store, clock, randomness }, cause, {
        signal,
        isInBackground: true,
      })
      if (seal !== null) await noted.note(headOfSeal(seal))
      if (made > 0) logger.info({ made, seal: seal?.data }, 'sealed the ledger')
    },
    (err) => logger.warn({ err }, 'the ledger was not sealed, the next time covers it'),
  )
  return {
    stop() {
      ending.abort()
      return sealing.stop()
    },
  }
}
