import { Button, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { SlidersHorizontal } from 'lucide-react'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsRoot, useSessionUser } from '../../core/session.ts'
import { Select } from '../../parts/choice-fields.tsx'
import { CopyTextButton } from '../../parts/copy.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import { notifyInfo } from '../../parts/notify.tsx'
import { Page } from '../../parts/page.tsx'
import { SkeletonRows } from '../../parts/states.tsx'
import { Banners } from './banners.tsx'
import { usePricingColumns } from './columns.tsx'
import type { PricingSearch } from './filters.ts'
import { PRICING_FILTERS } from './filters.ts'
import { startGroup } from './price-rows.ts'
import { pricedModelsQuery, pricingQuery } from './queries.ts'

interface PricingProps {
  readonly search: PricingSearch
  readonly onSearch: (search: PricingSearch) => void
}

/** Bars that stand in for what is said above the list, its filters and its rows. */
const SKELETON_ROWS = 14
const NO_RATIOS: Readonly<Record<string, number>> = {}

/** The prices of all models on offer, in the group that is looked at. */
export function PricingScreen({ search, onSearch }: PricingProps) {
  const { t } = useTranslation()
  const user = useSessionUser()
  const { data: list, isPending } = useQuery(pricingQuery)
  const ratios = list?.groupRatio ?? NO_RATIOS
  const usable = Object.keys(ratios)
  const group =
    search.group && usable.includes(search.group) ? search.group : startGroup(user?.group, usable)
  const viewGroup = useCallback(
    (name: string) => {
      onSearch({ ...search, group: name })
      notifyInfo(t('pricing.viewing', { group: name, ratio: ratios[name] ?? 1 }))
    },
    [onSearch, search, ratios, t],
  )
  const columns = usePricingColumns(group, ratios, viewGroup)
  // The banners above the list come with the prices, and would push it down.
  if (isPending)
    return (
      <Page title={t('place.pricing')} actions={<EditPrices />} isWide>
        <SkeletonRows rows={SKELETON_ROWS} height="37px" />
      </Page>
    )
  return (
    <ListPage
      name="pricing"
      title={t('place.pricing')}
      note={list ? <Banners list={list} group={group} /> : null}
      actions={<EditPrices />}
      filters={PRICING_FILTERS}
      search={search}
      onSearch={onSearch}
      tools={
        <>
          {usable.length > 1 ? (
            <Select
              label={t('pricing.group')}
              width="180px"
              value={group}
              onChange={viewGroup}
              options={usable.map((name) => ({
                value: name,
                label: t('pricing.groupOption', { name, ratio: ratios[name] ?? 1 }),
              }))}
            />
          ) : null}
          <Text fontSize="xs" color="fg.muted">
            {list ? t('pricing.count', { count: list.models.length }) : ''}
          </Text>
        </>
      }
      columns={columns}
      columnsKey="pricing-table-columns"
      query={() => pricedModelsQuery(search.q ?? '')}
      isUnpaged
      rowId={(model) => model.model_name}
      empty={{
        title: t('pricing.emptyTitle'),
        detail: t('pricing.emptyDetail'),
        noneFound: t('pricing.noneFound'),
      }}
      renderBulk={(models) => (
        <CopyTextButton text={models.map(({ model_name: name }) => name).join(',')}>
          {t('pricing.copySelected', { n: models.length })}
        </CopyTextButton>
      )}
    />
  )
}

/** The way to the editor, for who may set prices. */
function EditPrices() {
  const { t } = useTranslation()
  if (!useIsRoot()) return null
  return (
    <Button asChild size="sm" variant="outline">
      <Link to="/setting" search={{ prices: 'visual' }} hash="prices">
        <SlidersHorizontal size={15} aria-hidden />
        {t('pricing.editPrices')}
      </Link>
    </Button>
  )
}
