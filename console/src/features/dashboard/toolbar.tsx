import { chakra, Flex } from '@chakra-ui/react'
import type { ComponentProps } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../core/session.ts'
import { ChoiceButton } from '../../parts/choice-button.tsx'
import { Freshness } from '../../parts/freshness.tsx'
import { RangePicker } from '../../parts/range/range-picker.tsx'
import { rangeOf, rangeSearch } from '../../parts/range/range.ts'
import { FilterChip } from '../../parts/list/filter-chip.tsx'
import type { DashboardSearch } from './filters.ts'
import { GRANULARITIES } from './filters.ts'
import type { DashboardView } from './view.ts'
import { allowsHours } from './view.ts'

const USER = { kind: 'user', label: 'dashboard.username' } as const

/** Range, granularity and whose use is shown; each change goes into the address. */
export function Toolbar(props: {
  view: DashboardView
  search: DashboardSearch
  nowSeconds: number
  onSearch: (search: DashboardSearch) => void
  freshness: ComponentProps<typeof Freshness>
}) {
  const { t } = useTranslation()
  const { view, search, onSearch } = props
  const isAdmin = useIsAdmin()
  // A range that only the granularity chose gives way to the hours' own.
  const hasHours = rangeOf(search).type === 'all' || allowsHours(view.range, props.nowSeconds)
  return (
    <Flex gap="2" wrap="wrap" align="center" mb="3">
      <RangePicker
        value={view.range}
        onChange={(range) => {
          const { by, username } = search
          onSearch({
            ...(by ? { by } : {}),
            ...(username ? { username } : {}),
            ...rangeSearch(range),
          })
        }}
      />
      <chakra.fieldset aria-label={t('dashboard.granularity')} display="flex" gap="1">
        {GRANULARITIES.map((by) => (
          <ChoiceButton
            key={by}
            isChosen={view.granularity === by}
            disabled={by === 'hour' && !hasHours}
            {...(by === 'hour' && !hasHours ? { 'data-hint': t('dashboard.noHours') } : {})}
            onClick={() => onSearch({ ...search, by })}
          >
            {t(`dashboard.by_${by}`)}
          </ChoiceButton>
        ))}
      </chakra.fieldset>
      {isAdmin ? (
        <FilterChip
          filter={USER}
          value={view.username || undefined}
          onChange={(username) => onSearch({ ...search, username: String(username ?? '') })}
        />
      ) : null}
      <Flex flex="1" justify="flex-end">
        <Freshness {...props.freshness} />
      </Flex>
    </Flex>
  )
}
