import type { UsageReport } from '@tollgate/domain/ports/usage-journal.ts'

/**
 * Where charges are kept that the journal has not acknowledged in time, so that nothing promised to a client lives in
 * memory alone (architecture 11.4). No call fails: a charge that cannot be kept is logged whole, to be handed over by
 * `npm run charges -- deliver`.
 */
export interface ChargeSpool {
  /** Resolves when the charges are on disk (true), or logged (false). A charge is logged once, however often it is saved. */
  save(charges: readonly UsageReport[]): Promise<boolean>
  /** The same before it returns, for a process that is about to end. */
  saveNow(charges: readonly UsageReport[]): void
  /** The journal has acknowledged a charge that was saved, or is being saved. */
  delivered(charge: UsageReport): void
  /** The journal refuses a charge for good. Resolves when it is kept apart, for an operator. */
  setAside(charge: UsageReport, reason: string): Promise<void>
}
