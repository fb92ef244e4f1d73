import type { TFunction } from 'i18next'
import { isPriceKey } from '../../core/options.ts'
import { dollarsPerMillion } from '../../parts/dollars.ts'
import type { PriceEntry } from './price-mutations.ts'

/** A dialog with more lines than this would not be read. */
const LINES_MAX = 12

/**
 * The changes, a line each: model or group, which number, from what to what; of a model's ratio, what that makes a
 * million input tokens cost.
 */
export function changeLines(
  changes: readonly PriceEntry[],
  t: TFunction,
  quotaPerUnit: number,
): string {
  const lines = changes.slice(0, LINES_MAX).map(({ name, key, from, to }) => {
    const valueOf = (text: string | null): string => {
      if (text === null) return t('pricing.noEntry')
      return key === 'ModelRatio'
        ? t('pricing.ratioIs', {
            ratio: text,
            price: dollarsPerMillion(Number(text), quotaPerUnit),
          })
        : text
    }
    return t('pricing.changeLine', {
      model: name,
      option: isPriceKey(key) ? t(`pricing.option_${key}`) : key,
      from: valueOf(from),
      to: valueOf(to),
    }).trim()
  })
  const rest = changes.length - LINES_MAX
  return [...lines, ...(rest > 0 ? [t('pricing.moreLines', { n: rest })] : [])].join('\n')
}
