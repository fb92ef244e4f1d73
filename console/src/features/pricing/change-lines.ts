import type { TFunction } from 'i18next'
import { isPriceKey } from '../../core/options.ts'
import type { PriceEntry } from './price-mutations.ts'

/** A dialog with more lines than this would not be read. */
const LINES_MAX = 12

/** The changes, a line each: model or group, which number, from what to what. */
export function changeLines(changes: readonly PriceEntry[], t: TFunction): string {
  const lines = changes.slice(0, LINES_MAX).map(({ name, key, from, to }) =>
    t('pricing.changeLine', {
      model: name,
      option: isPriceKey(key) ? t(`pricing.option_${key}`) : key,
      from: from ?? t('pricing.noEntry'),
      to: to ?? t('pricing.noEntry'),
    }).trim(),
  )
  const rest = changes.length - LINES_MAX
  return [...lines, ...(rest > 0 ? [t('pricing.moreLines', { n: rest })] : [])].join('\n')
}
