import { Box, chakra, Flex, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { EventLink } from '../../parts/event-link.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { EventType } from './columns.tsx'
import { causesQuery } from './queries.ts'
import type { RelatedEvent } from './stored-event.ts'

/** An event's causes and consequences across streams, as a tree in the order of the log. */
export function CausesTree({ position }: { position: number }) {
  const { t } = useTranslation()
  const causes = useQuery(causesQuery(String(position)))
  if (!causes.data)
    return causes.error ? (
      <ErrorState error={causes.error} onRetry={() => void causes.refetch()} />
    ) : (
      <SkeletonRows rows={3} height="24px" />
    )
  const { events, from, to, is_cut: isCut } = causes.data
  const known = new Set(events.map((event) => event.position))
  const roots = events.filter(({ parent }) => parent === null || !known.has(parent))
  return (
    <Box>
      {events.length > 1 ? (
        <Branch events={roots} all={events} here={position} label={t('events.causes')} />
      ) : (
        <Text>{t('events.alone')}</Text>
      )}
      <Text mt="3" fontSize="xs" color="fg.muted">
        {t('events.searched', { from: grouped(from, 0), to: grouped(to, 0) })}
        {isCut ? ` ${t('events.causesCut')}` : ''}
      </Text>
    </Box>
  )
}

function Branch(props: {
  events: readonly RelatedEvent[]
  all: readonly RelatedEvent[]
  here: number
  label?: string
}) {
  const { t } = useTranslation()
  return (
    <chakra.ul
      listStyleType="none"
      {...(props.label
        ? { 'aria-label': props.label }
        : { ps: '4', borderStartWidth: '1px', borderColor: 'border' })}
    >
      {props.events.map((event) => {
        const children = props.all.filter(({ parent }) => parent === event.position)
        return (
          <chakra.li key={event.position} py="1" aria-current={event.position === props.here}>
            <Flex
              gap="2"
              wrap="wrap"
              align="baseline"
              {...(event.position === props.here ? { fontWeight: '650' } : {})}
            >
              <EventLink position={event.position} />
              <span>
                <EventType type={event.type} />
              </span>
              <chakra.span color="fg.muted" fontSize="xs">
                {event.stream}
                {' · '}
                <Time seconds={(event.at ?? event.recorded_at) / 1000} />
                {event.position === props.here ? ` · ${t('events.here')}` : ''}
              </chakra.span>
            </Flex>
            {children.length > 0 ? (
              <Branch events={children} all={props.all} here={props.here} />
            ) : null}
          </chakra.li>
        )
      })}
    </chakra.ul>
  )
}
