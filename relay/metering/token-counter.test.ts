import { afterAll, expect, test } from 'vitest'
import { CHAT, readRequest } from '../protocols/openai/request.ts'
import { promptUpperBound } from './prompt-bound.ts'
import { makeTokenCounter } from './token-counter.ts'

const counter = makeTokenCounter()
afterAll(() => counter.close())

const request = (messages: unknown) => {
  const read = readRequest(CHAT, Buffer.from(JSON.stringify({ model: 'gpt-4o', messages })))
  if ('refused' in read) throw new Error(read.message)
  return read
}

test.each([
  ['gpt-4o', 'Hello there, friend', 4],
  ['gpt-4', 'Hello there, friend', 4],
  ['gpt-4o', '你好，世界', 3],
  ['gpt-4', '你好，世界', 6],
  ['gpt-4o', '<|endoftext|>', 7],
  ['gpt-4o', '', 0],
])('given %s, when %o is counted, then %i', async (model, text, tokens) => {
  expect(await counter.countTexts(model, [text])).toEqual({ tokens, isExact: true })
})

test('given a counter that was closed, when asked again, then it counts again', async () => {
  const other = makeTokenCounter()
  expect(await other.countTexts('gpt-4o', ['one two'])).toMatchObject({ tokens: 2 })
  await other.close()
  expect(await other.countTexts('gpt-4o', ['one two'])).toMatchObject({ tokens: 2 })
  await other.close()
})

test.each([
  [[{ role: 'user', content: 'x' }]],
  [
    [
      { role: 'system', content: '每个字' },
      { role: 'user', name: 'bob', content: '🚀'.repeat(50) },
    ],
  ],
  [
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'what' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(99_999)}` } },
        ],
      },
    ],
  ],
])(
  'given a prompt, when bounded by bytes, then the bound covers the count without pictures’ bytes',
  async (messages) => {
    const asked = request(messages)
    const bound = promptUpperBound(asked)
    const counted = await counter.countPrompt('gpt-4o', asked)
    expect(bound).toBeGreaterThanOrEqual(counted.tokens)
    expect(bound).toBeLessThan(5_000)
  },
)
