import { expect, test } from 'vitest'
import { editMembers, hasMorePlacesThan, keysOf } from './json-members.ts'

const edit = (json: string, ...edits: ReadonlyArray<readonly [string, unknown]>): string =>
  editMembers(Buffer.from(json), new Map(edits)).toString()

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

test('given the same key twice and an escaped key, when replaced, then one member with the new value is left', () => {
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
  // Whoever looks for the end of the object at each of them reads 600 GB here.
  const members = 600_000
  const json = Buffer.from(`{${'"a":1,'.repeat(members)}"b":1}`)
  const startedMs = performance.now()
  expect(keysOf(json)).toHaveLength(members + 1)
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
    const padded = Buffer.from(json.padEnd(50))
    expect(hasMorePlacesThan(padded, places)).toBe(false)
    expect(hasMorePlacesThan(padded, places - 1)).toBe(true)
  },
)
