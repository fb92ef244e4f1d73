import { useTimeZone } from '../core/time-zone.ts'
import { FIGURE } from './figure-style.ts'
import { dateTime } from './time-format.ts'

/** A moment in the reader's zone; hovering names the zone and gives the same moment in UTC. */
export function Time({ seconds }: { seconds: number }) {
  useTimeZone()
  if (seconds <= 0) return dateTime(seconds)
  const iso = new Date(seconds * 1000).toISOString()
  return (
    <time dateTime={iso} style={FIGURE}>
      {dateTime(seconds)}
    </time>
  )
}
