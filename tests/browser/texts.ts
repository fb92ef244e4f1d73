import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Texts } from '../../console/src/core/texts.ts'

const LOCALES = join(import.meta.dirname, '../../console/src/locales')

/** `section.name` of every plain text. */
type Key = {
  [Section in keyof Texts]: {
    [Name in keyof Texts[Section]]: Texts[Section][Name] extends string
      ? `${Section}.${Name & string}`
      : never
  }[keyof Texts[Section]]
}[keyof Texts]

/**
 * The console's own texts in one language, so that tests find things by what people read and not by how they are built;
 * `{{name}}` is filled in.
 */
export function textsOf(language: 'zh' | 'en') {
  const texts: Readonly<Record<string, Readonly<Record<string, unknown>>>> = Object.assign(
    {},
    ...filesOf(language),
  )
  return (key: Key, values: Readonly<Record<string, string>> = {}): string => {
    const [section = '', name = ''] = key.split('.')
    const text = texts[section]?.[name]
    if (typeof text !== 'string') throw new Error(`the console has no text ${key} in ${language}`)
    return text.replaceAll(/\{\{(\w+)\}\}/gu, (_, value: string) => values[value] ?? '')
  }
}

const filesOf = (language: string): object[] =>
  globSync(`${language}/*.json`, { cwd: LOCALES }).map(
    (path) => JSON.parse(readFileSync(join(LOCALES, path), 'utf8')) as object,
  )
