import type { OptionsView } from '@tollgate/domain/settings/options.ts'

/**
 * A quota as logs and messages write it (Q$ of console-api): `＄0.002000 额度` in currency, with the full-width dollar
 * sign and six decimals, else `1000 点额度`.
 */
export function quotaText(amount: number, options: OptionsView): string {
  const unit = options.flag('DisplayInCurrencyEnabled') ? '额度' : '点额度'
  return `${quotaFigure(amount, options)} ${unit}`
}

/** The same without its unit (F$ of console-api): `＄0.002000`, else `1000`. */
export function quotaFigure(amount: number, options: OptionsView): string {
  if (!options.flag('DisplayInCurrencyEnabled')) return String(amount)
  return `＄${(amount / options.number('QuotaPerUnit')).toFixed(6)}`
}
