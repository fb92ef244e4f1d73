import { readFileSync, writeFileSync } from 'node:fs'
import type { Found } from './find-old-words.ts'

/** By file: what is still called by an old word there, as `kind text`. */
export type Exceptions = Readonly<Record<string, readonly string[]>>

export interface Verdict {
  /** Old words that are no exceptions. */
  readonly forbidden: readonly Found[]
  /** Exceptions that nothing needs any more, as `path: kind text`: they are to be taken out. */
  readonly unneeded: readonly string[]
}

const LIST = new URL('exceptions.json', import.meta.url)

export const readExceptions = (): Exceptions => JSON.parse(readFileSync(LIST, 'utf8')) as Exceptions

/** Holds what was found against the list of exceptions, which may only shrink. */
export function judge(found: readonly Found[], exceptions: Exceptions): Verdict {
  const used = new Set<string>()
  const forbidden = found.filter(({ path, kind, text }) => {
    const isException = exceptions[path]?.includes(`${kind} ${text}`) === true
    if (isException) used.add(`${path}: ${kind} ${text}`)
    return !isException
  })
  const listed = Object.entries(exceptions).flatMap(([path, texts]) =>
    texts.map((text) => `${path}: ${text}`),
  )
  return { forbidden, unneeded: listed.filter((one) => !used.has(one)) }
}

/** Takes out of the list what nothing needs any more. */
export function keepNeeded(found: readonly Found[]): void {
  const isNeeded = (path: string, text: string): boolean =>
    found.some((one) => one.path === path && `${one.kind} ${one.text}` === text)
  const needed = Object.entries(readExceptions())
    .map(([path, texts]) => [path, texts.filter((text) => isNeeded(path, text))] as const)
    .filter(([, texts]) => texts.length > 0)
  writeFileSync(LIST, `${JSON.stringify(Object.fromEntries(needed), null, 2)}\n`)
}
