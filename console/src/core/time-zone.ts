import { useSyncExternalStore } from 'react'

const STORAGE_KEY = 'time-zone'
const listeners = new Set<() => void>()
let current = stored()

/** The zone that the reader chose, an IANA name; '' = the browser's. Other tabs keep theirs until they are reloaded. */
export const timeZone = (): string => current

/** The IANA name of the zone in which times are written: the chosen one, else the browser's. */
export const shownZone = (): string => current || Intl.DateTimeFormat().resolvedOptions().timeZone

/** Remembers the choice, and has every time in view written anew. */
export function setTimeZone(zone: string): void {
  current = zone
  localStorage.setItem(STORAGE_KEY, zone)
  for (const listener of listeners) listener()
}

/** The same for a view that writes times. */
export function useTimeZone(): string {
  return useSyncExternalStore(subscribe, timeZone)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function stored(): string {
  try {
    const zone = localStorage.getItem(STORAGE_KEY) ?? ''
    if (zone) Intl.DateTimeFormat('en', { timeZone: zone })
    return zone
  } catch {
    // An entry of a browser that knew more zones, or a damaged one, is the same as no choice.
    return ''
  }
}
