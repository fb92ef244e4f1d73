import type { CommonQueryMethods } from 'slonik'
import { balancesAsOf, journalReach } from '../journal/queries.ts'
import { isFinal } from '../journal/final.ts'
import { type LinePage, readLines, type WantedLines } from './lines.ts'
import { termsOf } from './sums.ts'

/** An account's period: opening + credits − charges + refunds − deductions = closing, with a page of its lines. */
export interface Statement extends LinePage {
  /** Posted balances at both ends of the period. */
  readonly opening: number
  readonly closing: number
  /** Everything that was added but refunds of charges. */
  readonly credits: number
  readonly charges: number
  readonly refunds: number
  /** Taken by administrators. */
  readonly deductions: number
  /** At the end of the period: what holds reserve, what is left of the posted balance, rewards not yet transferred. */
  readonly held: number
  readonly available: number
  readonly affiliate: number
  /** The last posting before the end; -1 for none. */
  readonly position: number
  /** Everything up to this position of the log is in it. */
  readonly complete_to: number
  /** No event that comes later can change it. */
  readonly final: boolean
}

/** In a transaction that sees one state of the journal throughout, so that lines and terms are of the same. */
export async function readStatement(
  reads: CommonQueryMethods,
  wanted: WantedLines,
): Promise<Statement> {
  const { userId, period } = wanted
  const start = await balancesAsOf(reads, userId, { before: period.from })
  const end = await balancesAsOf(reads, userId, { before: period.to })
  const terms = await termsOf(reads, userId, period)
  const reach = await journalReach(reads, userId)
  const page = await readLines(reads, wanted)
  const opening = start.wallet + start.held
  const closing = end.wallet + end.held
  return {
    opening,
    closing,
    credits: closing - opening + terms.charges - terms.refunds + terms.deductions,
    ...terms,
    held: end.held,
    available: end.wallet,
    affiliate: end.affiliate,
    position: end.position,
    complete_to: reach.position,
    final: isFinal(reach, { before: period.to }),
    ...page,
  }
}
