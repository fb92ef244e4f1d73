import { usePreference } from './preferences.ts'

/** The two themes; the seeds keep the choice under the local key `theme-mode`. */
export type Theme = 'light' | 'dark'

/** The theme in force and the way to change it. Until the user chooses, the system's own wish holds. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [stored, store] = usePreference('theme-mode', '')
  const theme = stored === 'dark' || stored === 'light' ? stored : systemTheme()
  return [
    theme,
    (next) => {
      store(next)
      applyTheme(next)
    },
  ]
}

/** Puts the theme's class on the page; called once before the first render and on every change. */
export function applyTheme(theme: Theme): void {
  document.documentElement.classList.remove('light', 'dark')
  document.documentElement.classList.add(theme)
  document.documentElement.style.colorScheme = theme
}

/** The theme to begin with: the stored choice, else what the system asks for. */
export function initialTheme(): Theme {
  const stored = localStorage.getItem('theme-mode')
  return stored === 'dark' || stored === 'light' ? stored : systemTheme()
}

function systemTheme(): Theme {
  return window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}
