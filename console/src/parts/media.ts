import { useSyncExternalStore } from 'react'

/** Windows narrower than this are phones (seeds, section 9). */
const PHONE = '(max-width: 599px)'
/** From here on a panel fits beside a table. */
const WIDE = '(min-width: 1200px)'

/** True on a phone, at this moment. */
export const isPhone = (): boolean => window.matchMedia(PHONE).matches

/** True on a phone, followed as the window changes. */
export const useIsPhone = (): boolean => useMedia(PHONE)

/** True where a panel fits beside a table. */
export const useIsWide = (): boolean => useMedia(WIDE)

function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = window.matchMedia(query)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    () => window.matchMedia(query).matches,
  )
}
