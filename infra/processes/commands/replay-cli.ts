import { createWriteStream } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { TOTAL } from '@tollgate/projections/replays/definition.ts'
import { exportText } from '@tollgate/projections/replays/export-text.ts'
import { addRunning, findReplay, removeReplay } from '@tollgate/projections/replays/replay-table.ts'
import { runReplay } from '@tollgate/projections/replays/run-replay.ts'
import { CONNECTIONS, type Engines } from '../engines/engines.ts'
import { reasonOf } from '../run-process.ts'
import { giveWay } from '../replays/give-way.ts'
import { systemClock, systemRandomness } from '../runtime.ts'
import { interruption } from './interruption.ts'
import { withProgressBar } from './progress-bar.ts'
import { parseReplayCommand, type ReplayCommand, USAGE } from './replay-command.ts'
import { withBackupLog } from './with-backup-log.ts'
import { withEngines } from './with-engines.ts'

/**
 * `npm run replay -- …`: replays charges from the event log into a file, beside a running Tollgate or without one,
 * or from the log of a backup. The
 * result goes to the file or to stdout, progress to stderr.
 */

/** User id of replays that no user asked for. */
const NOBODY = 0
/** Reading the log takes most of a replay. PostgreSQL needs nearly as much of the processors for it. */
const READ_THREADS = Math.min(4, availableParallelism())

try {
  const command = parseReplayCommand(process.argv.slice(2))
  giveWay()
  if (command === null) process.stdout.write(USAGE)
  else if (command.backup === null) {
    await withEngines((engines) => replay(command, engines, interruption()), {
      ...CONNECTIONS.allInOne,
      readThreads: READ_THREADS,
    })
  } else {
    await withBackupLog(
      command.backup,
      (engines, signal) => replay(command, engines, signal),
      READ_THREADS,
    )
  }
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`)
  process.exitCode = 1
}

async function replay(
  command: ReplayCommand,
  { store, db, batchPool: pool }: Pick<Engines, 'store' | 'db' | 'batchPool'>,
  signal: AbortSignal,
): Promise<void> {
  const [id, runner] = [systemRandomness.uuid(), systemRandomness.uuid()]
  const { definition, name, format, out } = command
  const named = { id, owner: NOBODY, name: name ?? 'npm run replay', definition }
  const noted = await addRunning(pool, { ...named, at: systemClock.now() }, runner)
  let isKept = false
  try {
    const run = { store, pool, clock: systemClock, runner, signal }
    const end = await withProgressBar('replay', systemClock, (onProgress) =>
      runReplay(noted, { ...run, onProgress }),
    )
    signal.throwIfAborted()
    const after = await findReplay(pool, id)
    if (end !== 'done') throw new Error(`The replay stopped: ${after?.problem ?? end}.`)
    const table = definition.by[0] ?? TOTAL
    const file = out === null ? process.stdout : createWriteStream(out)
    await pipeline(Readable.from(exportText(db, id, table, format)), file, { end: out !== null })
    process.stderr.write(
      `${after?.charges ?? 0} charges up to position ${after?.logEnd ?? -1}${out === null ? '' : `, written to ${out}`}\n`,
    )
    isKept = name !== null
  } finally {
    if (!isKept) await removeReplay(pool, id)
  }
}
