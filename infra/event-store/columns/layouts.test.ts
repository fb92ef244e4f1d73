import type { DomainEvent } from '@tollgate/domain/event.ts'
import { EventTableBuilder, NO_WORD, type WantedMembers } from '@tollgate/domain/event-columns.ts'
import { REPLAYED_WITH_PRICES } from '@tollgate/projections/replays/replayed-events.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { SCHEMAS_BY_VERSION } from '../schemas/by-version.ts'
import { checkFit } from '../schemas/fit.ts'
import { Layouts } from './layouts.ts'
import { learnLayout } from './learn-layout.ts'
import { WordIds } from './word-ids.ts'

const TYPES = ['UsageCharged', 'RequestFailed'] as const

/** Odd values are seldom: an event has some fifty, and one of them is enough to leave it to the parser. */
const PLAIN = 150
const texts = fc.oneof(
  {
    weight: PLAIN,
    arbitrary: fc.string({
      unit: fc.constantFrom('a', 'b', '1', '-', ' ', '/', '模', 'é'),
      maxLength: 8,
    }),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('a"b', '\\', '\u0000', '\ud800', 'null', '', '{"a":"b/\\n"}'),
  },
)
const integers = fc.oneof(
  { weight: PLAIN, arbitrary: fc.integer({ min: -99, max: 1e12 }) },
  { weight: 1, arbitrary: fc.maxSafeInteger() },
  { weight: 1, arbitrary: fc.constantFrom(-0, 0, 1e15, 999_999_999_999_999) },
)

/** Values that fit a schema. */
function fitting(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const { def } = schema._zod as z.core.$ZodTypes['_zod']
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the events here have no other kinds
  switch (def.type) {
    case 'string':
      return texts
    case 'boolean':
      return fc.boolean()
    case 'number':
      return 'format' in def
        ? integers
        : fc.oneof(integers, fc.double({ noNaN: true, noDefaultInfinity: true }))
    case 'literal':
      return fc.constantFrom(...def.values)
    case 'nullable':
      return fc.option(fitting(def.innerType), { freq: 3 })
    case 'optional':
      return fitting(def.innerType)
    case 'union':
      return fc.oneof(...def.options.map(fitting))
    case 'array':
      return fc.array(fitting(def.element), { maxLength: 2 })
    case 'object': {
      const shape = Object.entries(def.shape as Readonly<Record<string, z.core.$ZodType>>)
      const isOptional = ([, one]: (typeof shape)[number]): boolean =>
        one._zod.def.type === 'optional'
      const members = Object.fromEntries(shape.map(([name, one]) => [name, fitting(one)]))
      const requiredKeys = shape.filter((one) => !isOptional(one)).map(([name]) => name)
      return fc.record(members, { requiredKeys })
    }
    default:
      throw new TypeError(`no values of ${def.type}`)
  }
}

const written = fc.constantFrom(...TYPES).chain((type) => {
  const versions = SCHEMAS_BY_VERSION.get(type) ?? []
  return fc.constantFrom(...versions.keys()).chain((index) => {
    const schema = versions[index]
    if (schema === undefined) throw new Error(`no version ${index + 1} of ${type}`)
    return fc.record({
      type: fc.constant(type),
      version: fc.constant(index + 1),
      learned: fitting(schema),
      read: fc.array(fitting(schema), { minLength: 1, maxLength: 4 }),
    })
  })
})

/** A row as numbers and texts. */
function rowOf(table: EventTableBuilder, row: number, words: readonly string[]): unknown {
  return {
    numbers: table.numbers.map((column) => column[row]),
    words: table.words.map((column) => {
      const word = column[row] ?? NO_WORD
      return word === NO_WORD ? null : words[word]
    }),
  }
}

function parsedRow(type: string, wanted: WantedMembers, data: unknown): unknown {
  const table = new EventTableBuilder(type, wanted, 1)
  const words: string[] = []
  const event = { stream: 'account-1', position: 0, data: data as DomainEvent['data'] }
  table.add(event, (word) => words.push(word) - 1)
  return rowOf(table, 0, words)
}

const wantedOf = (type: (typeof TYPES)[number]): WantedMembers => REPLAYED_WITH_PRICES.members[type]

