import { createInstance, type FormatterModule } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { failureTexts, type ServerFailure, serverWords } from './api.ts'
import { failureText } from './failure-text.ts'
import { fetchFailureTexts, fetchTexts } from './fetch-texts.ts'
import { LANGUAGE_KEY, rememberedLanguage } from './language.ts'
import type { Language, Texts, TextsName } from './texts.ts'
import { withThousandsApart } from './thousands.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation'
    resources: { translation: Texts }
  }
}

/** The console's translator, for texts outside components; components take theirs from useTranslation. */
export const i18n = createInstance()

/** Names of the texts that the present screens need; a change of the language fetches them again. */
const inUse = new Set<TextsName>(['first'])
/** `language/name` of what the translator has. */
const fetched = new Set<string>()

/** Starts translation with the remembered language; only its first texts are fetched. */
export async function startI18n(): Promise<void> {
  const language = rememberedLanguage()
  await i18n
    .use(initReactI18next)
    .use(countFormatter)
    .init({
      lng: language,
      fallbackLng: false,
      resources: { [language]: { translation: await fetchTexts(language, 'first') } },
      interpolation: { escapeValue: false, alwaysFormat: true },
      react: { useSuspense: false },
    })
  fetched.add(`${language}/first`)
  applyLanguage(language)
}

/** `{{count}}` is written as counts are in tables; what else stands in texts is no count, or was written before. */
const countFormatter: FormatterModule = {
  type: 'formatter',
  init: () => {},
  add: () => {},
  addCached: () => {},
  format: (value: unknown, _format, _language, options) =>
    options?.['interpolationkey'] === 'count' ? withThousandsApart(String(value)) : String(value),
}

/** Fetches the texts of a screen; its route waits for them beside its code: `loader: textsOf('parts', 'log')`. */
export const textsOf =
  (...names: readonly TextsName[]) =>
  async (): Promise<void> => {
    for (const name of names) inUse.add(name)
    await addTexts(rememberedLanguage(), names)
  }

/** Switches the language, fetching the texts that it has not had so far. */
export async function changeLanguage(language: Language): Promise<void> {
  await addTexts(language, [...inUse])
  localStorage.setItem(LANGUAGE_KEY, language)
  await i18n.changeLanguage(language)
  applyLanguage(language)
}

async function addTexts(language: Language, names: readonly TextsName[]): Promise<void> {
  const missing = names.filter((name) => !fetched.has(`${language}/${name}`))
  await Promise.all(
    missing.map(async (name) => {
      const texts = await fetchTexts(language, name)
      // Deeply, and without overwriting.
      i18n.addResourceBundle(language, 'translation', texts, true, false)
      fetched.add(`${language}/${name}`)
    }),
  )
}

function applyLanguage(language: Language): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
  serverWords.render = (failure) => rendered(failure, language)
  failureTexts.unreachable = i18n.t('failure.unreachable')
  failureTexts.unauthenticated = i18n.t('failure.unauthenticated')
  failureTexts.rateLimited = i18n.t('failure.rateLimited')
  failureTexts.serverError = i18n.t('failure.serverError')
  failureTexts.demoSite = i18n.t('failure.demoSite')
  failureTexts.requestFailed = i18n.t('failure.requestFailed')
  failureTexts.prefix = i18n.t('failure.prefix')
}

/** The texts are fetched with the first failure; without them the server's own message is shown. */
async function rendered(failure: ServerFailure, language: Language): Promise<string> {
  const texts = await fetchFailureTexts(language).catch(() => ({}))
  return failureText(failure, texts, language)
}
