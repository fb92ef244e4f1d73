import { expect, test } from 'vitest'
import { isRefusal } from '../../refusal.ts'
import { scanBody } from '../json-body.ts'
import { promptParts, promptTexts } from './prompt.ts'
import { MESSAGES, readMessages } from './request.ts'

const HI = [{ role: 'user', content: 'hi' }]
const read = (more: object) => {
  const body = { model: 'claude-sonnet-4-5', max_tokens: 64, messages: HI, ...more }
  const raw = Buffer.from(JSON.stringify(body))
  const scan = scanBody(raw)
  return isRefusal(scan) ? scan : readMessages(MESSAGES, raw, scan)
}

test.each([
  ['no model', { model: '' }, 'model'],
  ['no messages', { messages: [] }, 'messages'],
  ['a message without role', { messages: [{ content: 'hi' }] }, 'messages'],
  ['half a token', { max_tokens: 0.5 }, 'max_tokens'],
  ['a speed that nobody knows', { speed: 'warp' }, 'speed'],
  ['a region that nobody knows', { inference_geo: 'mars' }, 'inference_geo'],
  ['a speed in capitals', { Speed: 'fast' }, 'speed'],
])('given %s, when read, then it is refused by name', (_what, more, param) => {
  expect(read(more)).toMatchObject({ refused: true, status: 400, param })
})

test('given code to run, when read, then a channel has to allow it', () => {
  const tools = [{ type: 'code_execution_20250825', name: 'run' }]
  expect(read({ tools })).toMatchObject({ providerObjects: ['tools: code_execution_20250825'] })
})

test('given terms that change the price, when read, then the price step is told of them', () => {
  expect(read({ speed: 'fast' })).toMatchObject({ terms: { fast: true } })
  expect(read({ inference_geo: 'us' })).toMatchObject({ terms: { geo: true } })
  expect(read({ speed: 'standard', inference_geo: 'global' })).not.toHaveProperty('terms')
})

test('given what has no price of its own, when read, then it passes', () => {
  const tools = [
    { name: 'a', input_schema: {} },
    { type: 'bash_20250124', name: 'bash' },
    { type: 'web_search_20250305', name: 'web_search' },
  ]
  const more = {
    tools,
    speed: 'standard',
    inference_geo: 'global',
    output_config: { effort: 'max' },
  }
  expect(read(more)).toMatchObject({ maxOutput: 64, reasoningEffort: 'max', choices: 1 })
})

const PICTURE = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'iVBORw' },
}
const MESSAGES_OF_ALL_KINDS = {
  system: [{ type: 'text', text: 'Be kind.' }],
  messages: [
    { role: 'user', content: ['no block', { type: 'text', text: 'Look:' }, PICTURE] },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 't', name: 'look', input: { at: 1 } }],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't', content: 'plain' },
        {
          type: 'tool_result',
          tool_use_id: 'u',
          content: [{ type: 'text', text: 'seen' }, PICTURE],
        },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a page' } },
        { type: 'document', source: { type: 'base64', data: 'JVBERi' } },
        {
          type: 'document',
          source: { type: 'content', content: [{ type: 'text', text: 'part' }] },
        },
      ],
    },
  ],
  tools: [{ name: 'look', input_schema: { type: 'object' } }],
}

test('given blocks of all kinds, when read, then texts are found and media bounded apart', () => {
  expect([...promptTexts(MESSAGES_OF_ALL_KINDS)]).toEqual([
    'Be kind.',
    'Look:',
    'plain',
    'seen',
    'a page',
    'part',
  ])
  expect(read(MESSAGES_OF_ALL_KINDS)).toMatchObject({
    media: { bytes: 18, tokens: 15_000, audioTokens: 0 },
  })
  expect(promptParts(MESSAGES_OF_ALL_KINDS)).toEqual({
    texts: [
      ...promptTexts(MESSAGES_OF_ALL_KINDS),
      'look',
      '{"at":1}',
      '{"name":"look","input_schema":{"type":"object"}}',
    ],
    fixedTokens: 3 * 3 + 2 * 1_600 + 2_500,
  })
})
