import { expect, test } from 'vitest'
import type { JsonObject } from '../../json.ts'
import { translateChat } from '../openai/translate.ts'
import type { GeminiTerms } from '../translation.ts'
import { readChat } from './read-chat.ts'
import { translateGemini } from './translate.ts'

const INTO_GEMINI: GeminiTerms = {
  into: 'gemini',
  from: 'openai',
  vectors: null,
  model: 'gemini-2.5-flash',
  settings: {
    safety: new Map(),
    versions: new Map(),
    thinkingShare: null,
    imageModels: new Set(),
  },
  override: {},
}
const HI = [{ role: 'user', content: 'hi' }]
const SAMPLING = { seed: 7, presence_penalty: 0.5, frequency_penalty: -0.5 }
const IN_GOOGLES_WORDS = { seed: 7, presencePenalty: 0.5, frequencyPenalty: -0.5 }
const JSON_MODE = { type: 'json_object' }

function configOf(more: JsonObject, terms: Partial<GeminiTerms> = {}): unknown {
  const answer = translateGemini(
    { model: 'm', messages: HI, ...more },
    { ...INTO_GEMINI, ...terms },
  )
  if (answer.status !== 'translated') return answer
  return (JSON.parse(answer.json) as { generationConfig?: unknown }).generationConfig
}

test.each<[string, JsonObject, unknown]>([
  ['sampling', SAMPLING, IN_GOOGLES_WORDS],
  ['penalties of nothing', { presence_penalty: 0, frequency_penalty: 0 }, undefined],
  ['text alone', { modalities: ['text'] }, undefined],
  ['pictures', { modalities: ['image', 'text'] }, { responseModalities: ['TEXT', 'IMAGE'] }],
  ['nothing but pictures', { modalities: ['image'] }, { responseModalities: ['TEXT', 'IMAGE'] }],
  ['JSON of any shape', { response_format: JSON_MODE }, { responseMimeType: 'application/json' }],
])(
  'given %s of a chat, when put in the words of Google, then it is asked for',
  (_, more, config) => {
    expect(configOf(more)).toEqual(config)
  },
)

test.each([
  ['audio', ['text', 'audio']],
  ['audio and pictures', ['image', 'audio']],
  ['a text', 'image'],
  ['nothing', []],
  ['an unknown kind', ['image', 'video']],
])('given modalities of %s, when put in the words of Google, then refused by name', (...row) => {
  const [, modalities] = row
  expect(configOf({ modalities })).toMatchObject({ status: 'untranslatable', param: 'modalities' })
})

test.each<[model: string, effort: string, thinking: JsonObject | null]>([
  ['gemini-3-pro-preview', 'none', { thinkingLevel: 'low' }],
  ['gemini-3-pro-preview', 'medium', { thinkingLevel: 'high' }],
  ['gemini-3-pro-preview', 'max', { thinkingLevel: 'high' }],
  ['gemini-3.1-pro', 'medium', { thinkingLevel: 'medium' }],
  ['gemini-3-flash', 'none', { thinkingLevel: 'minimal' }],
  ['gemini-3-flash', 'low', { thinkingLevel: 'low' }],
  ['gemini-3-flash', 'xhigh', { thinkingLevel: 'high' }],
  ['gemini-2.5-flash', 'minimal', { thinkingBudget: 1_024 }],
  ['gemini-2.5-flash', 'max', { thinkingBudget: 24_576 }],
  ['gemini-2.0-flash', 'high', null],
])('given to %s the effort %s, when put in the words of Google, then it is %j', (...row) => {
  const [model, effort, thinking] = row
  expect(configOf({ reasoning_effort: effort }, { model })).toEqual(
    thinking === null ? undefined : { thinkingConfig: { ...thinking, includeThoughts: true } },
  )
})

