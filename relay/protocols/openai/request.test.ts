import { expect, test, vi } from 'vitest'
import { CHAT, COMPLETIONS, readRequest } from './request.ts'

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
  ['lists', `"x":[${'[],'.repeat(200_000)}1]`, 'more than 200000 objects, lists and members'],
  ['items', `"x":[${'1,'.repeat(1_000_001)}1]`, 'more than 1000000 items in lists'],
  ['members', `${'"x":1,'.repeat(1_000)}"y":1`, 'more than 1000 members'],
  [
    'levels',
    `"x":${'['.repeat(600)}${']'.repeat(600)}`,
    'objects and lists nested deeper than 500',
  ],
  [
    'brackets that never close',
    `"x":${'['.repeat(3_000_000)}`,
    'objects and lists nested deeper than 500',
  ],
])('given a body of very many %s, when read, then it is refused unparsed', (_what, rest, bound) => {
  const json = `{"model":"a",${MESSAGES},${rest}}`
  const parsed = vi.spyOn(JSON, 'parse')
  expect(read(json)).toMatchObject({ status: 400, message: `the body must not have ${bound}` })
  expect(parsed).not.toHaveBeenCalled()
  parsed.mockRestore()
})

test.each([
  ['model', 'm'.repeat(256)],
  ['model', '中'.repeat(86)],
  ['reasoning_effort', 'x'.repeat(20_000)],
  ['stream_options', { x: 'x'.repeat(20_000) }],
])('given a %s that is too long, when read, then it is refused in few words', (name, value) => {
  const body = { model: 'a', messages: [{ role: 'user', content: 'hi' }], [name]: value }
  const refused = read(JSON.stringify(body))
  expect(refused).toMatchObject({ status: 400, param: name })
  expect(JSON.stringify(refused).length).toBeLessThan(500)
})

test.each(['priority', 'flex'])(
  'given the service tier %s, whose price is another, when read, then the price step is told of it',
  (tier) => {
    const asked = read(`{"model":"a",${MESSAGES},"service_tier":"${tier}"}`)
    expect(asked).toMatchObject({ terms: { tier } })
    const auto = read(`{"model":"a",${MESSAGES},"service_tier":"auto"}`)
    expect(auto).not.toHaveProperty('terms')
  },
)

test.each(['"performance"', '"scale"', '"Priority"', '7', '{}'])(
  'given the service tier %s, which has no price, when read, then it is refused by name',
  (tier) => {
    const chat = read(`{"model":"a",${MESSAGES},"service_tier":${tier}}`)
    expect(chat).toMatchObject({ status: 400, param: 'service_tier' })
    const raw = Buffer.from(`{"model":"a","prompt":"hi","service_tier":${tier}}`)
    expect(readRequest(COMPLETIONS, raw)).toEqual(chat)
  },
)

test.each(['null', '"default"', '"on_demand"'])(
  'given the service tier %s, whose price is the usual one, when read, then it passes',
  (tier) => {
    const asked = read(`{"model":"a",${MESSAGES},"service_tier":${tier}}`)
    expect(asked).toMatchObject({ model: 'a' })
    expect(asked).not.toHaveProperty('terms')
  },
)

test('given a model of 255 bytes, when read, then it passes', () => {
  expect(read(`{"model":"${'m'.repeat(255)}",${MESSAGES}}`)).toMatchObject({ stream: false })
})

test('given a long text of brackets, when read, then it passes', () => {
  const content = '[{:'.repeat(200_000)
  expect(read(`{"model":"a","messages":[{"role":"user","content":"${content}"}]}`)).toMatchObject({
    model: 'a',
  })
})

test.each([
  ['gpt-4o-mini', 48_169],
  ['gpt-4o', 3_000],
])(
  'given a picture for %s, when its cost is bounded, then by the dearest it can be',
  (model, tokens) => {
    const content = [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }]
    const body = { model, messages: [{ role: 'user', content }] }
    const request = readRequest(CHAT, Buffer.from(JSON.stringify(body)))
    expect(request).toMatchObject({ media: { tokens } })
  },
)
