/** `YYYY-MM-DD HH:mm:ss` in the browser's zone (console API, section 6), or a dash for no time. */
export function dateTime(seconds: number): string {
  return seconds > 0 ? `${dateOf(seconds)} ${clock(seconds)}` : '–'
}

/** `YYYY-MM-DD` in the browser's zone. */
export function dateOf(seconds: number): string {
  const time = new Date(seconds * 1000)
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
}

/** `HH:mm:ss` in the browser's zone. */
export function clock(seconds: number): string {
  const time = new Date(seconds * 1000)
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
}

/** The value of an `<input type="datetime-local">` for a time in seconds. */
export function toLocalInput(seconds: number): string {
  return `${dateOf(seconds)}T${clock(seconds)}`
}

/** Seconds of what an `<input type="datetime-local">` holds, or null when it holds no time. */
export function fromLocalInput(text: string): number | null {
  const milliseconds = new Date(text).getTime()
  return text !== '' && Number.isFinite(milliseconds) ? Math.floor(milliseconds / 1000) : null
}

/** The browser's zone with its offset now, such as `Asia/Shanghai, UTC+08:00`. */
export function zoneName(): string {
  const minutes = -new Date().getTimezoneOffset()
  const size = Math.abs(minutes)
  const offset = `UTC${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
  return `${Intl.DateTimeFormat().resolvedOptions().timeZone}, ${offset}`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
