/** The two themes; the seeds keep the choice under the local key `theme-mode`. */
export type Theme = 'light' | 'dark'

/** The theme in force: the stored choice, else what the system asks for. */
export function themeInForce(stored = localStorage.getItem('theme-mode')): Theme {
  if (stored === 'dark' || stored === 'light') return stored
  return window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

/** Puts the theme's class on the page: before anything is drawn, and on every change. */
export function applyTheme(theme: Theme): void {
  document.documentElement.classList.remove('light', 'dark')
  document.documentElement.classList.add(theme)
  document.documentElement.style.colorScheme = theme
}
