import { Button, chakra, Grid, Heading, Stack } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Actor } from '../../parts/actor.tsx'
import { Id } from '../../parts/id.tsx'
import { Facts } from '../../parts/facts.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Opens } from '../../parts/opens.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { AdjustmentFacts } from './adjustment-facts.tsx'
import { CausesTree } from './causes-tree.tsx'
import { ChainFacts } from './chain-facts.tsx'
import { EventData } from './event-data.tsx'
import { useEventName } from './event-names.ts'
import { PricedCharges } from './priced-charges.tsx'
import { causesQuery, eventQuery } from './queries.ts'
import { type EventDetail, type EventPlace, objectIn, type StoredEvent } from './stored-event.ts'

/** One event as it is stored: its facts in words, where it hangs together, its bytes and their hash. */
export function EventPage({ position }: { position: string }) {
  const { t } = useTranslation()
  const detail = useQuery(eventQuery(position))
  const name = useEventName()
  const title = detail.data
    ? t('events.titleOf', {
        name: name(detail.data.event.type),
        position: grouped(detail.data.event.position, 0),
      })
    : t('events.title', { position })
  return (
    <Page title={title} actions={detail.data ? <Neighbours detail={detail.data} /> : null}>
      {detail.data ? (
        <Detail detail={detail.data} />
      ) : detail.error ? (
        <ErrorState error={detail.error} onRetry={() => void detail.refetch()} />
      ) : (
        <SkeletonRows rows={12} height="24px" />
      )}
    </Page>
  )
}

function Neighbours({ detail }: { detail: EventDetail }) {
  const { t } = useTranslation()
  return (
    <>
      <Neighbour place={detail.previous} label={t('events.previous')}>
        <ChevronLeft size={14} aria-hidden />
        {t('events.previous')}
      </Neighbour>
      <Neighbour place={detail.next} label={t('events.next')}>
        {t('events.next')}
        <ChevronRight size={14} aria-hidden />
      </Neighbour>
      <Button asChild size="sm" variant="outline">
        <Link to="/audit/events" search={{ stream: detail.event.stream }}>
          {t('events.wholeStream')}
        </Link>
      </Button>
    </>
  )
}

function Neighbour(props: { place: EventPlace | null; label: string; children: ReactNode }) {
  if (props.place === null)
    return (
      <Button size="sm" variant="outline" disabled>
        {props.children}
      </Button>
    )
  return (
    <Button asChild size="sm" variant="outline">
      <Link to="/audit/events/$position" params={{ position: String(props.place.position) }}>
        {props.children}
      </Link>
    </Button>
  )
}

function Detail({ detail }: { detail: EventDetail }) {
  const { t } = useTranslation()
  const { event } = detail
  return (
    <Grid gap="4" templateColumns={{ base: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' }}>
      <Stack gap="4">
        <Section title={t('events.facts')}>
          <Envelope event={event} />
          <EventData event={event} />
          <AdjustmentFacts detail={detail} />
        </Section>
        <Section title={t('events.causes')}>
          {event.type === 'PriceBookRevised' ? <PricedCharges position={event.position} /> : null}
          <CausesTree position={event.position} />
        </Section>
      </Stack>
      <Stack gap="4">
        <Section title={t('events.chain')}>
          <ChainFacts detail={detail} />
        </Section>
        <Section title={t('events.data')}>
          <JsonView text={event.data} label={t('events.data')} />
        </Section>
        <Section title={t('events.metadata')}>
          <JsonView text={event.metadata} label={t('events.metadata')} />
        </Section>
      </Stack>
    </Grid>
  )
}

function Section(props: { title: string; children: ReactNode }) {
  return (
    <Panel p="4">
      <Heading as="h2" size="sm" mb="2">
        {props.title}
      </Heading>
      {props.children}
    </Panel>
  )
}

/** The fields that every event has around its data. */
function Envelope({ event }: { event: StoredEvent }) {
  const { t } = useTranslation()
  return (
    <Facts
      facts={[
        { label: t('events.position'), value: grouped(event.position, 0) },
        {
          label: t('events.stream'),
          value: (
            <Opens>
              <Link to="/audit/events" search={{ stream: event.stream }}>
                {event.stream}
              </Link>
            </Opens>
          ),
        },
        { label: t('events.revision'), value: grouped(event.revision, 0) },
        { label: t('events.type'), value: <chakra.code fontSize="xs">{event.type}</chakra.code> },
        {
          label: t('events.time'),
          value: event.at === null ? null : <Time seconds={event.at / 1000} />,
        },
        { label: t('events.recorded'), value: <Time seconds={event.recorded_at / 1000} /> },
        {
          label: t('events.actor'),
          value:
            event.actor_name === '' ? <Actor of={event} /> : `${event.actor} ${event.actor_name}`,
        },
        {
          label: t('events.correlation'),
          value: (
            <Opens>
              <Link to="/audit/events" search={{ correlation: event.correlation_id }}>
                {event.correlation_id}
              </Link>
            </Opens>
          ),
        },
        {
          label: t('events.causation'),
          value: event.causation_id === null ? null : <Cause event={event} />,
        },
        { label: t('events.id'), value: <Id value={event.id} label={t('events.copyId')} /> },
      ]}
    />
  )
}

/** The event that brought this one about, as a link where it is among those that belong together; or the command. */
function Cause({ event }: { event: StoredEvent }) {
  const { data } = useQuery(causesQuery(String(event.position)))
  const { t } = useTranslation()
  const id = event.causation_id ?? ''
  const cause = data?.events.find((one) => one.id === id)
  if (cause === undefined) {
    // A request of the console or of a script is a command, which has no event of its own.
    const isCommand = data !== undefined && objectIn(event.metadata)['commandId'] === id
    return isCommand ? t('events.command', { id }) : id
  }
  return (
    <Opens>
      <Link to="/audit/events/$position" params={{ position: String(cause.position) }}>
        {id}
      </Link>
    </Opens>
  )
}
