import { Button } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import { SlidersHorizontal } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useIsRoot } from '../../core/session.ts'
import { ExportButton } from '../../parts/export-button.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import { usePriceColumns, useRevisionName } from './columns.tsx'
import { PRICE_FILTERS, type PricesSearch } from './filters.ts'
import { PriceLine } from './price-line.tsx'
import { revisionQuery, revisionsAt, revisionsQuery } from './queries.ts'
import { RevisionPanel } from './revision-panel.tsx'

/** The group that users are in unless they are put into another. */
const DEFAULT_GROUP = 'default'

/** Revisions of prices: from when to when, by whom, what changed, how much was charged by each. */
export function Prices(props: { search: PricesSearch; onSearch: (search: PricesSearch) => void }) {
  const { t } = useTranslation()
  const { search, onSearch } = props
  const isRoot = useIsRoot()
  const columns = usePriceColumns()
  const nameOf = useRevisionName()
  return (
    <ListPage
      name="prices"
      title={t('place.prices')}
      actions={<ExportButton name="price-history" list={() => revisionsAt(search)} />}
      create={
        isRoot ? (
          <Button asChild size="sm">
            <Link to="/setting" search={{ prices: 'visual' }} hash="prices">
              <SlidersHorizontal size={15} aria-hidden />
              {t('prices.edit')}
            </Link>
          </Button>
        ) : undefined
      }
      filters={PRICE_FILTERS}
      search={search}
      onSearch={onSearch}
      columns={columns}
      columnsKey="prices-table-columns"
      query={(pageSize) => revisionsQuery(search, pageSize)}
      summary={
        search.model === undefined ? undefined : (
          <PriceLine model={search.model} group={search.group ?? DEFAULT_GROUP} />
        )
      }
      rowId={({ revision }) => String(revision)}
      empty={{
        title: t('prices.emptyTitle'),
        detail: t('prices.emptyDetail'),
        noneFound: t('prices.noneFound'),
      }}
      peek={{
        title: nameOf,
        render: (revision) => <RevisionPanel key={revision.revision} revision={revision} />,
        find: revisionQuery,
      }}
    />
  )
}
