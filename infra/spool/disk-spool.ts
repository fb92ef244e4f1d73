import type { UsageReport } from '@tollgate/domain/ports/usage-journal.ts'
import type { ChargeSpool } from '@tollgate/relay/holds/charge-spool.ts'
import { type ChargeEntry, chargeEntry, chargeLine } from './charge-lines.ts'
import { removeSpool, writeSpool, writeSpoolNow } from './spool-folder.ts'

export interface DiskSpoolOptions {
  /** See `spoolFolder`. */
  readonly folder: string
  readonly now: () => number
  /** Writes one line of JSON where the log goes, before it returns, whatever the log's level. */
  readonly printLine: (line: string) => void
}

/** The spool of one process. */
export interface DiskSpool extends ChargeSpool {
  /** True for a file that this process has written and sees to itself. */
  isOwn(path: string): boolean
}

/** Keeps charges in files below DATA_DIR; what the disk does not take is printed, one line each. */
export function diskSpool({ folder, now, printLine }: DiskSpoolOptions): DiskSpool {
  /** Charges that were saved and not delivered yet. */
  const saved = new Map<UsageReport, SavedFile>()
  const printed = new WeakSet<UsageReport>()
  const own = new Set<string>()

  const linesOf = (charges: readonly UsageReport[]): string =>
    charges.map((charge) => chargeLine(chargeEntry(charge, now()))).join('')

  function printOnce(charges: readonly UsageReport[], error: unknown, refused?: string): void {
    for (const charge of charges) {
      if (printed.has(charge)) continue
      printed.add(charge)
      printLine(logLine(chargeEntry(charge, now(), refused), now(), error))
    }
  }

  async function removeWhenDelivered(file: SavedFile): Promise<void> {
    if (file.path === null || file.waiting > 0) return
    // A file that stays is delivered once more at the next start, which charges nothing.
    await removeSpool(file.path).catch(() => undefined)
    own.delete(file.path)
  }

  return {
    async save(charges) {
      const file: SavedFile = { path: null, waiting: charges.length }
      for (const charge of charges) saved.set(charge, file)
      try {
        file.path = await writeSpool(folder, 'charges', linesOf(charges), now())
      } catch (error) {
        for (const charge of charges) saved.delete(charge)
        printOnce(charges, error)
        return false
      }
      own.add(file.path)
      await removeWhenDelivered(file)
      return true
    },
    saveNow(charges) {
      try {
        const path = writeSpoolNow(folder, 'charges', linesOf(charges), now())
        own.add(path)
        const file: SavedFile = { path, waiting: charges.length }
        for (const charge of charges) saved.set(charge, file)
      } catch (error) {
        printOnce(charges, error)
      }
    },
    delivered(charge) {
      const file = saved.get(charge)
      if (file === undefined) return
      saved.delete(charge)
      file.waiting -= 1
      void removeWhenDelivered(file)
    },
    async setAside(charge, reason) {
      try {
        const line = chargeLine(chargeEntry(charge, now(), reason))
        await writeSpool(folder, 'refused', line, now())
      } catch (error) {
        printOnce([charge], error, reason)
      }
    },
    isOwn: (path) => own.has(path),
  }
}

interface SavedFile {
  /** Null while it is being written. */
  path: string | null
  /** Charges that are not delivered yet. */
  waiting: number
}

/** Level as pino has it: 60 = fatal. */
const FATAL = 60

const logLine = (charge: ChargeEntry, time: number, error: unknown): string =>
  `${JSON.stringify({
    level: FATAL,
    time,
    reason: error instanceof Error ? error.message : String(error),
    charge,
    msg: 'spool: a charge could not be written to DATA_DIR/spool; keep this line: npm run charges -- deliver <file> charges it',
  })}\n`
