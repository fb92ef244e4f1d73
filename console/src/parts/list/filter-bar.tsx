import { Button, chakra } from '@chakra-ui/react'
import { ListFilter } from 'lucide-react'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../core/session.ts'
import { ChoiceButton } from '../choice-button.tsx'
import { useIsPhone } from '../media.ts'
import { rangeOf, rangeSearch } from '../range/range.ts'
import { RangePicker } from '../range/range-picker.tsx'
import { SearchBox } from '../search-box.tsx'
import { FilterChip } from './filter-chip.tsx'
import type { Filter, Filters, AnySearch } from './filters.ts'
import { filtered, filtersSet, valueOf } from './filters.ts'

/**
 * The filters of a list: texts as fields, the others as chips. On a phone they fold into a button that says how many
 * are set.
 */
export function FilterBar(props: {
  filters: Filters
  search: AnySearch
  onSearch: (search: AnySearch) => void
  children?: ReactNode
}) {
  const { t } = useTranslation()
  const { filters, search } = props
  const isAdmin = useIsAdmin()
  const isPhone = useIsPhone()
  const [isUnfolded, setUnfolded] = useState(false)
  const set = filtersSet(filters, search)
  const isShown = !isPhone || isUnfolded
  const hasAny = Object.keys(filters).length > 0 || props.children !== undefined
  const shown = isShown ? Object.entries(filters).filter(([, one]) => isAdmin || !one.isAdmin) : []
  const one = ([key, filter]: [string, Filter]) => (
    <One
      key={key}
      filter={filter}
      search={search}
      value={valueOf(search, key)}
      onChange={(change) => props.onSearch(filtered(search, change))}
      name={key}
    />
  )
  const last = shown.at(-1)
  const reset = () => props.onSearch(search.size === undefined ? {} : { size: search.size })
  return (
    <chakra.search
      display="flex"
      gap="2"
      flexWrap="wrap"
      alignItems="center"
      aria-label={t('list.filters')}
    >
      {isPhone && hasAny ? (
        <Button
          size="xs"
          variant={set > 0 ? 'subtle' : 'outline'}
          aria-expanded={isUnfolded}
          onClick={() => setUnfolded(!isUnfolded)}
        >
          <ListFilter size={14} aria-hidden />
          {set > 0 ? t('list.filtersSet', { n: set }) : t('list.filters')}
        </Button>
      ) : null}
      {shown.slice(0, -1).map(one)}
      {last ? (
        // Together, so that the button never stands in a line of its own.
        <chakra.span display="flex" gap="2" alignItems="center" maxW="full">
          {one(last)}
          {set > 0 ? (
            <Button size="xs" variant="ghost" onClick={reset}>
              {t('action.reset')}
            </Button>
          ) : null}
        </chakra.span>
      ) : null}
      {isShown ? props.children : null}
    </chakra.search>
  )
}

function One(props: {
  name: string
  filter: Filter
  search: AnySearch
  value: string | number | boolean | undefined
  onChange: (change: object) => void
}) {
  const { t } = useTranslation()
  const { name, filter, value, onChange } = props
  if (filter.kind === 'range')
    return (
      <RangePicker
        hasAll
        value={rangeOf(props.search)}
        onChange={(range) =>
          onChange({ range: undefined, start: undefined, end: undefined, ...rangeSearch(range) })
        }
      />
    )
  if (filter.kind === 'flag' && !filter.options)
    return (
      <ChoiceButton
        isChosen={value === true}
        {...(value ? {} : { borderStyle: 'dashed', color: 'fg.muted' })}
        onClick={() => onChange({ [name]: value ? undefined : true })}
      >
        {t(filter.label)}
      </ChoiceButton>
    )
  if (filter.kind === 'text')
    return (
      <SearchBox
        label={t(filter.label)}
        width="180px"
        value={String(value ?? '')}
        onSearch={(words) => onChange({ [name]: words })}
      />
    )
  return (
    <FilterChip
      filter={filter}
      value={typeof value === 'boolean' ? String(value) : value}
      onChange={(next) => onChange({ [name]: held(filter, next) })}
    />
  )
}

/** The value that a chip chose, as the address has it. */
function held({ kind }: Filter, chosen: string | number | undefined) {
  if (chosen === undefined || chosen === '') return undefined
  if (kind === 'flag') return true
  return kind === 'choice' ? Number(chosen) : chosen
}
