import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { expect, test } from 'vitest'
import type { ModelRequest } from '../protocols/model-request.ts'
import { CHAT, readRequest } from '../protocols/openai/request.ts'
import { isRefusal } from '../refusal.ts'
import { OutputForecast } from './output-forecast.ts'

function request(model: string, more: object = {}): ModelRequest {
  const body = { model, messages: [{ role: 'user', content: 'hello' }], ...more }
  const read = readRequest(CHAT, Buffer.from(JSON.stringify(body)))
  if (isRefusal(read)) throw new Error(read.message)
  return read
}

test.each([
  ['o3-mini', {}, 8_192],
  ['openai/o1', {}, 8_192],
  ['gpt-5.1', {}, 8_192],
  ['gpt-5-chat-latest', {}, null],
  ['gpt-4o', {}, null],
  ['gpt-4o', { reasoning_effort: 'high' }, 8_192],
  ['deepseek-reasoner', {}, 8_192],
  ['claude-sonnet-4-thinking', {}, 8_192],
])('given %s %o of which nothing is known, then %s tokens are expected', (model, more, tokens) => {
  expect(new OutputForecast().expect(request(model, more))).toBe(tokens)
})

test('given charges of a model, when asked for, then 95 of its last 1,000 in 100 kept to the forecast', () => {
  const forecast = new OutputForecast()
  for (let i = 0; i < 1_000; i++) {
    forecast.note(request('o3-mini'), { ...NO_USAGE, textOut: 100_000, reasoningOut: 99_000 })
  }
  expect(forecast.expect(request('o3-mini'))).toBe(100_000)
  for (let i = 1; i <= 1_000; i++) {
    forecast.note(request('o3-mini', { n: 2 }), { ...NO_USAGE, textOut: 2 * i, reasoningOut: i })
  }
  expect(forecast.expect(request('o3-mini'))).toBe(950)
})

test('given a model under a name of its own, when it reports reasoning, then it is known by that', () => {
  const forecast = new OutputForecast()
  const usage = { ...NO_USAGE, textOut: 300, reasoningOut: 200 }
  forecast.note(request('house'), { ...NO_USAGE, textOut: 300 })
  expect(forecast.expect(request('house'))).toBeNull()
  forecast.note(request('house'), usage)
  expect(forecast.expect(request('house'))).toBe(8_192)
  for (let i = 0; i < 20; i++) forecast.note(request('house'), usage)
  expect(forecast.expect(request('house'))).toBe(300)
})

test('given more models than are remembered, when one is added, then the one charged longest ago goes', () => {
  const forecast = new OutputForecast()
  const usage = { ...NO_USAGE, textOut: 300, reasoningOut: 200 }
  for (let i = 0; i < 1_001; i++) forecast.note(request(`house-${i}`), usage)
  expect(forecast.expect(request('house-0'))).toBeNull()
  expect(forecast.expect(request('house-1'))).toBe(8_192)
})

test('given spoken answers of a model, when more are asked for, then speech is forecast apart from text', () => {
  const forecast = new OutputForecast()
  const spoken = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } }
  const asked = request('gpt-4o-audio-preview', spoken)
  expect(forecast.expect(asked)).toBe(8_192)
  for (let i = 0; i < 20; i++) forecast.note(asked, { ...NO_USAGE, audioOut: 290, textOut: 10 })
  expect(forecast.expect(asked)).toBe(300)
  expect(forecast.expect(request('gpt-4o-audio-preview'))).toBeNull()
  expect(forecast.expect(request('gpt-4o-audio-preview', { ...spoken, stream: true }))).toBeNull()
})
