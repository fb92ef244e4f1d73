import type { BillingSettings } from '../directory/facts.ts'

/** US dollars have six decimals wherever quota is written in them. */
const DECIMALS = 6

/** An amount of quota as refusals tell it: `＄0.100000`, or the bare number (relay-and-billing.md 4.2). */
export const amountText = (
  amount: number,
  { inCurrency, quotaPerUnit }: Pick<BillingSettings, 'inCurrency' | 'quotaPerUnit'>,
): string => (inCurrency ? `＄${(amount / quotaPerUnit).toFixed(DECIMALS)}` : String(amount))
