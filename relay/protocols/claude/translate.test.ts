import { expect, test } from 'vitest'
import type { JsonObject } from '../../json.ts'
import type { ClaudeTerms } from '../translation.ts'
import { translateRequest } from './translate.ts'

const TERMS: ClaudeTerms = {
  into: 'claude',
  stream: false,
  from: 'openai',
  model: 'claude-sonnet-4-5',
  defaultMaxTokens: 8_192,
  thinkingShare: 0.8,
  override: {},
}
const HI = [{ role: 'user', content: 'hi' }]
const TURNS = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }]

function translated(more: JsonObject, terms: Partial<ClaudeTerms> = {}): unknown {
  const answer = translateRequest({ model: 'm', messages: HI, ...more }, { ...TERMS, ...terms })
  return answer.status === 'translated' ? (JSON.parse(answer.json) as unknown) : answer
}
const PLAIN = { model: TERMS.model, max_tokens: 8_192, messages: TURNS }

test.each<[string, JsonObject, JsonObject]>([
  ['nothing else', {}, {}],
  ['a limit', { max_tokens: 5, max_completion_tokens: 7 }, { max_tokens: 7 }],
  ["the playground's no limit", { max_tokens: 0, group: 'vip' }, {}],
  ['stops', { stop: 'a' }, { stop_sequences: ['a'] }],
  ['several stops', { stop: ['a', 'b'] }, { stop_sequences: ['a', 'b'] }],
  [
    'sampling',
    { temperature: 0.5, top_p: 0.9, top_k: 5 },
    { temperature: 0.5, top_p: 0.9, top_k: 5 },
  ],
  ['a user', { user: 'u' }, { metadata: { user_id: 'u' } }],
  ['a stream', { stream: true, stream_options: { include_usage: true } }, { stream: true }],
  [
    'a schema',
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'n', schema: { type: 'object' } },
      },
    },
    { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
  ],
  [
    'members that ask for nothing',
    { n: 1, logprobs: false, logit_bias: {}, seed: null, store: true },
    {},
  ],
  [
    'effort of a model with a budget',
    { reasoning_effort: 'low', max_tokens: 10_000 },
    { thinking: { type: 'enabled', budget_tokens: 2_000 }, max_tokens: 10_000 },
  ],
  ['no effort', { reasoning_effort: 'none' }, {}],
])('given %s, when translated, then Anthropic is asked for it', (_what, more, members) => {
  expect(translated(more)).toEqual({ ...PLAIN, ...members })
})

test.each([
  ['claude-opus-4-6', true],
  ['claude-opus-5', true],
  ['claude-sonnet-4-20250514', false],
  ['claude-3-7-sonnet-20250219', false],
  ['claude-haiku-4-5-20251001', false],
])('given an effort, when %s is asked, then it thinks adaptively: %s', (model, isAdaptive) => {
  const asked = translated({ reasoning_effort: 'minimal' }, { model })
  const adaptive = { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }
  const budget = { thinking: { type: 'enabled', budget_tokens: 1_024 } }
  expect(asked).toEqual({ ...PLAIN, model, ...(isAdaptive ? adaptive : budget) })
})

test.each([
  ['claude-opus-4-6', 'xhigh', 'high'],
  ['claude-opus-4-6', 'max', 'max'],
  ['claude-opus-4-7', 'xhigh', 'xhigh'],
  ['claude-opus-5', 'minimal', 'low'],
])('given to %s the effort %s, when translated, then it is %s', (model, effort, said) => {
  expect(translated({ reasoning_effort: effort }, { model })).toMatchObject({
    output_config: { effort: said },
  })
})

test.each([
  ['claude-opus-4-7', {}],
  ['anthropic.claude-sonnet-5-v1:0', {}],
  ['claude-opus-4-6', { temperature: 0.5, top_p: 0.9, top_k: 5 }],
])('given members of sampling, when %s is asked, then it gets %j of them', (model, kept) => {
  const asked = translateRequest(
    { model: 'm', messages: HI, temperature: 0.5, top_p: 0.9, top_k: 5 },
    { ...TERMS, model },
  )
  // Without them nothing asks for the older version of the API.
  expect(asked).toMatchObject({ wantsOlderVersion: Object.keys(kept).length > 0 })
  expect(asked.status === 'translated' && JSON.parse(asked.json)).toEqual({
    ...PLAIN,
    model,
    ...kept,
  })
})

