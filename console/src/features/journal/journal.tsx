import { lazy, Suspense, useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { ArchiveMenu } from '../../parts/archive-menu.tsx'
import { filtered } from '../../parts/list/filters.ts'
import { ListPage } from '../../parts/list/list-page.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { SkeletonRows } from '../../parts/states.tsx'
import { dateOf } from '../../parts/time-format.ts'
import { useLatest } from '../../parts/use-latest.ts'
import { useJournalColumns } from './columns.tsx'
import type { JournalSearch } from './filters.ts'
import { JOURNAL_FILTERS } from './filters.ts'
import { placeOf, postedName } from './journal-line.ts'
import { journalExportAt, journalQuery, postingQuery } from './queries.ts'
import { Totals } from './totals.tsx'

const PostingPanel = lazy(() => import('./posting-panel.tsx'))

/** Every posting of the ledger: filtered by the address or a click on a cell, opened as T-accounts, exported. */
export function Journal(props: {
  search: JournalSearch
  onSearch: (search: JournalSearch) => void
}) {
  const { t } = useTranslation()
  const { search, onSearch } = props
  const latestRef = useLatest(props)
  const filterBy = useCallback(
    (change: Partial<JournalSearch>) =>
      latestRef.current.onSearch(filtered(latestRef.current.search, change)),
    [latestRef],
  )
  const columns = useJournalColumns(filterBy)
  return (
    <ListPage
      name="journal"
      title={t('place.journal')}
      actions={
        <ArchiveMenu
          formats={[
            ['csv', t('list.archive_csv')],
            ['jsonl', t('list.archive_jsonl')],
          ]}
          at={(formats) => journalExportAt(search, formats)}
          name={() => `journal-${dateOf(Date.now() / 1000)}`}
        />
      }
      filters={JOURNAL_FILTERS}
      search={search}
      onSearch={onSearch}
      columns={columns}
      columnsKey="journal-table-columns"
      query={(pageSize) => journalQuery(search, pageSize)}
      rowId={placeOf}
      summary={<Totals search={search} />}
      empty={{
        title: t('audit.emptyTitle'),
        detail: t('audit.emptyDetail'),
        noneFound: t('audit.noneFound'),
      }}
      peek={{
        title: (line) => `${postedName(t, line)} · ${grouped(line.position, 0)}`,
        render: (line) => (
          <Suspense fallback={<SkeletonRows rows={8} height="20px" />}>
            <PostingPanel line={line} />
          </Suspense>
        ),
        find: postingQuery,
      }}
    />
  )
}
