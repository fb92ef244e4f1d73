import { restore, type RestoreProgress } from '../../backup/restore.ts'
import { askDatabase } from './ask-database.ts'
import { progressBar, silentLog, WrongUsage } from './backup-terminal.ts'
import { type Config, readConfig } from '../config.ts'
import { reasonOf } from '../run-process.ts'
import { VERSION } from '../version.ts'

/** `npm run restore -- <folder>`: makes an empty data folder, or database, what it was when the backup was taken. */

const USAGE = `Usage:
  npm run restore -- <folder>   restore a backup into DATA_DIR (or the database at DATABASE_URL), which must be empty
`

try {
  await run(process.argv.slice(2), readConfig(process.env))
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`)
  process.exitCode = 1
}

async function run([folder, ...more]: readonly string[], config: Config): Promise<void> {
  if (folder === undefined || more.length > 0 || folder.startsWith('-')) throw new WrongUsage(USAGE)
  const { dataDir, databaseUrl, masterKey } = config
  const bars = { checking: progressBar('checking'), loading: progressBar('loading') }
  const onProgress = ({ step, bytes, of }: RestoreProgress): void => {
    if (step === 'loading') bars.checking.stop()
    bars[step].show(bytes, of)
  }
  try {
    if (databaseUrl !== null) await askDatabase(databaseUrl)
    const { headPosition, takenAt } = await restore({
      folder,
      dataDir,
      databaseUrl,
      masterKey,
      version: VERSION,
      logger: silentLog,
      onProgress,
    })
    bars.loading.stop()
    const where = databaseUrl === null ? dataDir : 'the database at DATABASE_URL'
    process.stdout.write(
      `${headPosition + 1} events up to ${takenAt} are restored into ${where}\nStart Tollgate on it: read models are built from the log, and people sign in again.\n`,
    )
  } finally {
    bars.checking.stop()
    bars.loading.stop()
  }
}
