import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { StreamUnusable } from '@tollgate/domain/ports/event-store.ts'
import type { UsageJournal, UsageReport } from '@tollgate/domain/ports/usage-journal.ts'
import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import { readChargeLine } from './charge-lines.ts'

/** Charges handed over at a time; the ledger appends those of one account together. */
const AT_ONCE = 64

export interface DeliveryOptions {
  readonly journal: Pick<UsageJournal, 'publish'>
  /** Told of a charge that the journal refuses for good. */
  readonly onRefused: (charge: UsageReport, reason: string) => Promise<void> | void
  /**
   * Told of a charge whose account decides nothing until an operator acts; such a one is refused where this is left out.
   */
  readonly onLocked?: (charge: UsageReport) => void
  /** Told of a line that speaks of a charge and cannot be read; `line` is as it stands there. */
  readonly onProblem: (line: string, problem: string) => Promise<void> | void
  /** Ends the delivery before the next charges. */
  readonly signal?: AbortSignal
}

export interface DeliveryReport {
  /** Charges that the ledger has now, or had before. */
  readonly delivered: number
  readonly refused: number
  /** Lines that speak of a charge and cannot be read. */
  readonly problems: number
}

/**
 * Hands every charge in a file to the journal: a spool file, or a log with such lines in it. The same charge again
 * charges nothing. Fails as the journal does while it is unavailable, and as the file system does.
 */
export async function deliverFile(path: string, options: DeliveryOptions): Promise<DeliveryReport> {
  const { journal, onRefused, onLocked, onProblem, signal } = options
  const report = { delivered: 0, refused: 0, problems: 0 }

  async function deliver(charge: UsageReport): Promise<void> {
    try {
      // It may have been published before it was saved, or by an earlier delivery.
      await journal.publish(charge, true)
      report.delivered += 1
    } catch (error) {
      if (isTransient(error)) throw error
      if (error instanceof StreamUnusable && onLocked !== undefined) {
        onLocked(charge)
        return
      }
      await onRefused(charge, error instanceof Error ? error.message : String(error))
      report.refused += 1
    }
  }

  let charges: UsageReport[] = []
  const deliverAll = async (): Promise<void> => {
    signal?.throwIfAborted()
    const outcomes = await Promise.allSettled(charges.map(deliver))
    charges = []
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  const input = createReadStream(path, 'utf8')
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      const read = readChargeLine(line)
      if (read.kind === 'problem') {
        await onProblem(line, read.problem)
        report.problems += 1
      }
      if (read.kind !== 'charge') continue
      charges.push(read.message)
      if (charges.length === AT_ONCE) await deliverAll()
    }
  } finally {
    input.destroy()
  }
  await deliverAll()
  return report
}
