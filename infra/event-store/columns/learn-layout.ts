import type { EventTable } from '@tollgate/domain/event-columns.ts'
import type { z } from 'zod'
import {
  ascii,
  BACKSLASH,
  compileLayout,
  isWord,
  type Layout,
  NULL,
  QUOTE,
  type Step,
} from './layout.ts'

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
    while (!this.#literal(CLOSES_OBJECT)) {
      if (seen.size > 0 && !this.#literal(COMMA)) return false
      const end = this.#bytes.indexOf(QUOTE, this.place + 1)
      const name = String.fromCharCode(...this.#bytes.subarray(this.place + 1, end))
      const member = Object.hasOwn(shape, name) ? shape[name] : undefined
      if (member === undefined || seen.has(name)) return false
      seen.add(name)
      if (!this.#literal(ascii(`"${name}":`))) return false
      if (!this.value(member, path === '' ? name : `${path}.${name}`)) return false
    }
    return Object.entries(shape).every(
      ([name, { _zod: zod }]) => seen.has(name) || zod.def.type === 'optional',
    )
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
    return isWord(this.#bytes, this.place, word)
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
/** The bytes behind a number or word. */
const ENDS = new Set([...COMMA, ...CLOSES_ARRAY, ...CLOSES_OBJECT])
