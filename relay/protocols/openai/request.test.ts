import { expect, test } from 'vitest'
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
