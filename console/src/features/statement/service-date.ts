import { clock, dateOf } from '../../parts/time-format.ts'

/** When a service was, as the reader's zone has it: its day, or its minute where it was booked on the same day. */
export interface ServiceDate {
  readonly text: string
  readonly isOtherDay: boolean
}

/** In unix milliseconds. */
export function serviceDate(serviceAt: number, bookedAt: number): ServiceDate {
  const [day, booked] = [dateOf(serviceAt / 1000), dateOf(bookedAt / 1000)]
  const isOtherDay = day !== booked
  return { text: isOtherDay ? day : clock(serviceAt / 1000).slice(0, 5), isOtherDay }
}
