import type { UsageJournal, UsageReport } from '@tollgate/domain/ports/usage-journal.ts'
import { chargeEntry, chargeLine } from './charge-lines.ts'
import { deliverFile } from './deliver-lines.ts'
import type { DiskSpool } from './disk-spool.ts'
import { listSpool, removeSpool, writeSpool } from './spool-folder.ts'

export interface SpoolDeliveryOptions {
  /** See `spoolFolder`. */
  readonly folder: string
  readonly spool: Pick<DiskSpool, 'setAside' | 'isOwn'>
  readonly journal: Pick<UsageJournal, 'publish'>
  readonly now: () => number
  readonly logger: SpoolLogger
}

export interface SpoolLogger {
  info(facts: Readonly<Record<string, unknown>>, message: string): void
  warn(facts: Readonly<Record<string, unknown>>, message: string): void
  error(facts: Readonly<Record<string, unknown>>, message: string): void
}

/** Delivers what former runs, or other processes with the same data folder, have left in the spool. */
export interface SpoolDelivery {
  /** Goes through the folder once; never fails: what cannot be delivered now stays for the next round. */
  round(signal: AbortSignal): Promise<void>
  /** A problem of the spool that an operator should know, as of the last round; null when it is empty. */
  warning(): string | null
}

export function spoolDelivery(options: SpoolDeliveryOptions): SpoolDelivery {
  const { folder, spool, journal, now, logger } = options
  let waiting = 0
  let refused = 0
  /** Charges that stay for their account's sake, as of the present round. */
  let lockedCharges = 0
  let lockedBefore = 0
  let told = ''

  async function deliver(path: string, signal: AbortSignal): Promise<void> {
    const locked: UsageReport[] = []
    const report = await deliverFile(path, {
      journal,
      signal,
      onLocked: (charge) => void locked.push(charge),
      onRefused: (charge, reason) => spool.setAside(charge, reason),
      async onProblem(line, problem) {
        logger.error({ file: path, problem }, 'spool: a line cannot be delivered; it is set aside')
        await writeSpool(folder, 'refused', `${line}\n`, now())
      },
    })
    lockedCharges += locked.length
    const isDone = report.delivered + report.refused + report.problems > 0
    if (!isDone && locked.length > 0) return
    if (locked.length > 0) {
      const lines = locked.map((charge) => chargeLine(chargeEntry(charge, now())))
      await writeSpool(folder, 'charges', lines.join(''), now())
    }
    await removeSpool(path)
    logger.info({ file: path, ...report }, 'spool: charges of a former run are delivered')
  }

  return {
    async round(signal) {
      try {
        const listed = await listSpool(folder, now())
        const charges = listed.charges.filter((path) => !spool.isOwn(path))
        waiting = charges.length
        refused = listed.refused.length
        lockedCharges = 0
        for (const path of charges) {
          await deliver(path, signal)
          waiting -= 1
        }
        lockedBefore = lockedCharges
        told = ''
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        if (!signal.aborted && reason !== told) {
          logger.warn(
            { reason },
            'spool: charges wait in DATA_DIR/spool; trying again until delivered',
          )
        }
        told = reason
      }
    },
    warning() {
      if (waiting > 0) return `${waiting} files of charges wait in DATA_DIR/spool for the ledger`
      if (lockedBefore > 0) {
        return `${lockedBefore} charges in DATA_DIR/spool wait for accounts whose stream is locked, and are delivered once these go on`
      }
      if (refused === 0) return null
      return `${refused} files of refused charges lie in DATA_DIR/spool: mend the cause, then run npm run charges -- deliver on them`
    },
  }
}
