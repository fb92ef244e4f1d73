import { sealLedger } from '@tollgate/command-api/audit/seal-ledger.ts'
import { headOfSeal, lastSeal } from '@tollgate/command-api/audit/seals.ts'
import { trialBalance } from '@tollgate/command-api/audit/trial-balance.ts'
import { withSnakeCase } from '@tollgate/command-api/audit/snake-case-members.ts'
import { reconcile } from '@tollgate/projections/audit/reconcile.ts'
import { notedSeals } from '../../audit/noted-seals.ts'
import { readHeadFile } from '../../audit/head-file.ts'
import { formatReconciled } from '../../audit/format-reconciled.ts'
import { formatTrialBalance } from '../../audit/format-trial-balance.ts'
import { formatVerifyReport } from '../../audit/format-verify-report.ts'
import { verifyLog } from '../../audit/verify-log.ts'
import { type AuditCommand, USAGE, parseAuditCommand } from './audit-command.ts'
import { readConfig } from '../config.ts'
import type { Engines } from '../engines/engines.ts'
import { withProgressBar } from './progress-bar.ts'
import { reasonOf } from '../run-process.ts'
import { withEngines, withPairedEngines } from './with-engines.ts'
import { systemClock, systemRandomness } from '../runtime.ts'

/**
 * `npm run audit -- <command>`: proves the ledger, beside a running Tollgate or without one. Results go to stdout,
 * progress to stderr. Exit code 0: all is as it should be; 1: something is not; 2: it could not be found out.
 */

type Outcome = 'sound' | 'unsound' | 'unknown'
const EXIT_CODES: Readonly<Record<Outcome, number>> = { sound: 0, unsound: 1, unknown: 2 }

try {
  const command = parseAuditCommand(process.argv.slice(2))
  const opened = command.name === 'seal' ? withPairedEngines : withEngines
  const outcome = command.name === 'help' ? help() : await opened((e) => run(command, e))
  process.exitCode = EXIT_CODES[outcome]
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`)
  process.exitCode = 2
}

function help(): Outcome {
  process.stdout.write(USAGE)
  return 'sound'
}

async function run(
  command: Exclude<AuditCommand, { name: 'help' }>,
  engines: Engines,
): Promise<Outcome> {
  switch (command.name) {
    case 'verify':
      return verify(command, engines)
    case 'reconcile':
      return compareReadModels(command, engines)
    case 'trial-balance':
      return printTrialBalance(command, engines)
    case 'head':
      return printHead(engines)
    case 'seal':
      return seal(engines)
    default:
      return command satisfies never
  }
}

async function verify(
  { headFile, isJson }: Extract<AuditCommand, { name: 'verify' }>,
  { store, pool }: Engines,
): Promise<Outcome> {
  const anchor = headFile === null ? null : await readHeadFile(headFile)
  const noted = await notedSeals(readConfig(process.env).dataDir, pool).read()
  const report = await withProgressBar('verify', systemClock, (onProgress) =>
    verifyLog(store, { onProgress, noted, ...(anchor === null ? {} : { anchor }) }),
  )
  print(isJson ? json(report) : formatVerifyReport(report, anchor, systemClock.now()))
  const { firstBreak, bookedTwice, cutStreams } = report
  const isSound = firstBreak === null && bookedTwice.count === 0 && cutStreams.length === 0
  return isSound ? 'sound' : 'unsound'
}

async function compareReadModels(
  { isJson }: Extract<AuditCommand, { name: 'reconcile' }>,
  { store, batchPool }: Engines,
): Promise<Outcome> {
  const report = await withProgressBar('reconcile', systemClock, (onProgress) =>
    reconcile({ store, pool: batchPool, onProgress }),
  )
  print(isJson ? json(report) : formatReconciled(report))
  if (report.differences > 0) return 'unsound'
  return report.models.every(({ position }) => position !== null) ? 'sound' : 'unknown'
}

async function printTrialBalance(
  { moment, detail, isJson }: Extract<AuditCommand, { name: 'trial-balance' }>,
  { store }: Engines,
): Promise<Outcome> {
  const report = await withProgressBar('trial balance', systemClock, (onProgress) =>
    trialBalance(store, moment, { detail, onProgress }),
  )
  print(isJson ? json(report) : formatTrialBalance(report))
  return report.total.balance === '0' ? 'sound' : 'unsound'
}

async function printHead({ store }: Engines): Promise<Outcome> {
  const { seal } = await lastSeal(store)
  if (seal === null) {
    process.stderr.write('There is no seal yet. Make one: npm run audit -- seal\n')
    return 'unsound'
  }
  print(json(headOfSeal(seal)))
  return 'sound'
}

async function seal({ store, pool }: Engines): Promise<Outcome> {
  const writer = { store, clock: systemClock, randomness: systemRandomness }
  const correlationId = systemRandomness.uuid()
  const cause = { actor: 'system', correlationId, causationId: null } as const
  const { made, seal: newest } = await sealLedger(writer, cause)
  if (newest === null) {
    process.stderr.write('The log is empty: there is nothing to seal.\n')
    return 'unsound'
  }
  await notedSeals(readConfig(process.env).dataDir, pool).note(headOfSeal(newest))
  if (made === 0) process.stderr.write('Nothing has changed since the last seal, which is:\n')
  print(json(headOfSeal(newest)))
  return 'sound'
}

function json(value: unknown): string {
  return JSON.stringify(withSnakeCase(value), null, 2)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
