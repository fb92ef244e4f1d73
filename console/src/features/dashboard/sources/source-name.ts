import { useTranslation } from 'react-i18next'
import type { Source } from './source-queries.ts'

/** The name of a source, with its prices and whether it is filtered: "January (at other prices, filtered)". */
export function useSourceName(): (source: Source) => string {
  const { t } = useTranslation()
  return (source) => {
    if (source === 'live') return t('sources.live')
    const facts = [
      t(source.prices === 'as-charged' ? 'sources.charged' : 'sources.repriced'),
      ...(Object.keys(source.filters).length > 0 ? [t('sources.filtered')] : []),
    ]
    return `${source.name} (${facts.join(', ')})`
  }
}
