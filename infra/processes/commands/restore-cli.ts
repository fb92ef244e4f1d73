import { restore, type Restored, type RestoreProgress } from '../../backup/restore.ts'
import { openEventStoreDb } from '../../event-store/eventstoredb/store.ts'
import { askDatabase } from './ask-database.ts'
import { progressBar, silentLog, WrongUsage } from './backup-terminal.ts'
import { type Config, readConfig } from '../config.ts'
import { eventStoreFailure } from '../engines/wait-for-event-store.ts'
import { reasonOf } from '../run-process.ts'
import { VERSION } from '../version.ts'
import { systemClock } from '../runtime.ts'

/** `npm run restore -- <folder>`: makes an empty data folder, or database, what it was when the backup was taken. */

const USAGE = `Usage:
  npm run restore -- <folder>   restore a backup into DATA_DIR (or the database at DATABASE_URL), which must be empty;
                                with EVENTSTORE_URL, beside the event log there, which must not be older
`

const NEXT = 'read models are built from the log, and people sign in again.'
const NAMES: Readonly<Record<string, string>> = {
  'identity.users': 'users',
  'secrets.tokens': 'tokens',
  'secrets.channels': 'channels',
  'secrets.redemptions': 'redemption codes',
  'identity.task_payloads': 'tasks',
}

try {
  await run(process.argv.slice(2), readConfig(process.env))
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`)
  process.exitCode = 1
}

async function run([folder, ...more]: readonly string[], config: Config): Promise<void> {
  if (folder === undefined || more.length > 0 || folder.startsWith('-')) throw new WrongUsage(USAGE)
  const { dataDir, databaseUrl, masterKey, eventStoreUrl } = config
  const bars = { checking: progressBar('checking'), loading: progressBar('loading') }
  const onProgress = ({ step, bytes, of }: RestoreProgress): void => {
    if (step === 'loading') bars.checking.stop()
    bars[step].show(bytes, of)
  }
  const log =
    eventStoreUrl === null
      ? null
      : openEventStoreDb({
          connectionString: eventStoreUrl,
          logger: silentLog,
          clock: systemClock,
        })
  try {
    if (databaseUrl !== null) await askDatabase(databaseUrl)
    const restored = await restore({
      folder,
      dataDir,
      databaseUrl,
      log,
      masterKey,
      version: VERSION,
      logger: silentLog,
      onProgress,
    })
    bars.loading.stop()
    process.stdout.write(
      report(restored, databaseUrl === null ? dataDir : 'the database at DATABASE_URL'),
    )
  } catch (error) {
    throw eventStoreUrl === null ? error : await eventStoreFailure(eventStoreUrl, error)
  } finally {
    bars.checking.stop()
    bars.loading.stop()
    await log?.close()
  }
}

function report({ manifest, missing }: Restored, where: string): string {
  const { headPosition, takenAt, log } = manifest
  if (log === null) {
    return `${headPosition + 1} events up to ${takenAt} are restored into ${where}\nStart Tollgate on it: ${NEXT}\n`
  }
  const lacking = [...missing].map(([table, count]) => `${NAMES[table] ?? table}: ${count}`)
  const since =
    lacking.length === 0
      ? ''
      : `The log has more than the backup (${lacking.join(', ')}). These have no names or keys: nobody can use them, and their ids are not given again.\n`
  return `People and secrets up to ${takenAt} are restored into ${where}, beside the event log at EVENTSTORE_URL\n${since}Start Tollgate: ${NEXT}\n`
}
