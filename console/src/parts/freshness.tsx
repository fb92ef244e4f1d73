import { Flex, IconButton, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useSessionUser } from '../app/session.ts'
import { freshnessQuery } from '../app/status.ts'
import { grouped } from './quota-format.ts'
import { clock } from './time-format.ts'

/** From this many milliseconds behind the log on, the figures in view are marked as late (the design, principle 2). */
const LATE_MS = 2000

/** When the figures in view were read and up to which event, and the button that reads them again. */
export function Freshness(props: { readAt: number; isReading: boolean; onRefresh: () => void }) {
  const { t } = useTranslation()
  const lag = useLag()
  return (
    <Flex align="center" gap="1" color={lag.isLate ? 'fg.warning' : 'fg.muted'} fontSize="xs">
      <Text
        fontVariantNumeric="tabular-nums"
        whiteSpace="nowrap"
        {...(lag.hint ? { 'data-hint': lag.hint } : {})}
      >
        {props.readAt > 0 ? t('table.asOf', { time: clock(props.readAt / 1000) }) : ''}
        {lag.isLate ? ` · ${t('table.late')}` : ''}
      </Text>
      <IconButton
        size="xs"
        variant="ghost"
        aria-label={t('action.refresh')}
        data-hint={t('action.refresh')}
        loading={props.isReading}
        onClick={props.onRefresh}
      >
        <RotateCw size={14} />
      </IconButton>
    </Flex>
  )
}

function useLag(): { isLate: boolean; hint: string | null } {
  const { t } = useTranslation()
  const isSignedIn = useSessionUser() !== null
  const { data } = useQuery({ ...freshnessQuery, enabled: isSignedIn })
  if (!data) return { isLate: false, hint: null }
  const models = data.read_models
  const position = Math.min(data.head, ...models.map((model) => model.position))
  // The delay is that of the newest event: it says nothing once everything has been seen.
  const isLate = models.some(
    (model) =>
      (model.position < data.head && model.delay_ms > LATE_MS) ||
      model.stopped_at !== null ||
      model.state === 'outdated',
  )
  return { isLate, hint: t('table.upTo', { position: grouped(position, 0) }) }
}
