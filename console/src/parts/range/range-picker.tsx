import { Button } from '@chakra-ui/react'
import { CalendarClock } from 'lucide-react'
import { lazy } from 'react'
import { useTranslation } from 'react-i18next'
import { useTimeZone } from '../../core/time-zone.ts'
import { OnDemand } from '../on-demand.tsx'
import { dateOf, dateTime } from '../time-format.ts'
import type { Range } from './range.ts'

const load = () => import('./range-popover.tsx')
const Choices = lazy(load)

/** Chooses a span of time: by name, by two moments in the reader's zone, or all time. */
export function RangePicker(props: {
  value: Range
  hasAll?: boolean
  /** True where what happens at the end itself lies outside. */
  isEndOutside?: boolean
  /** True where the view names the zone itself. */
  isZoneBeside?: boolean
  onChange: (range: Range) => void
}) {
  const { t } = useTranslation()
  const name = useRangeName(props.value, props.isZoneBeside !== true)
  return (
    <OnDemand
      kind="dialog"
      load={load}
      button={
        <Button size="xs" variant="outline" aria-label={`${t('range.label')}: ${name}`}>
          <CalendarClock size={14} aria-hidden />
          {name}
        </Button>
      }
    >
      {(button) => <Choices button={button} {...props} />}
    </OnDemand>
  )
}

/** The name of a range, or its beginning and end; with the zone when it is not the browser's. */
export function useRangeName(value: Range, hasZone = true): string {
  const { t } = useTranslation()
  const zone = useTimeZone()
  if (value.type === 'preset') return t(`range.${value.preset}`)
  if (value.type === 'all') return t('range.all')
  const [start, end] = spanOf(value)
  // From 1970 on is from the first.
  if (value.start === 0 && value.end !== undefined) return t('range.until', { end })
  return zone && hasZone ? `${start} – ${end} (${zone})` : `${start} – ${end}`
}

/** From when to when; whole days by the first and the last of them. */
function spanOf({ start, end }: { start?: number; end?: number }): [string, string] {
  const from = start === undefined ? '…' : dateTime(start)
  const to = end === undefined ? '…' : dateTime(end)
  if (start === undefined || end === undefined || end <= start) return [from, to]
  if (!from.endsWith(MIDNIGHT) || !to.endsWith(MIDNIGHT)) return [from, to]
  return [dateOf(start), dateOf(end - 1)]
}

const MIDNIGHT = ' 00:00:00'
