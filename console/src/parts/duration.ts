/** A span of time as a text's name in `duration` and the numbers that it takes. */
export type DurationText =
  | { readonly name: 'milliseconds' | 'seconds'; readonly n: string }
  | { readonly name: 'minutes'; readonly minutes: string; readonly seconds: string }

/** Milliseconds below one second, seconds with one decimal below a minute, then minutes and seconds. */
export function durationText(milliseconds: number): DurationText {
  // Rounded before it is compared: 999.6 ms is one second, and 59.96 s one minute.
  if (Math.round(milliseconds) < 1000)
    return { name: 'milliseconds', n: String(Math.round(milliseconds)) }
  const tenths = Math.round(milliseconds / 100)
  if (tenths < 600) return { name: 'seconds', n: (tenths / 10).toFixed(1) }
  const whole = Math.round(milliseconds / 1000)
  return { name: 'minutes', minutes: String(Math.floor(whole / 60)), seconds: String(whole % 60) }
}
