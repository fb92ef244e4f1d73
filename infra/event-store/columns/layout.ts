import { type EventTable, NO_WORD } from '@tollgate/domain/event-columns.ts'
import type { WordIds } from './word-ids.ts'

/**
 * The way in which the data of many events of a type are written: the same members in the same order. It is one function
 * of plain comparisons, made from steps that `learnLayout` found in one event. It reads the wanted members straight from
 * the bytes. It passes over objects and lists that are not wanted, and refuses every text of which it cannot tell that
 * the rest fits the schema: such an event is parsed as a whole.
 */
export type Layout = (
  text: TextBytes,
  table: Pick<EventTable, 'numbers' | 'words'>,
  row: number,
  ids: WordIds,
) => boolean

/** A text in UTF-8. */
export interface TextBytes {
  readonly bytes: Buffer
  /** A view of the same bytes. */
  readonly view: DataView
  readonly from: number
  readonly to: number
}

/** The parts of an event, in order. */
export type Step =
  /** Bytes that stand in every event of the layout. */
  | { readonly kind: 'literal'; readonly bytes: readonly number[] }
  | {
      readonly kind: 'text' | 'integer' | 'number' | 'boolean'
      readonly isNullable: boolean
      /** The column that the value goes to; null = it is not wanted. */
      readonly column: number | null
    }
  /** All before these bytes is passed over; they themselves are not. `names` = of members in what is passed over. */
  | { readonly kind: 'pass'; readonly to: readonly number[]; readonly names: ReadonlySet<string> }
  /** The JSON between the two is wanted as it stands. */
  | { readonly kind: 'span-begins' }
  | { readonly kind: 'span-ends'; readonly column: number }
  /** The same for JSON that was not looked at: one that the parser has not read before is left to it. */
  | { readonly kind: 'known-span-ends'; readonly column: number }

/** `found` = the paths of all members. */
export function compileLayout(
  steps: readonly Step[],
  found: ReadonlySet<string>,
  { wanted }: Pick<EventTable, 'wanted'>,
): Layout {
  const absent = (paths: readonly string[], code: (column: number) => string): string[] =>
    paths.flatMap((path, column) => (found.has(path) ? [] : [code(column)]))
  const marks: Buffer[] = []
  const code = [
    'let p = from, q = 0, s = 0, d = 0, n = 0, x = 0',
    ...steps.map((step) => codeOf(step, marks)),
    'if (p !== to) return false',
    ...absent(wanted.numbers, (column) => `numbers[${column}][row] = NaN`),
    ...absent([...wanted.texts, ...wanted.json], (column) => `words[${column}][row] = ${NO_WORD}`),
    'return true',
  ].join('\n')
  const parameters = '({ bytes: b, view: v, from, to }, { numbers, words }, row, ids)'
  // oxlint-disable-next-line typescript/no-implied-eval, no-new-func -- made of our own schemas' names and of bytes as numbers
  const make = new Function('marks', ...Object.keys(HELPERS), `return ${parameters} => {${code}}`)
  return make(marks, ...Object.values(HELPERS)) as Layout
}

/** `marks` takes the bytes that the code looks for. */
function codeOf(step: Step, marks: Buffer[]): string {
  switch (step.kind) {
    case 'literal':
      return literalCode(step.bytes)
    case 'pass': {
      const mark = marks.push(Buffer.from(step.to)) - 1
      return `p = b.indexOf(marks[${mark}], p)\nif (p === -1 || p >= to) return false`
    }
    case 'span-begins':
      return 's = p'
    case 'span-ends':
      return `words[${step.column}][row] = ids.idOf(v, s, p)`
    case 'known-span-ends':
      return `x = ids.knownIdOf(v, s, p)\nif (x === ${NO_WORD}) return false\nwords[${step.column}][row] = x`
    case 'text':
    case 'integer':
    case 'number':
    case 'boolean': {
      const { kind, column, isNullable } = step
      const into = kind === 'text' ? 'words' : 'numbers'
      const store = (value: string | number): string =>
        column === null ? '' : `${into}[${column}][row] = ${value}`
      const code = VALUE_CODES[kind](store)
      if (!isNullable) return code
      const none = store(kind === 'text' ? NO_WORD : 'NaN')
      return `if (b[p] === ${LOWER_N}) {\n${literalCode(NULL)}\n${none}\n} else {\n${code}\n}`
    }
    default:
      return step satisfies never
  }
}

/** Four bytes at a time. */
function literalCode(bytes: ArrayLike<number>): string {
  const tests = [`p + ${bytes.length} > to`]
  const wide = bytes.length - (bytes.length % WORD_BYTES)
  for (let at = 0; at < wide; at += WORD_BYTES) {
    const word = new DataView(Uint8Array.from(bytes).buffer).getInt32(at, true)
    tests.push(`v.getInt32(p + ${at}, true) !== ${word}`)
  }
  for (let at = wide; at < bytes.length; at += 1) tests.push(`b[p + ${at}] !== ${bytes[at] ?? 0}`)
  return `if (${tests.join(' || ')}) return false\np += ${bytes.length}`
}
const WORD_BYTES = 4

/** Whole numbers of so many digits are exact. */
const DIGITS_MAX = 15

