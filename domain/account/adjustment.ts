import type { NoteId } from '../ids.ts'
import type { Quota } from '../quota.ts'
import { type QuotaNotation, quotaText } from '../quota-text.ts'

/** Why and how an administrator changed a balance: facts, or the text of an event that has no facts. */
export type Adjustment = BalanceEdit | LegacyAdjustment

export interface BalanceEdit {
  /** The posted balance that the administrator saw, and the one that they set. */
  readonly from: Quota
  readonly to: Quota
  readonly reasonCode: 'balance_edited'
  /** The administrator's own words in `identity.adjustment_notes`, which can be erased; null = none. */
  readonly note: NoteId | null
}

/** Events before version 2 hold a rendered text; it is shown as it is. */
export interface LegacyAdjustment {
  readonly legacyText: string
}

/** A text in place of facts as an event has it; '' = none. */
export const legacyAdjustment = (text: string): { readonly adjustment?: LegacyAdjustment } =>
  text === '' ? {} : { adjustment: { legacyText: text } }

/** The facts of an edit; null where an event has none. */
export const balanceEditOf = (adjustment: Adjustment | undefined): BalanceEdit | null =>
  adjustment !== undefined && 'reasonCode' in adjustment ? adjustment : null

/** A credit's origin as of version 2: before it, the reason of a grant was a rendered text. */
export const originOf = <Source extends string>(
  source: Source,
  reason: string,
): { source: Source; reason: string; adjustment?: LegacyAdjustment } =>
  source === 'grant' ? { source, reason: '', ...legacyAdjustment(reason) } : { source, reason }

/** An adjustment by its direction. */
export interface Adjusted {
  readonly isCredit: boolean
  readonly amount: Quota
  /** Absent: no more than the amount was said. */
  readonly adjustment?: Adjustment
}

/** The contract's text of an adjustment (console-api 2.5), Chinese whatever the reader's language (decision 47). */
export function adjustmentText(
  { isCredit, amount, adjustment }: Adjusted,
  notation: QuotaNotation,
): string {
  if (adjustment === undefined) {
    return `管理员${isCredit ? '增加' : '减少'}用户额度 ${quotaText(amount, notation)}`
  }
  if ('legacyText' in adjustment) return adjustment.legacyText
  const { from, to } = adjustment
  return `管理员将用户额度从 ${quotaText(from, notation)}修改为 ${quotaText(to, notation)}`
}

/** A text of the contract with the administrator's words; '' = none. */
export const withNote = (text: string, note: string): string =>
  note === '' ? text : `${text}，原因：${note}`
