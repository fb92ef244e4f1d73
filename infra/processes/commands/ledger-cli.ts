import { acceptRollback } from '@tollgate/command-api/ledger/accept-rollback.ts'
import { readTimelines } from '@tollgate/command-api/ledger/timelines.ts'
import type { Timeline } from '@tollgate/domain/timeline/timelines.ts'
import { reasonOf } from '../run-process.ts'
import { systemClock, systemRandomness } from '../world.ts'
import { withEngines } from './with-engines.ts'

/**
 * `npm run ledger -- <command>`: the identity of the event log. Exit code 0: done; 1: it could not be done; 2: there is
 * no such command.
 */

const USAGE = `Usage:
  npm run ledger -- timelines         list the identities that the event log has had, the present one last
  npm run ledger -- accept-rollback   the event log was put back to an older state (a restored server, a promoted
                                      standby that lagged), and is to go on from there: gives it a new identity, so
                                      that nothing of the lost past is taken for something of the new one
`

const COMMANDS: Readonly<Record<string, () => Promise<string>>> = {
  timelines: () => withEngines(async ({ store }) => listed(await readTimelines(store))),
  'accept-rollback': () =>
    withEngines(async ({ store, pool }) => {
      const writer = { store, clock: systemClock, randomness: systemRandomness }
      const timelines = await acceptRollback(writer, pool)
      return `${listed(timelines)}
Accepted. Processes that run begin anew within seconds. Charges of the lost past that still arrive are taken from the
wallets, once each. Read models that are ahead of the log must be built anew: npm run projections -- status
`
    }),
}

const [name, ...more] = process.argv.slice(2)
const command = name === undefined || more.length > 0 ? undefined : COMMANDS[name]
if (command === undefined) {
  process.stderr.write(USAGE)
  process.exitCode = 2
} else {
  try {
    process.stdout.write(await command())
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`)
    process.exitCode = 1
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
