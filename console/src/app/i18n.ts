import { createInstance } from 'i18next'
import { initReactI18next } from 'react-i18next'
import type zh from '../locales/zh.json'
import { failureTexts } from './api.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation'
    resources: { translation: typeof zh }
  }
}

/** The console's translator, for texts outside components; components take theirs from useTranslation. */
export const i18n = createInstance()

/** The languages of the console; Chinese until the user chooses (decision 37). */
export const LANGUAGES = ['zh', 'en'] as const
/** One of the console's languages. */
export type Language = (typeof LANGUAGES)[number]

const STORAGE_KEY = 'i18nextLng'
const loaders = {
  zh: () => import('../locales/zh.json'),
  en: () => import('../locales/en.json'),
}

/** Starts translation with the remembered language; only that language's texts are fetched. */
export async function startI18n(): Promise<void> {
  const language = rememberedLanguage()
  await i18n.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: { translation: (await loaders[language]()).default } },
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
  })
  applyLanguage(language)
}

/** Switches the language, fetching its texts when they are needed for the first time. */
export async function changeLanguage(language: Language): Promise<void> {
  if (!i18n.hasResourceBundle(language, 'translation'))
    i18n.addResourceBundle(language, 'translation', (await loaders[language]()).default)
  await i18n.changeLanguage(language)
  localStorage.setItem(STORAGE_KEY, language)
  applyLanguage(language)
}

function rememberedLanguage(): Language {
  return localStorage.getItem(STORAGE_KEY)?.startsWith('en') ? 'en' : 'zh'
}

function applyLanguage(language: Language): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
  failureTexts.unreachable = i18n.t('failure.unreachable')
  failureTexts.unauthenticated = i18n.t('failure.unauthenticated')
  failureTexts.rateLimited = i18n.t('failure.rateLimited')
  failureTexts.serverError = i18n.t('failure.serverError')
  failureTexts.demoSite = i18n.t('failure.demoSite')
}
