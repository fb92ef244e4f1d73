import { Button } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { Select } from '../../parts/fields.tsx'
import { rangeOf, rangeSearch } from '../../parts/range/range.ts'
import { RangePicker } from '../../parts/range/range-picker.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import type { LogSearch } from './filters.ts'
import { LOG_TYPES } from './log-type.ts'

/** The filters of the log; every change goes into the address and back to the first page. */
export function LogFilters(props: {
  search: LogSearch
  isAdmin: boolean
  onSearch: (search: LogSearch) => void
}) {
  const { t } = useTranslation()
  const { search, isAdmin } = props
  const change = (part: Partial<LogSearch>) => {
    const { row: _, p: __, ...kept } = search
    props.onSearch({ ...kept, ...part })
  }
  const { range: _, start: __, end: ___, ...others } = search
  const types = [
    { value: '0', label: t('log.type_all') },
    ...Object.entries(LOG_TYPES).map(([value, type]) => ({
      value,
      label: t(`log.type_${type.name}`),
    })),
  ]
  return (
    <>
      <RangePicker
        hasAll
        value={rangeOf(search)}
        onChange={(range) => props.onSearch({ ...others, ...rangeSearch(range), p: 1 })}
      />
      <Select
        label={t('log.type')}
        width="120px"
        value={String(search.type ?? 0)}
        onChange={(type) => change({ type: Number(type) })}
        options={types}
      />
      <SearchBox
        label={t('log.token')}
        width="120px"
        value={search.token ?? ''}
        onSearch={(token) => change({ token })}
      />
      <SearchBox
        label={t('log.modelPattern')}
        value={search.model ?? ''}
        onSearch={(model) => change({ model })}
      />
      <SearchBox
        label={t('log.group')}
        width="90px"
        value={search.group ?? ''}
        onSearch={(group) => change({ group })}
      />
      {isAdmin ? (
        <>
          <SearchBox
            label={t('log.channelId')}
            width="100px"
            inputMode="numeric"
            value={search.channel ? String(search.channel) : ''}
            onSearch={(id) => change({ channel: Number(id) || 0 })}
          />
          <SearchBox
            label={t('log.username')}
            width="110px"
            value={search.username ?? ''}
            onSearch={(username) => change({ username })}
          />
          <Select
            label={t('log.dataType')}
            width="130px"
            value={search.distinct ? 'distinct' : 'detail'}
            onChange={(value) => change({ distinct: value === 'distinct' })}
            options={[
              { value: 'detail', label: t('log.dataDetail') },
              { value: 'distinct', label: t('log.dataDistinct') },
            ]}
          />
        </>
      ) : null}
      <Button size="xs" variant="ghost" onClick={() => props.onSearch({})}>
        {t('action.reset')}
      </Button>
    </>
  )
}
