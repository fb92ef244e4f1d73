/// <reference types="vite/client" />
import type { Language, TextsName } from './texts.ts'

const files = import.meta.glob<object>('../locales/*/*.json', { import: 'default' })

/** Fetches a file of texts of one language. */
export async function fetchTexts(language: Language, name: TextsName): Promise<object> {
  const fetchFile = files[`../locales/${language}/${name}.json`]
  if (!fetchFile) throw new Error(`The console was built without the texts ${language}/${name}.`)
  return fetchFile()
}
