import { backUp } from '../../backup/back-up.ts'
import { BackupFailure } from '../../backup/failure.ts'
import { withDatabase } from '../../postgres/sql-session.ts'
import { askForTollgate } from './ask-database.ts'
import { progressBar, silentLog, WrongUsage } from './backup-terminal.ts'
import { type Config, readConfig } from '../config.ts'
import { keptMasterKey } from '../master-key.ts'
import { reasonOf } from '../run-process.ts'
import { VERSION } from '../version.ts'
import { systemClock } from '../world.ts'

/** `npm run backup -- <folder>`: saves what no event can bring back, and the events, beside a running Tollgate or without. */

const USAGE = `Usage:
  npm run backup -- <folder>                 save the event log, people and secrets; works while Tollgate runs
  npm run backup -- <folder> --without-key   the same without the master key, which you then keep elsewhere
`

try {
  await run(process.argv.slice(2), readConfig(process.env))
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`)
  process.exitCode = 1
}

async function run(words: readonly string[], config: Config): Promise<void> {
  const { databaseUrl, dataDir, eventStoreUrl } = config
  const [folder, ...more] = words.filter((word) => word !== '--without-key')
  if (folder === undefined || more.length > 0 || folder.startsWith('-')) throw new WrongUsage(USAGE)
  if (eventStoreUrl !== null) throw logElsewhere()
  const isKeyIncluded = config.masterKey === null && !words.includes('--without-key')
  const bar = progressBar('events')
  try {
    await withDatabase({ databaseUrl, dataDir, logger: silentLog }, async (url) => {
      await askForTollgate(url)
      const masterKey = config.masterKey ?? (await keptMasterKey(dataDir)) ?? noKey(dataDir)
      const { headPosition, takenAt } = await backUp({
        databaseUrl: url,
        folder,
        masterKey,
        isKeyIncluded,
        version: VERSION,
        now: systemClock.now(),
        onProgress: ({ events, of }) => bar.show(events, of),
      })
      bar.stop()
      process.stdout.write(
        `${headPosition + 1} events up to ${takenAt} are saved in ${folder}\n${adviceOnKey(config, isKeyIncluded)}\n`,
      )
    })
  } finally {
    bar.stop()
  }
}

function adviceOnKey({ masterKey, dataDir }: Config, isKeyIncluded: boolean): string {
  if (isKeyIncluded) {
    return 'It holds the key that opens channel keys and tokens (master.key): keep it where nobody else can read it.'
  }
  return masterKey === null
    ? `It does not hold the key that opens channel keys and tokens: keep ${dataDir}/master.key, or nobody can restore it.`
    : 'It does not hold MASTER_KEY, which opens channel keys and tokens: keep that, or nobody can restore it.'
}

function logElsewhere(): BackupFailure {
  return new BackupFailure(
    'LOG_ELSEWHERE',
    'EVENTSTORE_URL is set, so the event log is not in PostgreSQL: back up the event store with its own tools first, then PostgreSQL with pg_dump (README.md, "Backup and restore")',
  )
}

function noKey(dataDir: string): never {
  throw new BackupFailure(
    'WRONG_KEY',
    `there is no master.key in ${dataDir}: set DATA_DIR or MASTER_KEY to what Tollgate runs with`,
  )
}
