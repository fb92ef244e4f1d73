import { chakra, Flex, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useSessionUser } from '../core/session.ts'
import { freshnessQuery } from '../core/status.ts'
import { useTimeZone } from '../core/time-zone.ts'
import { BusyButton } from './busy-button.tsx'
import { latenessOf } from './lateness.ts'
import { grouped } from './quota-format.ts'
import { clock } from './time-format.ts'

/** When the figures in view were read and up to which event, and the button that reads them again. */
export function Freshness(props: {
  readAt: number
  isReading: boolean
  /** Why the figures in view could not be read again; they are the old ones then. */
  error?: Error | null
  onRefresh: () => void
}) {
  const { t } = useTranslation()
  const lag = useLag()
  useTimeZone()
  const time = clock(props.readAt / 1000)
  const isOld = Boolean(props.error)
  const hint = props.error?.message || lag.hint
  return (
    <Flex
      align="center"
      gap="1"
      color={lag.isLate || isOld ? 'fg.warning' : 'fg.muted'}
      fontSize="xs"
    >
      <Text
        fontVariantNumeric="tabular-nums"
        whiteSpace="nowrap"
        {...(hint ? { 'data-hint': hint } : {})}
        {...(isOld ? { role: 'alert' } : {})}
      >
        {props.readAt > 0 ? (
          t(isOld ? 'table.notRefreshed' : 'table.readAt', { time })
        ) : (
          // Keeps the place of the time to come, so that nothing beside it moves then.
          <chakra.span visibility="hidden">{t('table.readAt', { time })}</chakra.span>
        )}
        {lag.isLate ? ` · ${t('table.late')}` : ''}
      </Text>
      <BusyButton
        size="xs"
        px="0"
        variant="ghost"
        aria-label={t('action.refresh')}
        data-hint={t('action.refresh')}
        isBusy={props.isReading}
        onClick={props.onRefresh}
      >
        <RotateCw size={14} />
      </BusyButton>
    </Flex>
  )
}

function useLag(): { isLate: boolean; hint: string | null } {
  const { t } = useTranslation()
  const isSignedIn = useSessionUser() !== null
  const { data } = useQuery({ ...freshnessQuery, enabled: isSignedIn })
  if (!data) return { isLate: false, hint: null }
  const { position, isLate } = latenessOf(data)
  return { isLate, hint: t('table.upTo', { position: grouped(position, 0) }) }
}
