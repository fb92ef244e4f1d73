import { createInstance } from 'i18next'
import { initReactI18next } from 'react-i18next'
import type zhScreens from '../locales/zh-screens.json'
import type zh from '../locales/zh.json'
import { failureTexts, serverWords } from './api.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation'
    resources: { translation: typeof zh & typeof zhScreens }
  }
}

/** The console's translator, for texts outside components; components take theirs from useTranslation. */
export const i18n = createInstance()

/** The languages of the console; Chinese until the user chooses (decision 37). */
export const LANGUAGES = ['zh', 'en'] as const
/** One of the console's languages. */
export type Language = (typeof LANGUAGES)[number]

const STORAGE_KEY = 'i18nextLng'
/** Texts of the frame and of what visitors see before they sign in, and those of all other screens. */
const loaders = {
  zh: {
    first: () => import('../locales/zh.json'),
    screens: () => import('../locales/zh-screens.json'),
  },
  en: {
    first: () => import('../locales/en.json'),
    screens: () => import('../locales/en-screens.json'),
  },
}

let areScreensLoaded = false

/** Starts translation with the remembered language; only its first texts are fetched. */
export async function startI18n(): Promise<void> {
  const language = rememberedLanguage()
  await i18n.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: { translation: (await loaders[language].first()).default } },
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
  })
  applyLanguage(language)
}

/** Fetches the texts of the screens behind the sign-in; a route waits for it beside its code. */
export async function loadScreenTexts(): Promise<void> {
  await addScreenTexts(rememberedLanguage())
  areScreensLoaded = true
}

/** Switches the language, fetching its texts when they are needed for the first time. */
export async function changeLanguage(language: Language): Promise<void> {
  await Promise.all([addFirstTexts(language), areScreensLoaded ? addScreenTexts(language) : null])
  localStorage.setItem(STORAGE_KEY, language)
  await i18n.changeLanguage(language)
  applyLanguage(language)
}

async function addFirstTexts(language: Language): Promise<void> {
  if (i18n.exists('action.close', { lng: language })) return
  addTexts(language, (await loaders[language].first()).default)
}

async function addScreenTexts(language: Language): Promise<void> {
  if (i18n.exists('form.saved', { lng: language })) return
  addTexts(language, (await loaders[language].screens()).default)
}

/** Adds to what is there, deeply and without overwriting. */
function addTexts(language: Language, texts: object): void {
  i18n.addResourceBundle(language, 'translation', texts, true, false)
}

function rememberedLanguage(): Language {
  return localStorage.getItem(STORAGE_KEY)?.startsWith('en') ? 'en' : 'zh'
}

function applyLanguage(language: Language): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
  serverWords.translate = (message) => translated(message, language)
  failureTexts.unreachable = i18n.t('failure.unreachable')
  failureTexts.unauthenticated = i18n.t('failure.unauthenticated')
  failureTexts.rateLimited = i18n.t('failure.rateLimited')
  failureTexts.serverError = i18n.t('failure.serverError')
  failureTexts.demoSite = i18n.t('failure.demoSite')
  failureTexts.prefix = i18n.t('failure.prefix')
}

/** Loaded with the first failure; a message whose translation cannot be had is better than none. */
async function translated(message: string, language: Language): Promise<string> {
  if (message === '') return ''
  const messages = await import('./server-messages.ts').catch(() => null)
  return messages?.inLanguage(message, language) ?? message
}