/** The row that the layouts read where an event was parsed before; null when they do not know the text. */
function readRow(
  layouts: Layouts,
  type: (typeof TYPES)[number],
  text: string,
  parsedBefore: unknown = null,
): unknown {
  const bytes = Buffer.from(text)
  const table = new EventTableBuilder(type, wantedOf(type), 1)
  for (const column of table.numbers) column.fill(-7)
  const ids = new WordIds()
  if (parsedBefore !== null) {
    const data = parsedBefore as DomainEvent['data']
    const event = { stream: 'account-1', position: 0, data }
    new EventTableBuilder(type, wantedOf(type), 1).add(event, (word) => ids.idOfText(word))
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const isRead = layouts.read({ bytes, view, from: 0, to: bytes.length }, table, 0, ids)
  return isRead ? rowOf(table, 0, ids.words) : null
}

function learnedFrom(type: (typeof TYPES)[number], version: number, data: unknown): Layouts {
  const layouts = new Layouts()
  const table = new EventTableBuilder(type, wantedOf(type), 1)
  layouts.learn(Buffer.from(JSON.stringify(data)), version, table)
  return layouts
}

test('given any events of any version, when a layout reads their bytes, then it reads what parsing does', () => {
  let reads = 0
  fc.assert(
    fc.property(written, ({ type, version, learned, read }) => {
      const layouts = learnedFrom(type, version, learned)
      for (const data of [learned, ...read]) {
        const text = JSON.stringify(data)
        const row = readRow(layouts, type, text, data)
        if (row === null) continue
        reads += 1
        expect(row).toEqual(parsedRow(type, wantedOf(type), JSON.parse(text)))
      }
    }),
    { numRuns: 1_000 },
  )
  expect(reads).toBeGreaterThan(500)
})

test('given bytes that were changed, when a layout reads them, then they fit, or all wanted stays', () => {
  const changed = written.chain((one) =>
    fc.record({
      one: fc.constant(one),
      place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      by: fc.constantFrom(
        '0',
        '9',
        '-',
        '.',
        'e',
        '"',
        '\\',
        ',',
        '}',
        ' ',
        'null',
        'x',
        '',
        '\u0001',
      ),
      isInserted: fc.boolean(),
    }),
  )
  let [reads, refusals] = [0, 0]
  fc.assert(
    fc.property(changed, ({ one: { type, version, learned }, place, by, isInserted }) => {
      const layouts = learnedFrom(type, version, learned)
      const text = JSON.stringify(learned)
      const at = Math.floor(place * text.length)
      const other = text.slice(0, at) + by + text.slice(isInserted ? at : at + 1)
      const row = readRow(layouts, type, other, learned)
      if (row === null) {
        refusals += 1
        return
      }
      reads += 1
      const data = fittingData(type, version, other)
      expect(row).toEqual(parsedRow(type, wantedOf(type), data ?? learned))
    }),
    { numRuns: 1_500 },
  )
  expect(Math.min(reads, refusals)).toBeGreaterThan(15)
})

/** Null for what is no JSON or does not fit. */
function fittingData(type: string, version: number, text: string): unknown {
  try {
    const data: unknown = JSON.parse(text)
    checkFit(type, version, data)
    return data
  } catch {
    return null
  }
}

const failed = {
  account: 1,
  token: null,
  request: 'q',
  at: 5,
  model: 'm',
  group: 'g',
  channel: 3,
  channelType: null,
  attempts: [],
  stream: false,
  firstByteMs: null,
  durationMs: 12.5,
  status: 500,
  errorType: '',
  errorCode: '',
  message: '',
  suppressed: 0,
}
const newest = SCHEMAS_BY_VERSION.get('RequestFailed')?.length ?? 0

test.each([
  ['null where a number was', { ...failed, channel: null }, true],
  ['a number where null was', { ...failed, token: 7 }, true],
  ['a whole number for a fraction', { ...failed, durationMs: 12 }, true],
  ['escapes in a text that is not wanted', { ...failed, message: '{"a":"\\n\u0001\ud800"}' }, true],
  ['escapes in a text that is wanted', { ...failed, model: 'a"b' }, false],
  ['a fraction for a whole number', { ...failed, at: 5.5 }, false],
  ['a text for a number', { ...failed, at: '5' }, false],
  ['a member more', { ...failed, more: 1 }, false],
  ['a longer list that is not wanted', { ...failed, attempts: [1] }, true],
  ['a number of 16 digits', { ...failed, at: 1e15 }, false],
])('given %s, when read by a layout, then it is read or left to the parser', (_, data, isRead) => {
  const layouts = learnedFrom('RequestFailed', newest, failed)
  expect(readRow(layouts, 'RequestFailed', JSON.stringify(data)) !== null).toBe(isRead)
})

test.each([
  ['a member that the schema does not name', JSON.stringify({ ...failed, more: 1 })],
  ['a member that stands twice', JSON.stringify(failed).replace('{', '{"at":1,')],
  ['spaces', JSON.stringify(failed, null, 1)],
])('given %s, when a layout is to be learned, then none is', (_, text) => {
  const layouts = new Layouts()
  const table = new EventTableBuilder('RequestFailed', wantedOf('RequestFailed'), 1)
  layouts.learn(Buffer.from(text), newest, table)
  expect(readRow(layouts, 'RequestFailed', text)).toBeNull()
})

test('given thousands of words, when looked up again, then each has its id and its text', () => {
  const ids = new WordIds()
  const words = [...Array.from({ length: 5_000 }, (_, index) => `wörd-${index}`), '', '\ud800']
  const found = words.map((word) => ids.idOfText(word))
  expect(new Set(found).size).toBe(words.length)
  expect(found.map((id) => ids.words[id])).toEqual(words)
  expect(words.map((word) => ids.idOfText(word))).toEqual(found)
})

test.each([['\\x'], ['\\u12g4'], ['\\u123'], ['\\'], ['\t']])(
  'given the text "%s", which is no JSON, when read by a layout, then it is left to the parser',
  (text) => {
    const layouts = learnedFrom('RequestFailed', newest, failed)
    const broken = JSON.stringify({ ...failed, message: 'here' }).replace('here', () => text)
    expect(() => JSON.parse(broken) as unknown).toThrow(SyntaxError)
    expect(readRow(layouts, 'RequestFailed', broken)).toBeNull()
  },
)

const inner = z.object({ x: z.string(), y: z.number() })
/** A text with bare and escaped quotation marks, as JSON within a text has them. */
const TRICKY = '",\\"b\\":9,"b":8'

test.each([
  {
    what: 'objects and lists that are not wanted',
    schema: z.object({ a: inner, c: z.array(inner), b: z.number() }),
    learned: { a: { x: 'p', y: 3 }, c: [], b: 1 },
    read: { a: { x: TRICKY, y: 12 }, c: [{ x: TRICKY, y: 1 }], b: 7 },
    wanted: 7,
  },
  {
    what: 'a member of the same name within one',
    schema: z.object({ a: inner.extend({ b: z.number() }), b: z.number() }),
    learned: { a: { x: 'p', y: 3, b: 4 }, b: 1 },
    read: { a: { x: TRICKY, y: 12, b: 31 }, b: 7 },
    wanted: 7,
  },
  {
    what: 'two such members, of which the first has one of the same name within',
    schema: z.object({ a: inner.extend({ b: z.number() }), c: z.array(inner), b: z.number() }),
    learned: { a: { x: 'p', y: 3, b: 4 }, c: [], b: 1 },
    read: { a: { x: TRICKY, y: 12, b: 31 }, c: [{ x: TRICKY, y: 1 }], b: 7 },
    wanted: 7,
  },
  {
    what: 'members of any name within one',
    schema: z.object({ a: z.record(z.string(), z.number()), b: z.number() }),
    learned: { a: { y: 3 }, b: 1 },
    read: { a: { b: 31 }, b: 7 },
    wanted: null,
  },
  {
    what: 'a wanted member behind one, which comes and goes',
    schema: z.object({ a: inner, w: z.number().optional(), b: z.number() }),
    learned: { a: { x: 'p', y: 3 }, b: 1 },
    read: { a: { x: 'p', y: 3 }, w: 5, b: 7 },
    wanted: null,
  },
])('given $what, when read by a layout, then the wanted member is its own', (one) => {
  const table = new EventTableBuilder('Made', { numbers: ['w', 'b'], texts: [], json: [] }, 1)
  const [learned, bytes] = [one.learned, one.read].map((data) => Buffer.from(JSON.stringify(data)))
  if (learned === undefined || bytes === undefined) throw new Error('no bytes')
  const layout = learnLayout(learned, one.schema, table)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const text = { bytes, view, from: 0, to: bytes.length }
  const isRead = layout?.(text, table, 0, new WordIds()) === true
  expect(isRead ? table.numbers[1]?.[0] : null).toBe(one.wanted)
})

test('given a wanted JSON that was never parsed, when read by a layout, then it is left to the parser', () => {
  const schema = z.object({ a: inner, b: z.number() })
  const table = new EventTableBuilder('Made', { numbers: ['b'], texts: [], json: ['a'] }, 1)
  const layout = learnLayout(Buffer.from('{"a":{"x":"p","y":1},"b":1}'), schema, table)
  const ids = new WordIds()
  const read = (text: string): boolean => {
    const bytes = Buffer.from(text)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    return layout?.({ bytes, view, from: 0, to: bytes.length }, table, 0, ids) === true
  }
  const text = '{"a":{"x":"q\\"","y":2},"b":7}'
  expect(read(text)).toBe(false)
  expect(ids.words).toEqual([])
  ids.idOfText('{"x":"q\\"","y":2}')
  expect(read(text)).toBe(true)
  expect([table.numbers[0]?.[0], ids.words[table.words[0]?.[0] ?? -1]]).toEqual([
    7,
    '{"x":"q\\"","y":2}',
  ])
  expect(read('{"a":{"x":"q","y":2},"b":7}')).toBe(false)
})
