import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editMembers } from './json-members.ts'
import { type JsonBounds, type JsonScan, scanJson } from '../json-scan.ts'

const edit = (json: string, ...edits: ReadonlyArray<readonly [string, unknown]>): string =>
  editMembers(Buffer.from(json), scanned(json).members, new Map(edits)).toString()

const BOUNDS: JsonBounds = { placesMax: 1e9, itemsMax: 1e9, depthMax: 1_000, membersMax: 1e9 }

function scanned(json: string, bounds: Partial<JsonBounds> = {}): JsonScan {
  const scan = scanJson(Buffer.from(json), { ...BOUNDS, ...bounds })
  if (typeof scan === 'string') throw new Error(`beyond ${scan}`)
  return scan
}

test('given members of every kind, when one is replaced, then the others keep their bytes', () => {
  const json =
    ' { "seed" : 12345678901234567890 , "model":"a","nested":{"model":"x","t":[1,{"}":"]"}]}, "f": 1.0 , "e":"q\\"\\\\" } '
  expect(edit(json, ['model', 'b'])).toBe(
    '{"seed" : 12345678901234567890,"model":"b","nested":{"model":"x","t":[1,{"}":"]"}]},"f": 1.0,"e":"q\\"\\\\"}',
  )
})

test('given a member, when removed or added, then commas stay right', () => {
  expect(edit('{"a":1,"b":2}', ['a', undefined])).toBe('{"b":2}')
  expect(edit('{"a":1,"b":2}', ['b', undefined])).toBe('{"a":1}')
  expect(edit('{"a":1}', ['a', undefined])).toBe('{}')
  expect(edit('{}', ['a', { b: [1] }])).toBe('{"a":{"b":[1]}}')
  expect(edit('{"a":1}', ['b', null], ['c', undefined])).toBe('{"a":1,"b":null}')
})

test('given a key twice and an escaped one, when replaced, then one member with the new value is left', () => {
  expect(edit('{"model":"a","x":1,"mod\\u0065l":"b"}', ['model', 'c'])).toBe('{"model":"c","x":1}')
})

test('given text with braces, quotes and multi-byte characters, when edited, then it parses to the same', () => {
  const body = {
    messages: [{ role: 'user', content: 'é漢字😀 "}{][,:\\ \n' }],
    tools: [{ function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
    empty: '',
    none: null,
    list: [],
  }
  for (const indent of [0, 2]) {
    const edited = edit(JSON.stringify(body, null, indent), ['model', 'm'], ['none', undefined])
    const { none: _, ...kept } = body
    expect(JSON.parse(edited)).toEqual({ ...kept, model: 'm' })
  }
})

test('given an edited key in another case, when edited, then only the edit is left', () => {
  expect(edit('{"Temperature":2,"x":1,"TEMPERATURE":1}', ['temperature', 0])).toBe(
    '{"x":1,"temperature":0}',
  )
})

test('given members by the hundred thousand, when their keys are read, then it takes seconds at most', () => {
  // A reader that looks for the end of the object at each of them reads 600 GB here.
  const members = 600_000
  const json = `{${'"a":1,'.repeat(members)}"b":1}`
  const startedMs = performance.now()
  expect(scanned(json).members).toHaveLength(members + 1)
  expect(performance.now() - startedMs).toBeLessThan(10_000)
}, 120_000)

test.each([
  ['{}', 1],
  ['[[],{},[[]]]', 5],
  ['{"a":1,"b":{"c":[]}}', 6],
  ['{"[{:":"\\"[{:","b":"]"}', 3],
  ['[1,2,3,4,5]', 1],
  ['["[[[[', 1],
])(
  'given %s, when its objects, lists and members are counted, then they are %d',
  (json, places) => {
    expect(scanned(json).places).toBe(places)
    expect(() => scanned(json, { placesMax: places - 1 })).toThrow('placesMax')
  },
)

test.each([
  ['{"messages":[{"role":"system"}]}', '"system"'],
  [
    ' { "messages" : [ { "content" : {"role":1} , "role" : "sys\\u0074em" } , {"role":"user"} ] } ',
    ' "sys\\u0074em"',
  ],
  ['{"messages":[{"content":[{"role":"x"}]},{"role":"user"}]}', null],
  ['{"other":[{"role":"system"}],"messages":[]}', null],
  ['{"a":{"messages":[{"role":"system"}]}}', null],
  ['{"messages":{"a":{"role":"system"}}}', null],
  ['[[{"role":"system"}]]', null],
])('given %s, when scanned, then the role of the first message is %s', (json, role) => {
  const { firstRole } = scanned(json)
  expect(firstRole && json.slice(firstRole.start, firstRole.end)).toBe(role)
})

test('given a place inside a member, when it is patched, then the rest keeps its bytes', () => {
  const json = '{"a":[1, 2],"b":"x"}'
  const at = { start: json.indexOf('1'), end: json.indexOf('1') + 1 }
  const patch = { at, bytes: Buffer.from('[9]') }
  const edited = editMembers(Buffer.from(json), scanned(json).members, new Map(), patch)
  expect(edited.toString()).toBe('{"a":[[9], 2],"b":"x"}')
})

test('given any JSON object, when scanned, then its members are those of the parser, where they stand', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.constantFrom(undefined, 1, '\t'),
      (object, space) => {
        const json = Buffer.from(JSON.stringify(object, null, space))
        const { members } = scanned(json.toString())
        const read = members.map(({ key, start, end }) => {
          const member: unknown = JSON.parse(`{${json.toString('utf8', start, end)}}`)
          return [key, Object.entries(member as object)]
        })
        const own = JSON.parse(json.toString()) as object
        expect(read).toEqual(Object.entries(own).map((entry) => [entry[0], [entry]]))
      },
    ),
  )
})

test('given any bytes, when scanned, then it comes to an end and stays within them', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', ' ', '1', 'a') }),
      (text) => {
        for (const { start, end } of scanned(text).members) {
          expect(start).toBeGreaterThanOrEqual(0)
          expect(end).toBeLessThanOrEqual(text.length)
        }
      },
    ),
  )
})