test('given a model that refuses a temperature, when one is given, then no value of it is an error', () => {
  const model = 'claude-opus-4-7'
  expect(translated({ temperature: 1.5 }, { model })).toEqual({ ...PLAIN, model })
  const thinking = { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }
  const more = { temperature: 0.5, reasoning_effort: 'low' }
  expect(translated(more, { model })).toEqual({ ...PLAIN, model, ...thinking })
})

test('given a model that takes no budget, when its name asks for thinking, then it decides itself', () => {
  expect(translated({ top_k: 3 }, { model: 'claude-opus-4-7-thinking' })).toEqual({
    ...PLAIN,
    model: 'claude-opus-4-7',
    thinking: { type: 'adaptive' },
  })
})

test('given a model named -thinking, when translated, then it thinks by the share of its output', () => {
  const more = { max_tokens: 100, temperature: 0.3, top_p: 0.5 }
  expect(translated(more, { model: 'claude-sonnet-4-5-thinking' })).toEqual({
    ...PLAIN,
    max_tokens: 1_280,
    thinking: { type: 'enabled', budget_tokens: 1_024 },
  })
  expect(translated({}, { model: 'x-thinking', thinkingShare: null })).toMatchObject({
    model: 'x-thinking',
  })
})

test('given members of the channel, when translated, then they stand over those of the request', () => {
  expect(translated({ max_tokens: 5 }, { override: { max_tokens: 9, top_k: 1 } })).toEqual({
    ...PLAIN,
    max_tokens: 9,
    top_k: 1,
  })
})

const CALL = { id: 't1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }
const THOUGHT = { type: 'reasoning.text', text: 'Hm', signature: 'sig' }

test('given a conversation of all kinds, when translated, then nothing of it is lost', () => {
  const messages = [
    { role: 'system', content: 'Be kind.' },
    {
      role: 'user',
      content: [{ type: 'text', text: 'Look', cache_control: { type: 'ephemeral' } }],
    },
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw' } },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi' } },
      ],
    },
    {
      role: 'assistant',
      content: '',
      refusal: null,
      reasoning_content: 'Hm',
      reasoning_details: [THOUGHT, { type: 'reasoning.encrypted', data: 'Em' }],
      tool_calls: [CALL, { ...CALL, id: 't2', function: { name: 'now', arguments: '' } }],
    },
    { role: 'tool', tool_call_id: 't1', content: 'seen', name: 'look' },
    { role: 'tool', tool_call_id: 't2', content: [{ type: 'text', text: 'noon' }] },
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: 'So?' },
  ]
  const text = (written: string): object => ({ type: 'text', text: written })
  expect(translated({ messages })).toEqual({
    ...PLAIN,
    system: [text('Be kind.'), text('Be brief.')],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look', cache_control: { type: 'ephemeral' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw' } },
          { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi' },
          },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: 'sig' },
          { type: 'redacted_thinking', data: 'Em' },
          { type: 'tool_use', id: 't1', name: 'look', input: { at: 1 } },
          { type: 'tool_use', id: 't2', name: 'now', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: [text('seen')] },
          { type: 'tool_result', tool_use_id: 't2', content: [text('noon')] },
          text('So?'),
        ],
      },
    ],
  })
})

test('given a conversation that begins with its assistant, when translated, then a user stands before', () => {
  expect(translated({ messages: [{ role: 'assistant', content: 'Hi' }, ...HI] })).toMatchObject({
    messages: [
      { role: 'user', content: [{ text: '...' }] },
      { role: 'assistant' },
      { role: 'user' },
    ],
  })
})

test('given thoughts that were lost before the result of a tool, when translated, then none are asked for', () => {
  const messages = (details: readonly unknown[]) => [
    ...HI,
    { role: 'assistant', content: null, reasoning_details: details, tool_calls: [CALL] },
    { role: 'tool', tool_call_id: 't1', content: 'seen' },
  ]
  const effort = { reasoning_effort: 'high' }
  expect(translated({ ...effort, messages: messages([]) })).not.toHaveProperty('thinking')
  expect(translated({ ...effort, messages: messages([THOUGHT]) })).toHaveProperty('thinking')
})

const TOOL = {
  type: 'function',
  function: { name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} } },
}

