import type { EventTable } from '@tollgate/domain/event-columns.ts'
import type { z } from 'zod'
import { isSame, viewOf } from './bytes.ts'
import { ascii, BACKSLASH, compileLayout, type Layout, NULL, QUOTE, type Step } from './layout.ts'

/**
 * Learns a layout from an event's data that fit the schema. Null where there is none to learn: members that the schema
 * does not name, or that stand twice, names with escapes, spaces between values.
 */
export function learnLayout(
  bytes: Uint8Array,
  schema: z.core.$ZodType,
  table: Pick<EventTable, 'wanted'>,
): Layout | null {
  const learner = new Learner(bytes, table)
  const isLearned = learner.value(schema, '') && learner.place === bytes.length
  return isLearned ? compileLayout(learner.steps, learner.found, table) : null
}

class Learner {
  place = 0
  steps: Step[] = []
  /** Paths of all members. */
  found = new Set<string>()
  readonly #bytes: Uint8Array
  readonly #wanted: EventTable['wanted']

  constructor(bytes: Uint8Array, { wanted }: Pick<EventTable, 'wanted'>) {
    this.#bytes = bytes
    this.#wanted = wanted
  }

  /** Goes through a value; false when nothing can be learned from it. */
  value(schema: z.core.$ZodType, path: string): boolean {
    const { json, texts } = this.#wanted
    const span = json.indexOf(path)
    this.found.add(path)
    if (span === -1) return this.#bare(schema, path)
    this.steps.push({ kind: 'span-begins' })
    if (this.#startsWith(NULL) || !this.#bare(schema, path)) return false
    this.steps.push({ kind: 'span-ends', column: texts.length + span })
    return true
  }

  #bare(schema: z.core.$ZodType, path: string): boolean {
    const { def } = schema._zod as z.core.$ZodTypes['_zod']
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- nothing is learned from the other kinds
    switch (def.type) {
      case 'string':
      case 'number':
      case 'boolean':
        return this.#leaf(schema, path, false)
      case 'nullable':
        if (isLeaf(def.innerType)) return this.#leaf(def.innerType, path, true)
        return this.#literal(NULL) || this.#bare(def.innerType, path)
      case 'optional':
        return this.#bare(def.innerType, path)
      case 'literal':
        return def.values.some((one) => this.#literal(ascii(JSON.stringify(one))))
      case 'enum':
        return Object.values(def.entries).some((one) => this.#literal(ascii(JSON.stringify(one))))
      case 'union':
        return def.options.some((option) => this.#attempt(() => this.#bare(option, path)))
      case 'array':
        return this.#array(def.element, path)
      case 'object':
        return this.#object(def.shape, path)
      default:
        return false
    }
  }

  #array(element: z.core.$ZodType, path: string): boolean {
    if (!this.#literal(OPENS_ARRAY)) return false
    for (let index = 0; !this.#literal(CLOSES_ARRAY); index += 1) {
      if (index > 0 && !this.#literal(COMMA)) return false
      if (!this.value(element, `${path}.${index}`)) return false
    }
    return true
  }

  #object(shape: Readonly<Record<string, z.core.$ZodType>>, path: string): boolean {
    if (!this.#literal(OPENS_OBJECT)) return false
    const seen = new Set<string>()
    const isFixed = this.#hasFixedPlaces(shape, path)
    while (!this.#literal(CLOSES_OBJECT)) {
      if (seen.size > 0 && !this.#literal(COMMA)) return false
      const end = this.#bytes.indexOf(QUOTE, this.place + 1)
      const name = String.fromCharCode(...this.#bytes.subarray(this.place + 1, end))
      const member = Object.hasOwn(shape, name) ? shape[name] : undefined
      if (member === undefined || seen.has(name)) return false
      seen.add(name)
      if (!this.#literal(ascii(`"${name}":`))) return false
      const own = path === '' ? name : `${path}.${name}`
      if (isFixed && this.#pass(member, own)) continue
      if (!this.value(member, own)) return false
    }
    return Object.entries(shape).every(
      ([name, { _zod: zod }]) => seen.has(name) || zod.def.type === 'optional',
    )
  }

  /** Whether no wanted member of an object may come and go: then none can stand in what is passed over. */
  #hasFixedPlaces(shape: Readonly<Record<string, z.core.$ZodType>>, path: string): boolean {
    return Object.entries(shape).every(
      ([name, { _zod: zod }]) =>
        zod.def.type !== 'optional' || !this.#isWanted(path === '' ? name : `${path}.${name}`),
    )
  }

  /** Whether a member, or one in it, is wanted. */
  #isWanted(path: string): boolean {
    const { numbers, texts, json } = this.#wanted
    return [...numbers, ...texts, ...json].some(
      (one) => one === path || one.startsWith(`${path}.`) || path.startsWith(`${one}.`),
    )
  }

  /**
   * Passes an object or list that is not wanted, or as a known JSON only, up to the member behind it. No text holds a bare
   * quotation mark, so that member's name stands where it is found, as long as no member that is passed has it.
   */
  #pass(schema: z.core.$ZodType, path: string): boolean {
    const { json, texts } = this.#wanted
    const span = json.indexOf(path)
    if (span === -1 && this.#isWanted(path)) return false
    const names = namesIn(schema)
    const end = endOfValue(this.#bytes, this.place)
    const next = nameBehind(this.#bytes, end)
    if (names === null || next === null || names.has(next)) return false
    this.found.add(path)
    this.place = end
    const to = [...ascii(`,"${next}":`)]
    if (span !== -1) {
      const column = texts.length + span
      this.steps.push({ kind: 'span-begins' }, { kind: 'pass', to, names })
      this.steps.push({ kind: 'known-span-ends', column })
      return true
    }
    const before = this.#passedBefore()
    // One look is enough for both.
    if (before?.names.has(next) === false) this.steps.splice(-2)
    const all = before?.names.has(next) === false ? before.names.union(names) : names
    this.steps.push({ kind: 'pass', to, names: all })
    return true
  }

  /** The step that passes the member right before this one's name; null when it is not passed. */
  #passedBefore(): (Step & { readonly kind: 'pass' }) | null {
    const [before, name] = this.steps.slice(-2)
    const isPassed = before?.kind === 'pass' && name?.kind === 'literal'
    return isPassed && name.bytes.length === before.to.length ? before : null
  }

  #leaf(schema: z.core.$ZodType, path: string, isNullable: boolean): boolean {
    const kind = kindOf(schema)
    if (kind === null || (this.#startsWith(NULL) && !isNullable)) return false
    const { numbers, texts } = this.#wanted
    const column = (kind === 'text' ? texts : numbers).indexOf(path)
    this.steps.push({ kind, isNullable, column: column === -1 ? null : column })
    this.place = endOfLeaf(this.#bytes, this.place)
    return true
  }

  #startsWith(word: Uint8Array): boolean {
    const { length } = word
    const isLongEnough = this.place + length <= this.#bytes.length
    return isLongEnough && isSame(viewOf(this.#bytes), this.place, viewOf(word), 0, length)
  }

  /** Passes the bytes, which stand in every event of the layout; false when others stand here. */
  #literal(word: Uint8Array): boolean {
    if (!this.#startsWith(word)) return false
    const before = this.steps.at(-1)
    if (before?.kind !== 'literal') this.steps.push({ kind: 'literal', bytes: [...word] })
    else this.steps.splice(-1, 1, { kind: 'literal', bytes: [...before.bytes, ...word] })
    this.place += word.length
    return true
  }

  /** Forgets what was found when it is of no use. */
  #attempt(find: () => boolean): boolean {
    const before = { place: this.place, steps: [...this.steps], found: new Set(this.found) }
    if (find()) return true
    this.place = before.place
    this.steps = before.steps
    this.found = before.found
    return false
  }
}

const isLeaf = (schema: z.core.$ZodType): boolean => kindOf(schema) !== null

/** Null for what is no single value. */
function kindOf(schema: z.core.$ZodType): 'text' | 'integer' | 'number' | 'boolean' | null {
  const { def } = schema._zod as z.core.$ZodTypes['_zod']
  if (def.type === 'string') return 'text'
  if (def.type === 'boolean') return 'boolean'
  if (def.type !== 'number') return null
  return 'format' in def ? 'integer' : 'number'
}

/** The names of all members of objects and lists of a schema; null where others may stand in it, or it may be a leaf. */
function namesIn(schema: z.core.$ZodType): ReadonlySet<string> | null {
  const names = new Set<string>()
  return takeNames(schema, names) && !isLeaf(schema) ? names : null
}

function takeNames(schema: z.core.$ZodType, names: Set<string>): boolean {
  const { def } = schema._zod as z.core.$ZodTypes['_zod']
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the other kinds may hold anything
  switch (def.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'literal':
    case 'enum':
      return true
    case 'nullable':
    case 'optional':
      return takeNames(def.innerType, names)
    case 'union':
      return def.options.every((option) => takeNames(option, names))
    case 'array':
      return takeNames(def.element, names)
    case 'object':
      return Object.entries(def.shape as Readonly<Record<string, z.core.$ZodType>>).every(
        ([name, member]) => takeNames(member, names.add(name)),
      )
    default:
      return false
  }
}

/** Where an object or list ends that begins at a place; the place itself for any other value. */
function endOfValue(bytes: Uint8Array, from: number): number {
  let place = from
  let depth = 0
  do {
    const byte = bytes[place] ?? 0
    if (OPENS.has(byte)) depth += 1
    else if (CLOSES.has(byte)) depth -= 1
    place = byte === QUOTE ? endOfLeaf(bytes, place) : place + 1
  } while (depth > 0 && place < bytes.length)
  return OPENS.has(bytes[from] ?? 0) ? place : from
}

/** The name of the member behind a value; null where none follows. */
function nameBehind(bytes: Uint8Array, end: number): string | null {
  const text = Buffer.from(bytes.subarray(end, end + NAME_MAX)).toString('latin1')
  return /^,"(\w+)":/.exec(text)?.[1] ?? null
}
const NAME_MAX = 80

/** Where a text, number or word ends that begins at a place. */
function endOfLeaf(bytes: Uint8Array, from: number): number {
  let place = from
  if (bytes[place] !== QUOTE) {
    while (place < bytes.length && !ENDS.has(bytes[place] ?? 0)) place += 1
    return place
  }
  for (place += 1; place < bytes.length && bytes[place] !== QUOTE; place += 1) {
    if (bytes[place] === BACKSLASH) place += 1
  }
  return place + 1
}

const COMMA = ascii(',')
const OPENS_ARRAY = ascii('[')
const CLOSES_ARRAY = ascii(']')
const OPENS_OBJECT = ascii('{')
const CLOSES_OBJECT = ascii('}')
const OPENS = new Set([...OPENS_ARRAY, ...OPENS_OBJECT])
const CLOSES = new Set([...CLOSES_ARRAY, ...CLOSES_OBJECT])
/** The bytes behind a number or word. */
const ENDS = new Set([...COMMA, ...CLOSES_ARRAY, ...CLOSES_OBJECT])
