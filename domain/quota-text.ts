import type { OptionsView } from './settings/options.ts'

/** How amounts are written for people, as the options say. */
export interface QuotaNotation {
  /** DisplayInCurrencyEnabled. */
  readonly showsCurrency: boolean
  /** QuotaPerUnit. */
  readonly quotaPerUnit: number
}

/**
 * A quota as logs and messages write it (Q$ of console-api): `＄0.002000 额度` in currency, with the full-width dollar
 * sign and six decimals, else `1000 点额度`.
 */
export const quotaText = (amount: number, notation: QuotaNotation): string =>
  `${quotaFigure(amount, notation)} ${notation.showsCurrency ? '额度' : '点额度'}`

/** The same without its unit (F$ of console-api): `＄0.002000`, else `1000`. */
export const quotaFigure = (
  amount: number,
  { showsCurrency, quotaPerUnit }: QuotaNotation,
): string => (showsCurrency ? `＄${(amount / quotaPerUnit).toFixed(6)}` : String(amount))

/** How the options want amounts written. */
export const notationOf = (options: OptionsView): QuotaNotation => ({
  showsCurrency: options.flag('DisplayInCurrencyEnabled'),
  quotaPerUnit: options.number('QuotaPerUnit'),
})
