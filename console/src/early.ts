/**
 * Runs while the rest is still on its way: puts on the theme, asks for the texts of the page, which the server names in
 * it, in the language that only the browser knows, and finds the fonts. Who needs them later finds them there or coming.
 */
import { fetchTexts } from './core/fetch-texts.ts'
import { findFonts } from './core/find-fonts.ts'
import { drawFirstWords } from './core/first-words.ts'
import { rememberedLanguage } from './core/language.ts'
import type { TextsName } from './core/texts.ts'
import { applyTheme, themeInForce } from './core/theme-class.ts'

applyTheme(themeInForce())

const named = document.documentElement.dataset['texts']?.split(' ') ?? []
// The code that needs these texts fetches them again after a failure, and reports it.
drawFirstWords(location.pathname, fetchTexts(rememberedLanguage(), 'first')).catch(() => undefined)
for (const name of named) fetchTexts(rememberedLanguage(), name as TextsName).catch(() => undefined)

findFonts(rememberedLanguage())
