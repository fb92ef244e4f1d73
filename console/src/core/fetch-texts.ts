/// <reference types="vite/client" />
import type { FailureTexts } from './failure-text.ts'
import type { Language, TextsName } from './texts.ts'

const files = import.meta.glob<object>('../locales/*/*.json', { import: 'default' })

/** Fetches a file of texts of one language. */
export const fetchTexts = (language: Language, name: TextsName): Promise<object> =>
  fetchFile(`${language}/${name}`)

/** Fetches the texts of the server's failures in one language, by their codes. */
export const fetchFailureTexts = (language: Language): Promise<FailureTexts> =>
  fetchFile(`failures/${language}`) as Promise<FailureTexts>

async function fetchFile(name: string): Promise<object> {
  const fetched = files[`../locales/${name}.json`]
  if (!fetched) throw new Error(`The console was built without the texts ${name}.`)
  return fetched()
}
