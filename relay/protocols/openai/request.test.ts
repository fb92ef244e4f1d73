import { expect, test, vi } from 'vitest'
import { CHAT, readRequest } from './request.ts'

const read = (json: string) => readRequest(CHAT, Buffer.from(json))
const MESSAGES = '"messages":[{"role":"user","content":"hi"}]'

test.each([
  ['another case', `{"model":"gpt-4o-mini","Model":"o1-pro",${MESSAGES}}`, 'model'],
  ['another case alone', `{"model":"a",${MESSAGES},"MAX_TOKENS":9999}`, 'max_tokens'],
  ['a repeat', `{"model":"a",${MESSAGES},"model":"b"}`, 'model'],
  ['an escaped repeat', `{"model":"a",${MESSAGES},"mod\\u0065l":"b"}`, 'model'],
  ['a long s', `{"model":"a",${MESSAGES},"\u017ftream":true}`, 'stream'],
  ['a Kelvin sign', `{"model":"a",${MESSAGES},"max_to\u212aens":9}`, 'max_tokens'],
])(
  'given a member that is read in %s, when read, then it is refused by name',
  (_how, json, param) => {
    expect(read(json)).toMatchObject({ status: 400, param })
  },
)

test('given members that nobody here reads, when they repeat or differ in case, then they pass', () => {
  const json = `{"model":"a",${MESSAGES},"seed":1,"Seed":2,"seed":3,"metadata":{"Model":1,"model":2}}`
  expect(read(json)).toMatchObject({ model: 'a' })
})

test.each([
  ['lists', `{"model":"a",${MESSAGES},"x":[${'[],'.repeat(200_000)}1]}`],
  ['members', `{"model":"a",${MESSAGES},${'"x":1,'.repeat(200_000)}"y":1}`],
])('given a body of very many %s, when read, then it is refused unparsed', (_what, json) => {
  const parsed = vi.spyOn(JSON, 'parse')
  expect(read(json)).toMatchObject({
    status: 400,
    message: 'the body must not have more than 200000 objects, lists and members',
  })
  expect(parsed).not.toHaveBeenCalled()
  parsed.mockRestore()
})

test('given a long text of brackets, when read, then it passes', () => {
  const content = '[{:'.repeat(200_000)
  expect(read(`{"model":"a","messages":[{"role":"user","content":"${content}"}]}`)).toMatchObject({
    model: 'a',
  })
})