test.each<[unknown, boolean, unknown]>([
  [undefined, true, undefined],
  ['auto', true, { type: 'auto' }],
  ['none', true, { type: 'none' }],
  ['required', true, { type: 'any' }],
  [{ type: 'function', function: { name: 'look' } }, true, { type: 'tool', name: 'look' }],
  [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
  ['required', false, { type: 'any', disable_parallel_tool_use: true }],
])(
  'given tools with the choice %j, parallel: %s, when translated, then it is %j',
  (choice, parallel, said) => {
    const bare = { type: 'function', function: { name: 'bare' } }
    const more = { tools: [TOOL, bare], tool_choice: choice, parallel_tool_calls: parallel }
    expect(translated(more)).toEqual({
      ...PLAIN,
      tools: [
        { name: 'look', description: 'Looks', input_schema: { type: 'object', properties: {} } },
        { name: 'bare', input_schema: { type: 'object' } },
      ],
      ...(said !== undefined && { tool_choice: said }),
    })
  },
)

test.each<[JsonObject, string]>([
  [{ n: 2 }, 'n'],
  [{ seed: 1 }, 'seed'],
  [{ logprobs: true }, 'logprobs'],
  [{ presence_penalty: 0.5 }, 'presence_penalty'],
  [{ logit_bias: { '1': 2 } }, 'logit_bias'],
  [{ service_tier: 'flex' }, 'service_tier'],
  [{ web_search_options: { filters: {} } }, 'web_search_options'],
  [{ modalities: ['audio'] }, 'modalities'],
  [{ modalities: ['image', 'text'] }, 'modalities'],
  [{ prediction: { type: 'content' } }, 'prediction'],
  [{ never_heard_of: 1 }, 'never_heard_of'],
  [{ temperature: 1.5 }, 'temperature'],
  [{ temperature: 0.5, reasoning_effort: 'high' }, 'temperature'],
  [{ max_tokens: 100, reasoning_effort: 'high' }, 'reasoning_effort'],
  [{ reasoning_effort: 'vast' }, 'reasoning_effort'],
  [{ response_format: { type: 'json_object' } }, 'response_format'],
  [{ tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools'],
  [{ tool_choice: { type: 'allowed_tools' } }, 'tool_choice'],
  [{ messages: [{ role: 'user', name: 'Ann', content: 'hi' }] }, 'messages'],
  [{ messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] }, 'messages'],
  [
    { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] },
    'messages',
  ],
  [
    { messages: [{ role: 'assistant', function_call: { name: 'f', arguments: '{}' } }] },
    'messages',
  ],
  [
    {
      messages: [
        { role: 'assistant', tool_calls: [{ ...CALL, function: { name: 'f', arguments: '[' } }] },
      ],
    },
    'messages',
  ],
  [{ messages: [{ role: 'critic', content: 'hi' }] }, 'messages'],
])('given %j, when translated, then it is refused by name', (more, param) => {
  expect(translated(more)).toMatchObject({ status: 'untranslatable', param })
})

test('given ids that Anthropic refuses, when translated, then a call and its result share another', () => {
  const ids = ['functions.look:0', 'functions.look:1', 'toolu_01-A']
  const called = ids.map((id) => ({ id, type: 'function', function: { name: 'look' } }))
  const results = ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'seen' }))
  const body = translated({
    messages: [...HI, { role: 'assistant', tool_calls: called }, ...results],
  })
  const { messages = [] } = body as {
    readonly messages?: readonly { readonly content: readonly JsonObject[] }[]
  }
  const sent = messages[1]?.content.map(({ id }) => id) ?? []
  expect(messages[2]?.content.map(({ tool_use_id: id }) => id)).toEqual(sent)
  const other = expect.stringMatching(/^call_[0-9a-f]{32}$/)
  expect(sent).toEqual([other, other, 'toolu_01-A'])
  expect(new Set(sent).size).toBe(3)
})

test('given a text before the result of a tool, when translated, then the result comes first', () => {
  const contents = [
    { role: 'user', parts: [{ text: 'hi' }] },
    { role: 'model', parts: [{ functionCall: { id: 'f1', name: 'look', args: {} } }] },
    {
      role: 'user',
      parts: [
        { text: 'here' },
        { functionResponse: { id: 'f1', name: 'look', response: { result: 'seen' } } },
      ],
    },
  ]
  const answer = translateRequest({ contents }, { ...TERMS, from: 'gemini' })
  const body = answer.status === 'translated' ? (JSON.parse(answer.json) as JsonObject) : answer
  expect(body).toMatchObject({
    messages: [{}, {}, { content: [{ type: 'tool_result' }, { type: 'text', text: 'here' }] }],
  })
})
