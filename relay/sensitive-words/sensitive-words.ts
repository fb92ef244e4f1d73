import { WordAutomaton } from './word-automaton.ts'

/** The words that no prompt may contain, in lower case, ready to be looked for. */
export interface SensitiveWords {
  /** One a line; '' when the check is switched off. */
  readonly list: string
  /** Whether one of them stands in one of the texts, in whatever case (relay-and-billing.md 7). */
  areIn(texts: Iterable<string>): boolean
}

/** Makes the words ready: some milliseconds for a thousand; the same list again costs nothing. */
export function sensitiveWords(words: readonly string[]): SensitiveWords {
  const list = words.map((word) => word.toLowerCase()).join('\n')
  if (latest?.list !== list) latest = prepared(list)
  return latest
}

/** Every option that changes has all of them read again, but this one seldom changes. */
let latest: SensitiveWords | null = null

function prepared(list: string): SensitiveWords {
  const automaton = new WordAutomaton(list.split('\n'))
  return {
    list,
    areIn(texts) {
      for (const text of texts) if (automaton.isIn(text.toLowerCase())) return true
      return false
    },
  }
}