test.each<[model: string, limit: number | null, thinking: JsonObject]>([
  ['gemini-2.5-flash-nothinking', null, { thinkingBudget: 0 }],
  ['gemini-2.5-flash-lite-nothinking', null, { thinkingBudget: 0 }],
  ['gemini-2.5-pro-nothinking', null, { thinkingBudget: 128 }],
  ['gemini-3-flash-nothinking', null, { thinkingLevel: 'minimal' }],
  ['gemini-3-pro-preview-nothinking', null, { thinkingLevel: 'low' }],
  ['gemini-2.5-flash-thinking', null, { thinkingBudget: 24_576, includeThoughts: true }],
  ['gemini-2.5-flash-thinking', 100, { thinkingBudget: 50, includeThoughts: true }],
  ['gemini-2.5-pro-thinking', 100, { thinkingBudget: 128, includeThoughts: true }],
  ['gemini-2.5-flash-lite-thinking', 100, { thinkingBudget: 512, includeThoughts: true }],
  ['gemini-3-flash-thinking', null, { thinkingLevel: 'high', includeThoughts: true }],
  ['gemini-3-flash-thinking', 1_000, { thinkingLevel: 'low', includeThoughts: true }],
  ['gemini-3-flash-thinking', 10_000, { thinkingLevel: 'medium', includeThoughts: true }],
  ['gemini-3-pro-preview-thinking', 10_000, { thinkingLevel: 'high', includeThoughts: true }],
])('given %s with a limit of %s, when put in the words of Google, then it is %j', (...row) => {
  const [model, limit, thinkingConfig] = row
  const settings = { ...INTO_GEMINI.settings, thinkingShare: 0.5 }
  expect(configOf({ max_tokens: limit }, { model, settings })).toEqual({
    ...(limit !== null && { maxOutputTokens: limit }),
    thinkingConfig,
  })
})

test('given no effort for 2.5 Pro, when put in the words of Google, then it has the least budget', () => {
  const config = configOf({ reasoning_effort: 'none' }, { model: 'gemini-2.5-pro' })
  expect(config).toEqual({ thinkingConfig: { thinkingBudget: 128 } })
})

test('given sampling and JSON of contents, when put in the words of OpenAI, then they are asked for', () => {
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]
  const generationConfig = { ...IN_GOOGLES_WORDS, responseMimeType: 'application/json' }
  const answer = translateChat(
    { contents, generationConfig },
    {
      into: 'openai',
      stream: false,
      from: 'gemini',
      model: 'gpt-4o',
      upstreamModel: 'gpt-4o',
      limit: 'max_tokens',
      reasons: false,
      takesThoughts: false,
    },
  )
  const asked: unknown = answer.status === 'read' && JSON.parse(Buffer.from(answer.raw).toString())
  expect(asked).toEqual({ model: 'gpt-4o', messages: HI, ...SAMPLING, response_format: JSON_MODE })
})

test('given JSON of any shape of a response, when put in the words of Google, then it is asked for', () => {
  const body = { model: 'm', input: 'hi', text: { format: JSON_MODE } }
  const answer = translateGemini(body, { ...INTO_GEMINI, from: 'responses' })
  expect(answer).toMatchObject({
    status: 'translated',
    json: expect.stringContaining('"generationConfig":{"responseMimeType":"application/json"}'),
  })
})

test('given base64 as addresses have it, when read of contents, then others get the other alphabet', () => {
  const parts = [
    { thought: true, text: 'Hm', thoughtSignature: '--__-w==' },
    { functionCall: { id: 'c', name: 'look', args: {} }, thoughtSignature: '--__' },
  ]
  const inlineData = { mimeType: 'image/png', data: '--__-w==' }
  const { turns } = readChat({
    contents: [
      { role: 'model', parts },
      { role: 'user', parts: [{ inlineData }] },
    ],
  })
  expect(turns).toMatchObject([
    { blocks: [{ signature: '++//+w==' }, { signature: '++//' }] },
    { blocks: [{ source: { base64: '++//+w==' } }] },
  ])
})
