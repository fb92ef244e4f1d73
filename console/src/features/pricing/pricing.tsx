import { Button, Flex, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { SlidersHorizontal } from 'lucide-react'
import { useCallback, useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsRoot, useSessionUser } from '../../core/session.ts'
import { CopyTextButton } from '../../parts/copy.tsx'
import type { Selection } from '../../parts/table/data-table.tsx'
import { DataTable } from '../../parts/table/data-table.tsx'
import { Select } from '../../parts/choice-fields.tsx'
import { Freshness } from '../../parts/freshness.tsx'
import { notifyInfo } from '../../parts/notify.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { EmptyState, SkeletonRows } from '../../parts/states.tsx'
import { Banners } from './banners.tsx'
import { usePricingColumns } from './columns.tsx'
import type { PricingSearch } from './filters.ts'
import { matchesFuzzily, startGroup } from './price-rows.ts'
import { pricingQuery } from './queries.ts'

interface PricingProps {
  readonly search: PricingSearch
  readonly onSearch: (search: PricingSearch) => void
}

/** Bars that stand in for what is said above the list, its filters and its rows. */
const SKELETON_ROWS = 14
const NO_RATIOS: Readonly<Record<string, number>> = {}

/** The prices of all models on offer, in the group that is looked at. */
export function PricingScreen(props: PricingProps) {
  const { t } = useTranslation()
  const isRoot = useIsRoot()
  const edit = (
    <Button asChild size="sm" variant="outline">
      <Link to="/setting" search={{ prices: 'visual' }} hash="prices">
        <SlidersHorizontal size={15} aria-hidden />
        {t('pricing.editPrices')}
      </Link>
    </Button>
  )
  return (
    <Page title={t('place.pricing')} actions={isRoot ? edit : null}>
      <PriceListView {...props} />
    </Page>
  )
}

function PriceListView({ search, onSearch }: PricingProps) {
  const { t } = useTranslation()
  const user = useSessionUser()
  const pricing = useQuery(pricingQuery)
  const list = useDeferredValue(pricing.data)
  const ratios = list?.groupRatio ?? NO_RATIOS
  const usable = Object.keys(ratios)
  const group =
    search.group && usable.includes(search.group) ? search.group : startGroup(user?.group, usable)
  const [selection, setSelection] = useState<Selection>({})
  const viewGroup = useCallback(
    (name: string) => {
      onSearch({ ...search, group: name })
      notifyInfo(t('pricing.viewing', { group: name, ratio: ratios[name] ?? 1 }))
    },
    [onSearch, search, ratios, t],
  )
  const columns = usePricingColumns(group, ratios, viewGroup)
  const rows = useMemo(
    () => list?.models.filter((model) => matchesFuzzily(model.model_name, search.q ?? '')),
    [list, search.q],
  )
  const names = rows?.map((row) => row.model_name).filter((name) => selection[name]) ?? []
  if (!list && !pricing.error) return <SkeletonRows rows={SKELETON_ROWS} height="37px" />
  return (
    <>
      {list ? <Banners list={list} group={group} /> : null}
      <Panel>
        <Flex
          gap="2"
          p="2.5"
          wrap="wrap"
          align="center"
          borderBottomWidth="1px"
          borderColor="border"
        >
          <SearchBox
            label={t('pricing.search')}
            // On a phone both stand in one line.
            width="clamp(140px, 42vw, 200px)"
            value={search.q ?? ''}
            onSearch={(q) => onSearch({ ...search, q })}
          />
          {usable.length > 1 ? (
            <Select
              label={t('pricing.group')}
              width="clamp(140px, 40vw, 180px)"
              value={group}
              onChange={viewGroup}
              options={usable.map((name) => ({
                value: name,
                label: t('pricing.groupOption', { name, ratio: ratios[name] ?? 1 }),
              }))}
            />
          ) : null}
          {names.length > 0 ? (
            <CopyTextButton text={names.join(',')}>
              {t('pricing.copySelected', { n: names.length })}
            </CopyTextButton>
          ) : null}
          <Flex flex="1" justify="flex-end" align="center" gap="2">
            <Text fontSize="xs" color="fg.muted">
              {rows ? t('pricing.count', { n: rows.length }) : ''}
            </Text>
            <Freshness
              readAt={pricing.dataUpdatedAt}
              isReading={pricing.isFetching}
              onRefresh={() => void pricing.refetch()}
            />
          </Flex>
        </Flex>
        <DataTable
          label={t('place.pricing')}
          columns={columns}
          rows={rows}
          rowId={(model) => model.model_name}
          error={pricing.error}
          onRetry={() => void pricing.refetch()}
          selection={selection}
          onSelection={setSelection}
          empty={
            search.q ? (
              <EmptyState
                title={t('pricing.noneFound')}
                action={
                  <Button size="xs" variant="outline" onClick={() => onSearch({})}>
                    {t('action.reset')}
                  </Button>
                }
              />
            ) : (
              <EmptyState title={t('pricing.emptyTitle')} detail={t('pricing.emptyDetail')} />
            )
          }
        />
      </Panel>
    </>
  )
}
