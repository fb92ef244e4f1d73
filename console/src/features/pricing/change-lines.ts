import type { TFunction } from 'i18next'
import type { PriceChange } from './price-draft.ts'

/** A dialog with more lines than this would not be read. */
const LINES_MAX = 12

/** What changes, a line each: model, which number, from what to what. */
export function changeLines(changes: readonly PriceChange[], t: TFunction): string {
  const lines = changes.slice(0, LINES_MAX).map(({ model, option, from, to }) =>
    t('pricing.changeLine', {
      model,
      option: t(`pricing.option_${option}`),
      from: from ?? t('pricing.noEntry'),
      to: to ?? t('pricing.noEntry'),
    }),
  )
  const rest = changes.length - LINES_MAX
  return [...lines, ...(rest > 0 ? [t('pricing.moreLines', { n: rest })] : [])].join('\n')
}
