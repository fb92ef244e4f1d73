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

function configOf(more: JsonObject): unknown {
  const answer = translateGemini({ model: 'm', messages: HI, ...more }, INTO_GEMINI)
  if (answer.status !== 'translated') return answer
  return (JSON.parse(answer.json) as { generationConfig?: unknown }).generationConfig
}

test.each<[string, JsonObject, unknown]>([
  ['sampling', SAMPLING, IN_GOOGLES_WORDS],
  ['penalties of nothing', { presence_penalty: 0, frequency_penalty: 0 }, undefined],
  ['JSON of any shape', { response_format: JSON_MODE }, { responseMimeType: 'application/json' }],
])(
  'given %s of a chat, when put in the words of Google, then it is asked for',
  (_, more, config) => {
    expect(configOf(more)).toEqual(config)
  },
)

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
