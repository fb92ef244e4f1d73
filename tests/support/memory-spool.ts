import type { UsageReport } from '@tollgate/domain/ports/usage-journal.ts'
import type { ChargeSpool } from '@tollgate/relay/holds/charge-spool.ts'

/** A spool that shows what it was given. */
export interface MemorySpool extends ChargeSpool {
  /** Saved and not delivered since. */
  readonly saved: Set<UsageReport>
  readonly refused: UsageReport[]
}

export function memorySpool(): MemorySpool {
  const saved = new Set<UsageReport>()
  const refused: UsageReport[] = []
  const saveNow = (charges: readonly UsageReport[]): void => {
    for (const charge of charges) saved.add(charge)
  }
  return {
    saved,
    refused,
    saveNow,
    save(charges) {
      saveNow(charges)
      return Promise.resolve(true)
    },
    delivered: (charge) => void saved.delete(charge),
    setAside(charge) {
      refused.push(charge)
      return Promise.resolve()
    },
  }
}
