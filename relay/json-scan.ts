const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/** Bounds on the shape of a JSON text; null from `scanJson` beyond them. */
export interface JsonBounds {
  /** Objects, lists and members: each takes a thousand times as long to parse as a byte of text. */
  readonly placesMax: number
  /** Further items of lists, such as token ids. */
  readonly itemsMax: number
  readonly depthMax: number
  /** Members of the outermost object. */
  readonly membersMax: number
}

/** Where something stands in the bytes. */
export interface Span {
  readonly start: number
  /** Behind it. */
  readonly end: number
}

/** A member of the outermost object, from its key's opening quote to behind its value. */
export interface Member extends Span {
  /** As decoded; of a key longer than KEY_BYTES_MAX its beginning and a mark, so that it equals no other. */
  readonly key: string
}

/** The findings of one pass over the bytes. Bytes that are no JSON give some, too: parse them before using these. */
export interface JsonScan {
  readonly places: number
  readonly items: number
  readonly members: readonly Member[]
  /** The value of `role` in the first of `messages`; null when there is none. */
  readonly firstRole: Span | null
}

/** Which bound a text is beyond. */
export type BeyondBounds = keyof JsonBounds

/** No member that is read here has a longer key. */
const KEY_BYTES_MAX = 1_024

/**
 * Goes once over the bytes of a JSON text and notes the members that are needed to bound, price and edit it, without
 * parsing it: linear in the bytes, and no memory but for the members.
 */
export function scanJson(json: Uint8Array, bounds: JsonBounds): JsonScan | BeyondBounds {
  const scanner = new Scanner(json, bounds)
  return scanner.run()
}

/** Depth of the outermost object's members, and of the first message's. */
const OUTER = 1
const IN_MESSAGE = 3

class Scanner {
  readonly #json: Uint8Array
  readonly #bounds: JsonBounds
  readonly #isObject: Uint8Array
  #depth = 0
  #places = 0
  #items = 0
  readonly #members: Member[] = []
  /** Start of the present member of the outermost object; -1 between members. */
  #keyStart = -1
  #key = ''
  /** Behind the last byte of a value that is no white space. */
  #lastEnd = 0
  #expectsKey = false
  /** Items of `messages` that came before. */
  #messagesBefore = 0
  #roleStart = -1
  #firstRole: Span | null = null

  constructor(json: Uint8Array, bounds: JsonBounds) {
    this.#json = json
    this.#bounds = bounds
    this.#isObject = new Uint8Array(bounds.depthMax + 2)
  }

  run(): JsonScan | BeyondBounds {
    const json = this.#json
    const { length } = json
    for (let at = 0; at < length; at += 1) {
      const byte = json[at] ?? 0
      if (byte === QUOTE) {
        const end = endOfString(json, at)
        if (this.#expectsKey) this.#foundKey(at, end)
        at = end - 1
        this.#lastEnd = end
        continue
      }
      if (byte <= 0x20) continue
      switch (byte) {
        case OPEN_BRACE:
        case OPEN_BRACKET:
          if (!this.#open(byte === OPEN_BRACE)) return 'depthMax'
          break
        case COLON:
          this.#places += 1
          if (this.#depth === IN_MESSAGE && this.#roleStart === 0) this.#roleStart = at + 1
          continue
        case COMMA:
          if (!this.#comma()) return 'membersMax'
          continue
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          this.#close()
          break
        default:
          break
      }
      if (this.#places > this.#bounds.placesMax) return 'placesMax'
      if (this.#items > this.#bounds.itemsMax) return 'itemsMax'
      this.#lastEnd = at + 1
    }
    const { placesMax, itemsMax } = this.#bounds
    if (this.#places > placesMax) return 'placesMax'
    if (this.#items > itemsMax) return 'itemsMax'
    return {
      places: this.#places,
      items: this.#items,
      members: this.#members,
      firstRole: this.#firstRole,
    }
  }

  #open(isObject: boolean): boolean {
    this.#places += 1
    this.#depth += 1
    if (this.#depth > this.#bounds.depthMax) return false
    this.#isObject[this.#depth] = isObject ? 1 : 0
    this.#expectsKey = isObject
    return true
  }

  #close(): void {
    this.#expectsKey = false
    if (this.#depth === OUTER) this.#endMember()
    if (this.#depth === IN_MESSAGE) this.#endRole()
    if (this.#depth > 0) this.#depth -= 1
  }

  /** False when there are too many members. */
  #comma(): boolean {
    const isObject = this.#isObject[this.#depth] === 1
    this.#expectsKey = isObject
    if (!isObject) this.#items += 1
    if (this.#depth === OUTER) {
      this.#endMember()
      return this.#members.length < this.#bounds.membersMax
    }
    if (this.#depth === OUTER + 1 && !isObject && this.#key === 'messages')
      this.#messagesBefore += 1
    if (this.#depth === IN_MESSAGE) this.#endRole()
    return true
  }

  #foundKey(start: number, end: number): void {
    this.#expectsKey = false
    if (this.#depth === OUTER) {
      this.#keyStart = start
      this.#key = decodedKey(this.#json, start, end)
      return
    }
    const isFirstMessage =
      this.#depth === IN_MESSAGE &&
      this.#key === 'messages' &&
      this.#messagesBefore === 0 &&
      this.#isObject[OUTER] === 1 &&
      this.#isObject[OUTER + 1] === 0
    // 0 = its value begins behind the next colon.
    if (isFirstMessage && decodedKey(this.#json, start, end) === 'role') this.#roleStart = 0
  }

  #endMember(): void {
    if (this.#keyStart === -1) return
    this.#members.push({ key: this.#key, start: this.#keyStart, end: this.#lastEnd })
    this.#keyStart = -1
    this.#key = ''
    this.#messagesBefore = 0
  }

  #endRole(): void {
    if (this.#roleStart > 0) this.#firstRole = { start: this.#roleStart, end: this.#lastEnd }
    this.#roleStart = -1
  }
}

/** Behind the closing quote of the text that opens at `quote`; the end of `json` when there is none. */
export function endOfString(json: Uint8Array, quote: number): number {
  const { length } = json
  for (let at = quote + 1; at < length; at += 1) {
    const byte = json[at]
    if (byte === BACKSLASH) at += 1
    else if (byte === QUOTE) return at + 1
  }
  return length
}

/** A key's text; '' of one that is no JSON, which the parser refuses anyway. */
function decodedKey(json: Uint8Array, start: number, end: number): string {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength)
  const isLong = end - start > KEY_BYTES_MAX
  const text = bytes.toString('utf8', start, isLong ? start + KEY_BYTES_MAX : end)
  if (isLong) return `${text}…`
  if (!text.includes('\\')) return text.slice(1, -1)
  try {
    return String(JSON.parse(text))
  } catch {
    // Refused by the parser that reads the whole.
    return ''
  }
}
