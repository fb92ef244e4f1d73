import { AccountLedger } from '@tollgate/command-api/accounts/account-ledger.ts'
import { ensureTimelines } from '@tollgate/command-api/timelines/timelines.ts'
import { HoldService } from '@tollgate/command-api/holds/hold-service.ts'
import { LocalRelays } from '@tollgate/command-api/holds/local-relays.ts'
import { ownsEverything } from '@tollgate/command-api/accounts/ownership.ts'
import type { UsageJournal } from '@tollgate/domain/ports/usage-journal.ts'
import { dirname, resolve } from 'node:path'
import { redeliverRefused } from '../../bus/nats/refused-charges.ts'
import { natsUsageJournal } from '../../bus/nats/usage-journal.ts'
import { type DeliveryReport, deliverFile } from '../../spool/deliver-lines.ts'
import { removeSpool, spoolFolder } from '../../spool/spool-folder.ts'
import { type Config, ConfigInvalid, readConfig } from '../config.ts'
import { reasonOf } from '../run-process.ts'
import type { Bus } from '../composition/compose-bus.ts'
import { systemClock, systemRandomness } from '../runtime.ts'
import { WrongUsage } from './backup-terminal.ts'
import { withBus } from './with-bus.ts'
import { withPairedEngines } from './with-engines.ts'

/**
 * `npm run charges -- deliver …`: hands charges to the ledger that could not be handed over when they were due, beside a
 * running Tollgate or without one. The same charge twice charges nothing. Exit code 0: all are delivered; 1: some are
 * not; 2: it could not be done.
 */

const USAGE = `Usage:
  npm run charges -- deliver <file> ...   charge what stands in spool files (DATA_DIR/spool) or in logs
  npm run charges -- deliver --refused    charge again what NATS keeps in TOLLGATE_REFUSED
`

const NO_NATS =
  'TOLLGATE_REFUSED is a stream of NATS, and NATS_URL is not set: without NATS, refused charges lie in DATA_DIR/spool. Example: NATS_URL=nats://127.0.0.1:4222'

try {
  const isAll = await run(process.argv.slice(2), readConfig(process.env))
  process.exitCode = isAll ? 0 : 1
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`)
  process.exitCode = 2
}

/** Answers whether everything was delivered. */
async function run([command, ...rest]: readonly string[], config: Config): Promise<boolean> {
  const [first] = rest
  if (command !== 'deliver' || first === undefined) throw new WrongUsage(USAGE)
  if (first === '--refused' && rest.length === 1) {
    if (config.natsUrl === null) throw new ConfigInvalid([NO_NATS])
    return withBus(config, deliverRefused)
  }
  if (rest.some((word) => word.startsWith('-'))) throw new WrongUsage(USAGE)
  const deliver = (journal: UsageJournal): Promise<boolean> => deliverFiles(rest, config, journal)
  return config.natsUrl === null
    ? withLedger(deliver)
    : withBus(config, ({ usage }) => deliver(natsUsageJournal(usage)))
}

async function deliverFiles(
  paths: readonly string[],
  { dataDir }: Config,
  journal: UsageJournal,
): Promise<boolean> {
  let isAll = true
  for (const path of paths) {
    const report = await deliverFile(path, {
      journal,
      onRefused: ({ request, account }, reason) =>
        tell(`refused: request ${request.id} of account ${account}: ${reason}`),
      onProblem: (line, problem) => tell(`not read: ${problem}: ${line.slice(0, 200)}`),
    })
    process.stdout.write(`${path}: ${summaryOf(report)}\n`)
    const isWhole = report.refused === 0 && report.problems === 0
    isAll &&= isWhole
    if (isWhole && dirname(resolve(path)) === spoolFolder(dataDir)) await removeSpool(path)
  }
  return isAll
}

function summaryOf({ delivered, refused, problems }: DeliveryReport): string {
  return `${delivered} charges delivered, ${refused} refused, ${problems} lines not read`
}

async function deliverRefused({ usage }: Bus): Promise<boolean> {
  let published = 0
  let unreadable = 0
  for await (const redelivery of redeliverRefused(usage)) {
    if (redelivery.status === 'published') published += 1
    else {
      unreadable += 1
      tell(`message ${redelivery.sequence} stays: ${redelivery.problem}`)
    }
  }
  process.stdout.write(
    `${published} charges handed to the ledger again, ${unreadable} messages not read; those that it refuses again come back to TOLLGATE_REFUSED\n`,
  )
  return unreadable === 0
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Writes to the log itself: a Tollgate that runs meanwhile finds its accounts moved and reads them again. */
function withLedger(use: (journal: UsageJournal) => Promise<boolean>): Promise<boolean> {
  return withPairedEngines(async ({ store }) => {
    const clock = systemClock
    const writer = { store, clock, randomness: systemRandomness }
    const ledger = new AccountLedger({ ...writer, timelines: await ensureTimelines(writer) })
    const relays = new LocalRelays(clock)
    try {
      return await use(new HoldService({ ledger, clock, relays, ownership: ownsEverything(clock) }))
    } finally {
      ledger.stop()
    }
  })
}
