import { useTranslation } from 'react-i18next'
import { ArchiveMenu } from '../../parts/archive-menu.tsx'
import { dateOf } from '../../parts/time-format.ts'
import type { Period } from '../../parts/range/months.ts'
import type { StatementSearch } from './filters.ts'
import { NOT_PRINTED } from './print.ts'
import { exportAt } from './queries.ts'

/** Saves what a statement shows; a book of hledger or beancount has no filters. */
export function ExportMenu({ search, period }: { search: StatementSearch; period: Period }) {
  const { t } = useTranslation()
  const whose = search.user === undefined ? '' : `-${search.user}`
  const isFiltered = [search.term, search.token, search.model].some((one) => one !== undefined)
  const lines = [
    ['csv', t('list.archive_csv')],
    ['jsonl', t('list.archive_jsonl')],
  ] as const
  const books = [
    ['hledger', t('statement.export_hledger')],
    ['beancount', t('statement.export_beancount')],
  ] as const
  return (
    <ArchiveMenu
      formats={isFiltered ? lines : [...lines, ...books]}
      at={(formats) => exportAt(search, period, formats)}
      name={() => `statement${whose}-${dateOf(period.from / 1000).slice(0, 10)}`}
      css={NOT_PRINTED}
    />
  )
}
