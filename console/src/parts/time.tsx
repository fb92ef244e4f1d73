import { chakra } from '@chakra-ui/react'
import { dateTime, zoneName } from './time-format.ts'

/** A moment in the browser's zone; hovering or focusing names the zone and gives the same moment in UTC. */
export function Time({ seconds }: { seconds: number }) {
  if (seconds <= 0) return dateTime(seconds)
  const iso = new Date(seconds * 1000).toISOString()
  return (
    <chakra.time
      dateTime={iso}
      data-hint={`${zoneName()}\n${iso}`}
      fontVariantNumeric="tabular-nums"
      whiteSpace="nowrap"
    >
      {dateTime(seconds)}
    </chakra.time>
  )
}
