import { backUp } from '../../backup/back-up.ts'
import { BackupFailure } from '../../backup/failure.ts'
import { savedLogOf } from '../../backup/log-elsewhere.ts'
import type { Manifest } from '../../backup/manifest.ts'
import { progressBar, WrongUsage } from './backup-terminal.ts'
import { withPairedEngines } from './with-engines.ts'
import { type Config, readConfig } from '../config.ts'
import { keptMasterKey } from '../master-key.ts'
import { reasonOf } from '../run-process.ts'
import { VERSION } from '../version.ts'
import { systemClock } from '../runtime.ts'

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
  const { dataDir } = config
  const [folder, ...more] = words.filter((word) => word !== '--without-key')
  if (folder === undefined || more.length > 0 || folder.startsWith('-')) throw new WrongUsage(USAGE)
  const isKeyIncluded = config.masterKey === null && !words.includes('--without-key')
  const bar = progressBar('events')
  try {
    await withPairedEngines(async ({ databaseUrl, store, places }) => {
      const masterKey = config.masterKey ?? (await keptMasterKey(dataDir)) ?? noKey(dataDir)
      const manifest = await backUp({
        databaseUrl,
        folder,
        masterKey,
        isKeyIncluded,
        readLog: places.isLogInDatabase ? null : () => savedLogOf(store),
        version: VERSION,
        now: systemClock.now(),
        onProgress: ({ events, of }) => bar.show(events, of),
      })
      bar.stop()
      process.stdout.write(`${saved(manifest, folder)}\n${adviceOnKey(config, isKeyIncluded)}\n`)
    })
  } finally {
    bar.stop()
  }
}

function saved({ log, headPosition, takenAt }: Manifest, folder: string): string {
  if (log === null) return `${headPosition + 1} events up to ${takenAt} are saved in ${folder}`
  return `People and secrets up to ${takenAt} are saved in ${folder}. They go with the event log ${log.timelines.at(-1)} up to position ${log.position}, which is not part of it: copy the folder of EventStoreDB now, after this backup (docs/eventstoredb.md, "Backup").`
}

function adviceOnKey({ masterKey, dataDir }: Config, isKeyIncluded: boolean): string {
  if (isKeyIncluded) {
    return 'It holds the key that opens channel keys and tokens (master.key): keep it where nobody else can read it.'
  }
  return masterKey === null
    ? `It does not hold the key that opens channel keys and tokens: keep ${dataDir}/master.key, or nobody can restore it.`
    : 'It does not hold MASTER_KEY, which opens channel keys and tokens: keep that, or nobody can restore it.'
}

function noKey(dataDir: string): never {
  throw new BackupFailure(
    'WRONG_KEY',
    `there is no master.key in ${dataDir}: set DATA_DIR or MASTER_KEY to what Tollgate runs with`,
  )
}
