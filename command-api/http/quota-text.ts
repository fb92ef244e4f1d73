import type { OptionsView } from '@tollgate/domain/settings/options.ts'

/**
 * A quota as logs and messages write it (Q$ of console-api): `＄0.002000 额度` in currency, with the full-width dollar
 * sign and six decimals, else `1000 点额度`.
 */
export function quotaText(amount: number, options: OptionsView): string {
  if (!options.flag('DisplayInCurrencyEnabled')) return `${amount} 点额度`
  return `＄${(amount / options.number('QuotaPerUnit')).toFixed(6)} 额度`
}
