import { chakra } from '@chakra-ui/react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Actor } from '../../parts/actor.tsx'
import { EventLink } from '../../parts/event-link.tsx'
import { Filtering } from '../../parts/filtering.tsx'
import { columnHelper, TIME_WIDTH } from '../../parts/table/table-features.ts'
import { Time } from '../../parts/time.tsx'
import { useEventName } from './event-names.ts'
import type { EventSearch } from './filters.ts'
import type { StoredEvent } from './stored-event.ts'

type FilterBy = (change: Partial<EventSearch>) => void
const column = columnHelper<StoredEvent>()

/** The event log's columns; a click on a value hands `filterBy` the filter that it stands for. */
export function useEventColumns(filterBy: FilterBy) {
  const { t } = useTranslation()
  return useMemo(
    () =>
      column.columns([
        column.accessor('position', {
          header: t('events.position'),
          meta: { width: 104, align: 'end', phone: 'value' },
          cell: ({ row }) => <EventLink position={row.original.position} />,
        }),
        column.accessor('recorded_at', {
          id: 'time',
          header: t('events.time'),
          meta: { width: TIME_WIDTH, phone: 'meta' },
          cell: ({ row: { original: event } }) => (
            <Time seconds={(event.at ?? event.recorded_at) / 1000} />
          ),
        }),
        column.accessor('type', {
          header: t('events.type'),
          meta: { width: 220, share: 2, phone: 'title' },
          cell: ({ row: { original: event } }) => <EventType type={event.type} />,
        }),
        column.accessor('stream', {
          header: t('events.stream'),
          meta: { width: 140, share: 1, phone: 'meta' },
          cell: ({ row: { original: event } }) => (
            <Filtering value={event.stream} onChoose={() => filterBy({ stream: event.stream })}>
              {`${event.stream} · ${event.revision}`}
            </Filtering>
          ),
        }),
        column.accessor('actor', {
          header: t('events.actor'),
          meta: { width: 150, share: 1, phone: 'meta' },
          cell: ({ row: { original: event } }) => (
            <Filtering value={event.actor} onChoose={() => filterBy({ actor: event.actor })}>
              <Actor of={event} />
            </Filtering>
          ),
        }),
        column.accessor('correlation_id', {
          id: 'correlation',
          header: t('events.correlation'),
          meta: { width: 180, share: 2 },
          cell: ({ row: { original: event } }) => (
            <Filtering
              value={event.correlation_id}
              onChoose={() => filterBy({ correlation: event.correlation_id })}
            />
          ),
        }),
      ]),
    [t, filterBy],
  )
}

/** An event's name in the reader's language, and its type as stored. */
export function EventType({ type }: { type: string }) {
  const name = useEventName()(type)
  return (
    <>
      {name}
      {name === type ? null : (
        <chakra.span color="fg.muted" fontFamily="mono" fontSize="xs">{` ${type}`}</chakra.span>
      )}
    </>
  )
}
