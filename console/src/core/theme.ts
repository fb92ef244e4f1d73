import { usePreference } from './preferences.ts'
import { applyTheme, themeInForce } from './theme-class.ts'
import type { Theme } from './theme-class.ts'

/** The theme in force and the way to change it. Until the user chooses, the system's own wish holds. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [stored, store] = usePreference('theme-mode', '')
  return [
    themeInForce(stored),
    (next) => {
      store(next)
      applyTheme(next)
    },
  ]
}