/** The code that reads a value at `p`; `store` makes the code that keeps it. */
const VALUE_CODES = {
  // JSON that upstream reported stands within a text. A wanted text with escapes is rare, and left to the parser.
  text: (store) => {
    const keep = store('ids.idOf(v, q, p)')
    const end = keep === '' ? 'endOfText(v, p, to)' : 'endOfPlainText(v, p, to)'
    return `if (b[p] !== ${QUOTE}) return false
    q = ++p
    p = ${end}
    if (p === -1) return false
    ${keep}
    p++`
  },
  integer: (store) => `${digitsCode()}
    ${store('x')}`,
  number: (store) => `${digitsCode()}
    d = endOfNumber(b, p)
    if (d !== p) {
      x = fractionIn(b, q - n, d)
      if (x - x !== 0) return false
      p = d
    }
    ${store('x')}`,
  boolean: (store) => `if (b[p] === 116) {
      ${literalCode(ascii('true'))}
      ${store(1)}
    } else {
      ${literalCode(ascii('false'))}
      ${store(0)}
    }`,
} as const satisfies Record<string, (store: (value: string | number) => string) => string>

/** No number of JSON begins with a needless 0; −0 is left to the parser. */
function digitsCode(): string {
  return `n = b[p] === 45 ? 1 : 0
    q = p += n
    x = 0
    for (d = b[p] - 48; d >= 0 && d <= 9; d = b[++p] - 48) x = x * 10 + d
    if (p === q || p - q > ${DIGITS_MAX} || (b[q] === 48 && (n === 1 || p - q > 1))) return false
    if (n === 1) x = -x`
}

export const QUOTE = 0x22
export const BACKSLASH = 0x5c
const LOWER_N = 0x6e
/** The bytes of a text of ASCII. */
export function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (one) => one.charCodeAt(0))
}
export const NULL = ascii('null')
const NUMBER_LENGTH_MAX = 30
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Where the digits, signs, points and exponents end that begin at a place. */
function endOfNumber(bytes: Uint8Array, from: number): number {
  let place = from
  while (OF_NUMBER.has(bytes[place] ?? 0)) place += 1
  return place
}
const OF_NUMBER = new Set(ascii('0123456789+-.eE'))

/** NaN for what is no number of JSON. */
function fractionIn(bytes: Uint8Array, from: number, to: number): number {
  if (to - from > NUMBER_LENGTH_MAX) return NaN
  const text = String.fromCharCode(...bytes.subarray(from, to))
  return JSON_NUMBER.test(text) ? Number(text) : NaN
}

/** Where the quotation mark stands that ends a text; −1 for a text with escapes and for what is no JSON. */
function endOfPlainText(view: DataView, from: number, to: number): number {
  const place = endOfPlain(view, from, to)
  return place < to && view.getUint8(place) === QUOTE ? place : -1
}

/** The same, with escapes. */
function endOfText(view: DataView, from: number, to: number): number {
  for (let place = endOfPlain(view, from, to); place + 1 < to;) {
    const byte = view.getUint8(place)
    if (byte === QUOTE) return place
    if (byte !== BACKSLASH) return -1
    const escaped = view.getUint8(place + 1)
    const isUnit = escaped === LOWER_U && areHexadecimal(view, place + 2, to)
    if (!isUnit && IS_ESCAPED[escaped] !== 1) return -1
    place = endOfPlain(view, place + (isUnit ? 2 + UNIT_DIGITS : 2), to)
  }
  return -1
}

/** The next byte that ends a text, escapes the byte behind it, or is a control character; `to` at the latest. */
function endOfPlain(view: DataView, from: number, to: number): number {
  let place = from
  // Four bytes at a time: what is left of each byte in its highest bit tells whether it was one of these.
  for (; place + WORD_BYTES <= to; place += WORD_BYTES) {
    const four = view.getInt32(place)
    const quotes = four ^ (QUOTE * EACH)
    const backslashes = four ^ (BACKSLASH * EACH)
    const found =
      ((quotes - EACH) & ~quotes) |
      ((backslashes - EACH) & ~backslashes) |
      ((four - SPACE * EACH) & ~four)
    if ((found & HIGHEST_BITS) !== 0) break
  }
  while (place < to && IS_PLAIN[view.getUint8(place)] === 1) place += 1
  return place
}

function areHexadecimal(view: DataView, from: number, to: number): boolean {
  if (from + UNIT_DIGITS > to) return false
  for (let place = from; place < from + UNIT_DIGITS; place += 1) {
    if (IS_HEXADECIMAL[view.getUint8(place)] !== 1) return false
  }
  return true
}

/** 1 for each byte that passes. */
const bytesThat = (passes: (byte: number) => boolean): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => (passes(byte) ? 1 : 0))

const SPACE = 0x20
const LOWER_U = 0x75
/** Digits of a code unit behind `\\u`. */
const UNIT_DIGITS = 4
/** 1 in each of four bytes, and the highest bit of each. */
const EACH = 0x01010101
const HIGHEST_BITS = 0x80808080
const IS_PLAIN = bytesThat((byte) => byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH)
const IS_ESCAPED = bytesThat((byte) => ascii('"\\/bfnrt').includes(byte))
const IS_HEXADECIMAL = bytesThat((byte) => ascii('0123456789abcdefABCDEF').includes(byte))

/** The functions that the code of layouts calls. */
const HELPERS = { endOfNumber, fractionIn, endOfText, endOfPlainText } as const
