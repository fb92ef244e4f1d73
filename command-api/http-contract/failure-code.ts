import { FAILURE_TEXTS, type FailureCode, FOREIGN_WORDS } from './failure-texts.ts'

/** The members beside a failure's message, for clients that render it in their reader's language (decision 47). */
export interface CodedFailure {
  readonly code: FailureCode
  /** Values in the message besides its fixed words. */
  readonly params: Readonly<Record<string, string | number>>
}

/** The code and values of a failure's text. */
export function codedFailure(message: string): CodedFailure {
  const fixed = BY_FIXED_TEXT.get(message)
  if (fixed !== undefined) return { code: fixed, params: {} }
  for (const { code, pattern, numbers } of PATTERNS) {
    const found = pattern.exec(message)
    if (found !== null) return { code, params: valuesOf(found.groups ?? {}, numbers) }
  }
  return { code: FOREIGN_WORDS, params: { words: message } }
}

interface Pattern {
  readonly code: FailureCode
  readonly pattern: RegExp
  /** Names of the values that are whole numbers. */
  readonly numbers: ReadonlySet<string>
  readonly fixedCharacters: number
}

/** Characters that a pattern would read as its own. */
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g
const PLACEHOLDER = /\{([a-z]\w*)(#?)\}/gi

const entries = Object.entries(FAILURE_TEXTS) as ReadonlyArray<readonly [FailureCode, string]>

const BY_FIXED_TEXT: ReadonlyMap<string, FailureCode> = new Map(
  entries.flatMap(([code, text]) => (hasPlaceholder(text) ? [] : [[text, code] as const])),
)

/** Those with the most words of their own first: `{key} 的值过大：…` is also the beginning of a longer text. */
const PATTERNS: readonly Pattern[] = entries
  .filter(([, text]) => hasPlaceholder(text))
  .map(([code, text]) => patternOf(code, text))
  .toSorted((one, other) => other.fixedCharacters - one.fixedCharacters)

function hasPlaceholder(text: string): boolean {
  return text.search(PLACEHOLDER) !== -1
}

function patternOf(code: FailureCode, text: string): Pattern {
  const numbers = new Set<string>()
  const seen = new Set<string>()
  // Between two placeholders stands fixed text; the parts alternate: fixed, name, `#` or ''.
  const parts = text.split(PLACEHOLDER)
  let source = ''
  let fixedCharacters = 0
  for (let at = 0; at < parts.length; at += 3) {
    const [fixed = '', name, mark] = parts.slice(at, at + 3)
    source += fixed.replaceAll(SYNTAX, String.raw`\$&`)
    fixedCharacters += fixed.length
    if (name === undefined) continue
    if (seen.has(name)) source += `\\k<${name}>`
    else source += mark === '#' ? `(?<${name}>-?\\d+)` : `(?<${name}>[^]*)`
    if (mark === '#') numbers.add(name)
    seen.add(name)
  }
  return { code, pattern: new RegExp(`^${source}$`, 'u'), numbers, fixedCharacters }
}

const valuesOf = (
  groups: Readonly<Record<string, string>>,
  numbers: ReadonlySet<string>,
): CodedFailure['params'] =>
  Object.fromEntries(
    Object.entries(groups).map(([name, value]) => [
      name,
      numbers.has(name) ? Number(value) : value,
    ]),
  )
