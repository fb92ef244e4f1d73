import { Stack, Text } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { useStatus } from '../../core/status.ts'
import { setTimeZone, useTimeZone } from '../../core/time-zone.ts'
import { Select } from '../choice-fields.tsx'
import { zoneName } from '../time-format.ts'

/**
 * A choice of the zone in which times are written and typed, everywhere: the browser's, UTC or the server's. Kept in
 * this browser.
 */
export function useZoneChoice() {
  const { t } = useTranslation()
  const chosen = useTimeZone()
  const server = useStatus()?.time_zone ?? ''
  const zones = [...new Set(['', 'UTC', server, chosen])]
  const nameOf = (zone: string): string => {
    const name = zoneName(zone)
    if (zone === '') return t('range.zoneOfBrowser', { zone: name })
    return zone === server ? t('range.zoneOfServer', { zone: name }) : name
  }
  return {
    label: t('range.zoneLabel'),
    value: chosen,
    onChange: setTimeZone,
    options: zones.map((value) => ({ value, label: nameOf(value) })),
  }
}

/** The same, small, below a choice of a span of time. */
export function ZoneChoice() {
  const choice = useZoneChoice()
  return (
    <Stack gap="1">
      <Text fontSize="xs" color="fg.muted" aria-hidden>
        {choice.label}
      </Text>
      <Select {...choice} />
    </Stack>
  )
}
