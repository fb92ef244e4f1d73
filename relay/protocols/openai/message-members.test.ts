import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withKnownMessageMembers } from './message-members.ts'

const trimmed = (text: string): string => withKnownMessageMembers(Buffer.from(text)).toString()

test.each([
  [
    '{"messages":[{"role":"user","id":"1","content":"hi","createAt":5}],"model":"m"}',
    '{"messages":[{"role":"user","content":"hi"}],"model":"m"}',
  ],
  // Members that stay are as they were written, in their order.
  [
    ' { "seed" : 1.0 , "messages" : [ { "id" : { "role" : [1,{}] } , "role" : "user" } , {"role":"a"} ] } ',
    ' { "seed" : 1.0 , "messages" : [ {"role" : "user"} , {"role":"a"} ] } ',
  ],
  // The same names elsewhere are nobody's business here.
  [
    '{"id":1,"tools":[{"id":2}],"messages":[{"role":"user","content":[{"type":"text","id":3}]}]}',
    '{"id":1,"tools":[{"id":2}],"messages":[{"role":"user","content":[{"type":"text","id":3}]}]}',
  ],
  [
    String.raw`{"messages":[{"r\u006fle":"user","i\u0064":"}","content":"a \"id\":\\"}]}`,
    String.raw`{"messages":[{"r\u006fle":"user","content":"a \"id\":\\"}]}`,
  ],
  ['{"messages":[{"id":1}]}', '{"messages":[{}]}'],
  ['{"prompt":[{"id":1}]}', '{"prompt":[{"id":1}]}'],
])('given %s, when trimmed, then %s', (body, expected) => {
  expect(trimmed(body)).toBe(expected)
})

test('given any bodies, when trimmed, then messages have their known members and all else is as it was', () => {
  const key = fc.constantFrom(
    'role',
    'content',
    'tool_calls',
    'id',
    'createAt',
    'status',
    '"',
    '\\',
    '{',
  )
  const message = fc.dictionary(key, fc.jsonValue())
  const body = fc.record({ id: fc.jsonValue(), messages: fc.array(message), tools: fc.jsonValue() })
  fc.assert(
    fc.property(body, fc.nat({ max: 2 }), (value, indent) => {
      const known = ['role', 'content', 'tool_calls']
      const messages = value.messages.map((one) =>
        Object.fromEntries(Object.entries(one).filter(([name]) => known.includes(name))),
      )
      const expected: unknown = JSON.parse(JSON.stringify({ ...value, messages }))
      expect(JSON.parse(trimmed(JSON.stringify(value, null, indent)))).toEqual(expected)
    }),
  )
})

test('given a body of many megabytes, when trimmed, then it takes little processor time', () => {
  const image = 'A'.repeat(20_000_000)
  const body = JSON.stringify({ messages: [{ role: 'user', content: image, id: 1 }] })
  const before = process.threadCpuUsage()
  expect(trimmed(body).length).toBe(body.length - ',"id":1'.length)
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1_000).toBeLessThan(2_000)
})
