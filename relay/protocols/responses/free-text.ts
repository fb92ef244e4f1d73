import { isObject, type JsonObject } from '../../json.ts'

/** The member of a function that has all of a free text, where a provider knows tools by functions alone. */
export const FREE_TEXT = 'input'

/** The input of a call of free text, as such providers get it. */
export const freeTextInput = (text: string): JsonObject => ({ [FREE_TEXT]: text })

/** The free text in the arguments of a call; a model that keeps to no schema may have named it otherwise, or not at all. */
export function freeTextIn(json: string): string {
  const input = parsed(json)
  if (typeof input === 'string') return input
  if (!isObject(input)) return json
  const [only, ...others] = Object.values(input)
  const text = input[FREE_TEXT] ?? (others.length === 0 ? only : undefined)
  return typeof text === 'string' ? text : json
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // Arguments that are no JSON are the text themselves.
    return null
  }
}

/** Reads the free text in the arguments of a call while they are written. */
export class FreeTextReader {
  #json = ''
  /** Where the text goes on; null = it has not begun. */
  #at: number | null = null
  /** It has ended, or cannot be read before all of it is there. */
  #isOver = false
  #given = ''
  /** The first half of a character, which must not be given without its second. */
  #half = ''

  /** More of the arguments; returns what they say of the text. */
  push(piece: string): string {
    this.#json += piece
    if (this.#isOver) return ''
    const from = this.#at ?? BEGIN.exec(this.#json)?.[0].length
    if (from === undefined) return ''
    const { end, isOver } = stringEnd(this.#json, from)
    const text = parsed(`"${this.#json.slice(from, end)}"`)
    this.#at = end
    this.#isOver = isOver || typeof text !== 'string'
    return typeof text === 'string' ? this.#whole(this.#half + text) : ''
  }

  /** The rest of the text that `push` did not give, and all of it. */
  end(): { readonly rest: string; readonly text: string } {
    const text = freeTextIn(this.#json)
    return { rest: text.startsWith(this.#given) ? text.slice(this.#given.length) : '', text }
  }

  #whole(text: string): string {
    const isHalved = isHighSurrogate(text.charCodeAt(text.length - 1))
    const given = isHalved ? text.slice(0, -1) : text
    this.#half = isHalved ? text.slice(-1) : ''
    this.#given += given
    return given
  }
}

/** How the arguments begin, where they follow the schema. */
const BEGIN = /^\s{0,20}\{\s{0,20}"input"\s{0,20}:\s{0,20}"/
const QUOTE = 0x22
const BACKSLASH = 0x5c
const ESCAPE_LENGTH = 2
const UNICODE_ESCAPE_LENGTH = 6

/** Where the part of a JSON string that can be read ends. */
function stringEnd(json: string, from: number): { readonly end: number; readonly isOver: boolean } {
  let at = from
  while (at < json.length) {
    const unit = json.charCodeAt(at)
    if (unit === QUOTE) return { end: at, isOver: true }
    const escape = json[at + 1] === 'u' ? UNICODE_ESCAPE_LENGTH : ESCAPE_LENGTH
    const length = unit === BACKSLASH ? escape : 1
    if (at + length > json.length) break
    at += length
  }
  return { end: at, isOver: false }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
