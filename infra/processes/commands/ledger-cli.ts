import { acceptRollback } from '@tollgate/command-api/timelines/accept-rollback.ts'
import { readTimelines } from '@tollgate/command-api/timelines/timelines.ts'
import type { Timeline } from '@tollgate/domain/timeline/timelines.ts'
import { reasonOf } from '../run-process.ts'
import { systemClock, systemRandomness } from '../runtime.ts'
import { WrongUsage } from './backup-terminal.ts'
import { copyCommand } from './copy-command.ts'
import { setAsideCommand } from './set-aside-command.ts'
import { withEngines } from './with-engines.ts'

/**
 * `npm run ledger -- <command>`: the identity of the event log, and the engine that keeps it. Exit code 0: done; 1: it
 * could not be done; 2: there is no such command.
 */

const USAGE = `Usage:
  npm run ledger -- timelines         list the identities that the event log has had, the present one last
  npm run ledger -- accept-rollback   the event log was put back to an older state (a restored server, a promoted
                                      standby that lagged), or goes with another database, and is to go on with this
                                      one: gives it a new identity, so that nothing of the lost past is taken for
                                      something of the new one
  npm run ledger -- copy --from embedded --to esdb://…
                                      move the event log to EventStoreDB or KurrentDB, or the other way round; stop
                                      Tollgate first. "embedded" is the log in PostgreSQL (DATA_DIR or DATABASE_URL).
                                      Stopped half-way, it goes on where it was
  npm run ledger -- set-aside <stream>@<revision> --reason "…"
                                      another client of the event store wrote this event into a stream of the ledger,
                                      and you have looked at it: it counts for nothing, and the stream goes on behind it
`

type Command = (words: readonly string[]) => Promise<string>

const COMMANDS: Readonly<Record<string, Command>> = {
  copy: copyBetween,
  'set-aside': setAsideCommand,
  timelines: () => withEngines(async ({ store }) => listed(await readTimelines(store))),
  'accept-rollback': () =>
    withEngines(async ({ store, db, places }) => {
      const writer = { store, clock: systemClock, randomness: systemRandomness }
      const timelines = await acceptRollback(writer, db, places)
      return `${listed(timelines)}
Accepted. Processes that run begin anew within seconds. Charges of the lost past that still arrive are taken from the
wallets, once each. Read models that are ahead of the log must be built anew: npm run projections -- status
`
    }),
}

/** Those that say themselves what they want to be told. */
const WITH_WORDS: ReadonlySet<Command> = new Set([copyBetween, setAsideCommand])

const [name, ...more] = process.argv.slice(2)
const command = name === undefined ? undefined : COMMANDS[name]
if (command === undefined || (more.length > 0 && !WITH_WORDS.has(command))) {
  process.stderr.write(USAGE)
  process.exitCode = 2
} else {
  try {
    process.stdout.write(await command(more))
  } catch (error) {
    process.stderr.write(error instanceof WrongUsage ? error.message : `${reasonOf(error)}\n`)
    process.exitCode = error instanceof WrongUsage ? 2 : 1
  }
}

function listed(timelines: readonly Timeline[]): string {
  if (timelines.length === 0)
    return 'The event log has no identity yet: it gets one at the next start.\n'
  const lines = timelines.map(
    ({ log, openedAt, cause }) => `${log}  ${new Date(openedAt).toISOString()}  ${cause}`,
  )
  return `${lines.join('\n')}\n`
}

async function copyBetween(words: readonly string[]): Promise<string> {
  const [from, source, to, target, ...more] = words
  const isWhole = from === '--from' && to === '--to' && target !== undefined && more.length === 0
  if (!isWhole || source === undefined) throw new WrongUsage(USAGE)
  return copyCommand(source, target)
}
