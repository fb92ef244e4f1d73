import type { Language } from './texts.ts'

/** Where this browser keeps its language. */
export const LANGUAGE_KEY = 'i18nextLng'

/** Chinese until the user chooses (decision 37). */
export function rememberedLanguage(): Language {
  return localStorage.getItem(LANGUAGE_KEY)?.startsWith('en') ? 'en' : 'zh'
}
