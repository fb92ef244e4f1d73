import { useStatus } from '../../core/status.ts'

const MINUTE_MS = 60_000
/** The default of the option DataExportInterval. */
const MINUTES_DEFAULT = 5
/** The longest that a browser's timer can wait: asked for more, it would fire at once and for ever. */
const TIMER_MS_MAX = 2_147_483_647

/** How often a dashboard that is looked at reads again (option DataExportInterval, decision 30). */
export function useRefreshMs(): number {
  return refreshMsOf(useStatus()?.data_export_interval)
}

/** Minutes as the server says them, in milliseconds that a timer can wait; the default while they are not known. */
export function refreshMsOf(minutes: number | undefined): number {
  const wanted = minutes !== undefined && minutes >= 1 ? minutes : MINUTES_DEFAULT
  return Math.min(wanted * MINUTE_MS, TIMER_MS_MAX)
}
