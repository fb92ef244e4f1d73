import { formatVerifyReport } from '../../audit/format-verify-report.ts'
import { verifyLog } from '../../audit/verify-log.ts'
import type { AuditableEventStore } from '../../event-store/auditable-store.ts'
import { addressProblem } from '../../event-store/eventstoredb/address.ts'
import { openEventStore } from '../../event-store/open-event-store.ts'
import type { StoreLogger } from '../../event-store/store-logger.ts'
import { DatabaseInUse, leaseDatabase } from '../../leases/database-lease.ts'
import { moveLog } from '../../log-copy/move-log.ts'
import { openPool } from '../../postgres/pool.ts'
import { systemClock, systemRandomness } from '../runtime.ts'
import { WrongUsage } from './backup-terminal.ts'
import { withProgressBar } from './progress-bar.ts'
import { withEngines } from './with-engines.ts'

/** The log in PostgreSQL, embedded or by address. */
const EMBEDDED = 'embedded'
const CONNECTIONS_MAX = 4

const SILENT: StoreLogger = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/**
 * Moves the log of a stopped Tollgate between PostgreSQL and EventStoreDB; answers what to say. Fails with WrongUsage, and
 * as `moveLog` does.
 */
export async function copyCommand(from: string, to: string): Promise<string> {
  if ((from === EMBEDDED) === (to === EMBEDDED)) {
    throw new WrongUsage(
      'One of the two is "embedded" (the log in PostgreSQL), the other the address of EventStoreDB or KurrentDB, such as esdb://127.0.0.1:2113?tls=false.\n',
    )
  }
  // Refused before anything is opened.
  const problem = addressProblem(from === EMBEDDED ? to : from)
  if (problem !== null) throw new WrongUsage(`The address of EventStoreDB ${problem}.\n`)
  return withEngines(async ({ db, databaseUrl, leases }) => {
    const lease = await leaseDatabase({
      leases,
      mode: 'alone',
      member: systemRandomness.uuid(),
      clock: systemClock,
      onWaiting: () =>
        void process.stderr.write(
          'The database is in use; waiting 12 s, in case a Tollgate was killed.\n',
        ),
      onFailure: () => undefined,
    }).catch((error: unknown) => {
      if (!(error instanceof DatabaseInUse)) throw error
      throw new DatabaseInUse(
        'Tollgate works on this database: stop all of its processes, then run the command again.',
      )
    })
    const opened: AuditableEventStore[] = []
    const storePool = openPool(databaseUrl, {
      max: CONNECTIONS_MAX,
      applicationName: 'tollgate-copy',
    })
    const open = async (place: string): Promise<AuditableEventStore> => {
      const store = await openEventStore({
        eventStoreUrl: place === EMBEDDED ? null : place,
        pool: storePool,
        databaseUrl,
        logger: SILENT,
        clock: systemClock,
      })
      opened.push(store)
      return store
    }
    try {
      const source = await open(from)
      const target = await open(to)
      const report = await withProgressBar('copy', systemClock, (onProgress) =>
        moveLog({
          source,
          target,
          db,
          clock: systemClock,
          randomness: systemRandomness,
          onProgress,
        }),
      )
      const verified = await withProgressBar('verify', systemClock, (onProgress) =>
        verifyLog(target, { onProgress }),
      )
      return `${report.appended} events copied, ${report.there} stood there.
${formatVerifyReport(verified, null, systemClock.now())}
${to === EMBEDDED ? 'Take EVENTSTORE_URL out of the environment' : `Set EVENTSTORE_URL to the address that you gave`} and start Tollgate: it builds its read models from the log first.
The former log stays as it was. Do not start Tollgate on it again: the two would part.
`
    } finally {
      for (const store of opened) await store.close()
      await storePool.end()
      await lease.stop()
    }
  })
}
