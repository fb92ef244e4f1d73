import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { ExportButton } from '../../parts/export-button.tsx'
import { filtered } from '../../parts/list/filters.ts'
import { ListPage } from '../../parts/list/list-page.tsx'
import { useLatest } from '../../parts/use-latest.ts'
import { useEventColumns } from './columns.tsx'
import type { EventSearch } from './filters.ts'
import { EVENT_FILTERS } from './filters.ts'
import { eventsAt, eventsQuery } from './queries.ts'

/** The event log as it is stored: all of it by position, or one stream; each event opens a page of its own. */
export function Events(props: { search: EventSearch; onSearch: (search: EventSearch) => void }) {
  const { t } = useTranslation()
  const { search, onSearch } = props
  const latestRef = useLatest(props)
  const filterBy = useCallback(
    (change: Partial<EventSearch>) =>
      latestRef.current.onSearch(filtered(latestRef.current.search, change)),
    [latestRef],
  )
  const columns = useEventColumns(filterBy)
  return (
    <ListPage
      name="events"
      title={t('place.events')}
      actions={<ExportButton name="events" list={() => eventsAt(search)} />}
      filters={EVENT_FILTERS}
      search={search}
      onSearch={onSearch}
      columns={columns}
      columnsKey="events-table-columns"
      query={(pageSize) => eventsQuery(search, pageSize)}
      rowId={(event) => String(event.position)}
      empty={{ title: t('events.emptyTitle'), noneFound: t('events.noneFound') }}
    />
  )
}
