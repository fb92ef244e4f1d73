/** Where something stands in a text: lines and columns count from 1. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

/** Why a text is not JSON. */
export type JsonProblem =
  | 'empty'
  | 'value'
  | 'string'
  | 'escape'
  | 'number'
  | 'name'
  | 'colon'
  | 'comma'
  | 'end'
  | 'after'
  | 'twice'

/** A JSON value that knows where it begins; members of an object keep their order and all of their doubles. */
export type JsonNode = { readonly at: number } & (
  | { readonly type: 'object'; readonly members: readonly JsonMember[] }
  | { readonly type: 'list'; readonly items: readonly JsonNode[] }
  | { readonly type: 'text'; readonly value: string }
  /** `text` as written: 1.50 stays 1.50. */
  | { readonly type: 'number'; readonly text: string }
  | { readonly type: 'word'; readonly value: boolean | null }
)

/** A name and its value in an object. */
export interface JsonMember {
  readonly name: string
  readonly at: number
  readonly value: JsonNode
}

/** The result of reading a text: its value, or its first problem and the position of that (`at`, from 0). */
export type JsonReading =
  | { readonly root: JsonNode }
  | { readonly problem: JsonProblem; readonly at: number }

/**
 * Reads JSON so that every mistake has a place: browsers say it in words of their own, or not at all. A name that
 * stands twice in an object is read; `doubleName` finds it.
 */
export function readJson(text: string): JsonReading {
  try {
    return { root: new Reader(text).all() }
  } catch (error) {
    if (error instanceof Mistake) return { problem: error.problem, at: error.at }
    throw error
  }
}

/** The first name that stands a second time in the same object; of two values, one would be lost unseen. */
export function doubleName(node: JsonNode): JsonMember | undefined {
  if (node.type === 'list') return firstOf(node.items, doubleName)
  if (node.type !== 'object') return undefined
  const seen = new Set<string>()
  const double = node.members.find(({ name }) => seen.size === seen.add(name).size)
  return (
    double ??
    firstOf(
      node.members.map(({ value }) => value),
      doubleName,
    )
  )
}

/** Line and column of a position. */
export function placeOf(text: string, at: number): TextPlace {
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 }
}

/** True when both texts are JSON of the same value, however they are laid out. */
export function isSameJson(one: string, other: string): boolean {
  if (one === other) return true
  const [first, second] = [compact(one), compact(other)]
  return first !== null && first === second
}

/** The text in lines with two spaces a level; what is not JSON stays as it is. */
export function inLines(text: string): string {
  const reading = readJson(text)
  return 'problem' in reading ? text : written(reading.root, '')
}

function compact(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    // Not JSON: it is the same as nothing else.
    return null
  }
}

/** Short lists stay on their line, as people write them. */
const SHORT_LIST = 60

function written(node: JsonNode, indent: string): string {
  const inner = `${indent}  `
  switch (node.type) {
    case 'object': {
      const members = node.members.map(
        ({ name, value }) => `${inner}${JSON.stringify(name)}: ${written(value, inner)}`,
      )
      return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`
    }
    case 'list': {
      const items = node.items.map((item) => written(item, inner))
      const short = `[${items.join(', ')}]`
      if (short.length <= SHORT_LIST && !short.includes('\n')) return short
      return `[\n${items.map((item) => inner + item).join(',\n')}\n${indent}]`
    }
    case 'text':
      return JSON.stringify(node.value)
    case 'number':
      return node.text
    case 'word':
      return String(node.value)
    default:
      return node satisfies never
  }
}

function firstOf<Item, Found>(
  items: readonly Item[],
  find: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

class Mistake extends Error {
  readonly problem: JsonProblem
  readonly at: number

  constructor(problem: JsonProblem, at: number) {
    super(problem)
    this.problem = problem
    this.at = at
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const STRING = /"(?:[^"\\\n\r\t]|\\.)*"/y
const WORD = /true|false|null/y
const SPACE = /[ \t\n\r]*/y

class Reader {
  private at = 0
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  all(): JsonNode {
    this.skip()
    if (this.at === this.text.length) throw new Mistake('empty', 0)
    const root = this.value()
    this.skip()
    if (this.at < this.text.length) throw new Mistake('after', this.at)
    return root
  }

  private value(): JsonNode {
    const { at } = this
    const sign = this.text[at]
    if (sign === undefined) throw new Mistake('end', at)
    if (sign === '{') return { at, type: 'object', members: this.members() }
    if (sign === '[') return { at, type: 'list', items: this.items() }
    if (sign === '"') return { at, type: 'text', value: this.string() }
    const word = this.match(WORD)
    if (word !== null) return { at, type: 'word', value: word === 'null' ? null : word === 'true' }
    if (!/[-\d]/.test(sign)) throw new Mistake('value', at)
    const number = this.match(NUMBER)
    if (number === null || /[\w.+]/.test(this.text[this.at] ?? '')) throw new Mistake('number', at)
    return { at, type: 'number', text: number }
  }

  private members(): readonly JsonMember[] {
    const members: JsonMember[] = []
    this.each('}', () => {
      const { at } = this
      if (this.text[at] !== '"') throw new Mistake(at < this.text.length ? 'name' : 'end', at)
      const name = this.string()
      this.skip()
      this.expect(':', 'colon')
      this.skip()
      members.push({ name, at, value: this.value() })
    })
    return members
  }

  private items(): readonly JsonNode[] {
    const items: JsonNode[] = []
    this.each(']', () => items.push(this.value()))
    return items
  }

  /** Reads what stands between brackets, separated by commas; the opening one is where we are. */
  private each(closing: string, read: () => void): void {
    this.at += 1
    this.skip()
    if (this.text[this.at] === closing) {
      this.at += 1
      return
    }
    for (;;) {
      read()
      const end = this.at
      this.skip()
      if (this.text[this.at] === closing) break
      // The comma is missing where the value before it ended, which may be a line above.
      if (this.text[this.at] !== ',' && this.at < this.text.length) throw new Mistake('comma', end)
      this.expect(',', 'comma')
      this.skip()
    }
    this.at += 1
  }

  private string(): string {
    const { at } = this
    const source = this.match(STRING)
    if (source === null) throw new Mistake('string', at)
    try {
      return JSON.parse(source) as string
    } catch {
      // The quotes are closed, so a backslash stands before something that it cannot.
      throw new Mistake('escape', at)
    }
  }

  private expect(sign: string, problem: JsonProblem): void {
    if (this.text[this.at] !== sign)
      throw new Mistake(this.at < this.text.length ? problem : 'end', this.at)
    this.at += 1
  }

  private skip(): void {
    this.match(SPACE)
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at
    const [found] = pattern.exec(this.text) ?? [null]
    if (found !== null) this.at += found.length
    return found
  }
}
