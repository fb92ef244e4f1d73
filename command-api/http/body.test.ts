import { expect, test } from 'vitest'
import { flag, float, int, intList, lenientBody, optional, orNull, text } from './body.ts'
import { idInPath, queryInt, queryText } from './query.ts'

const body = lenientBody({
  name: text(),
  remain_quota: int(),
  threshold: float(),
  SelfUseModeEnabled: flag(),
  ids: intList(),
  tag: optional(text()),
})
const zero = { name: '', remain_quota: 0, threshold: 0, SelfUseModeEnabled: false, ids: [] }

test.each([
  [{}, zero],
  [null, zero],
  [{ name: null, remain_quota: null, ids: null, tag: null, created_time: null }, zero],
  [
    { NAME: 'a', selfusemodeenabled: true, extra: { x: 1 } },
    { ...zero, name: 'a', SelfUseModeEnabled: true },
  ],
  [
    { Name: 'b', name: 'a' },
    { ...zero, name: 'a' },
  ],
  [
    { name: 'a', Name: 'b' },
    { ...zero, name: 'a' },
  ],
  [
    { name: 'a\u0000b\ud800', tag: '\u0000' },
    { ...zero, name: 'ab\ufffd', tag: '' },
  ],
  [{ tag: '' }, { ...zero, tag: '' }],
  [{ __proto__: { name: 'x' }, constructor: 1 }, zero],
])(
  'given the body %j, when read, then it is accepted with zero values for what is missing',
  (input, output) => {
    expect(body.parse(input)).toEqual(output)
  },
)

test.each([
  undefined,
  [],
  'text',
  7,
  { remain_quota: 1.5 },
  { remain_quota: '1' },
  { remain_quota: 2 ** 53 },
  { name: 7 },
  { SelfUseModeEnabled: 'true' },
  { ids: [1, '2'] },
  { ids: 1 },
])('given the body %j, when read, then it is refused', (input) => {
  expect(body.safeParse(input).success).toBe(false)
})

test('given a body that may be invalid, when read, then it is null or as ever, with its fields documented', async () => {
  const schema = orNull(body)
  const { validate, jsonSchema } = schema['~standard']
  expect(await validate({ NAME: 'a' })).toEqual({ value: { ...zero, name: 'a' } })
  expect(await validate({ name: 7 })).toEqual({ value: null })
  expect(await validate(Symbol('unreadable'))).toEqual({ value: null })
  const shown = jsonSchema.output({ target: 'draft-2020-12' })
  expect(shown).toEqual(body['~standard'].jsonSchema.output({ target: 'draft-2020-12' }))
})

test('given a NUL in a query text, when read, then it stands as what no stored text holds', () => {
  expect(queryText().parse('a\u0000b')).toBe('a\ufffdb')
  expect(queryInt().parse(['4', '5'])).toBe(4)
})

test('given a path id that is no number, when read, then the refusal names it', () => {
  expect(idInPath('Id of the token').parse({ id: '12' })).toEqual({ id: 12 })
  expect(idInPath('Id of the token').safeParse({ id: 'abc' }).error?.issues[0]?.message).toBe(
    'id 不是有效的数字: "abc"',
  )
})
