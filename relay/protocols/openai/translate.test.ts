import { expect, test } from 'vitest'
import type { JsonObject } from '../../json.ts'
import type { OpenAiTerms } from '../translation.ts'
import { translateChat } from './translate.ts'

const TERMS: OpenAiTerms = {
  into: 'openai',
  stream: false,
  from: 'claude',
  model: 'gpt-4o',
  upstreamModel: 'gpt-4o',
  limit: 'max_tokens',
  reasons: true,
  takesThoughts: false,
}
const HI = [{ role: 'user', content: 'hi' }]
const CLOSED = { type: 'object', properties: {}, additionalProperties: false }
const PLAIN = { model: 'gpt-4o', messages: HI, max_tokens: 100 }

function translated(more: JsonObject, terms: Partial<OpenAiTerms> = {}): unknown {
  const body = { model: 'm', max_tokens: 100, messages: HI, ...more }
  const answer = translateChat(body, { ...TERMS, ...terms })
  return answer.status === 'read'
    ? (JSON.parse(Buffer.from(answer.raw).toString()) as unknown)
    : answer
}

test.each<[string, JsonObject, JsonObject]>([
  ['nothing else', {}, {}],
  ['stops', { stop_sequences: ['a', 'b'] }, { stop: ['a', 'b'] }],
  ['sampling', { temperature: 0.5, top_p: 0.9 }, { temperature: 0.5, top_p: 0.9 }],
  ['a user', { metadata: { user_id: 'u' } }, { user: 'u' }],
  ['a stream', { stream: true }, { stream: true }],
  [
    'a schema',
    { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: { type: 'object' } },
      },
    },
  ],
  [
    'a closed schema',
    { output_config: { format: { type: 'json_schema', schema: CLOSED } } },
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: CLOSED, strict: true },
      },
    },
  ],
  [
    'a small budget',
    { thinking: { type: 'enabled', budget_tokens: 20 } },
    { reasoning_effort: 'low' },
  ],
  [
    'half a budget',
    { thinking: { type: 'enabled', budget_tokens: 50 } },
    { reasoning_effort: 'medium' },
  ],
  [
    'a large budget',
    { thinking: { type: 'enabled', budget_tokens: 90 } },
    { reasoning_effort: 'high' },
  ],
  [
    'an effort',
    { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
    { reasoning_effort: 'max' },
  ],
  ['no thoughts', { thinking: { type: 'disabled' } }, {}],
  [
    'members that ask for nothing',
    {
      service_tier: 'auto',
      speed: 'standard',
      cache_control: { type: 'ephemeral' },
      container: null,
    },
    {},
  ],
])('given %s, when translated, then OpenAI is asked for it', (_what, more, members) => {
  expect(translated(more)).toEqual({ ...PLAIN, ...members })
})

test.each<[model: string, effort: string, said: string | undefined]>([
  ['o3', 'minimal', 'low'],
  ['o3', 'max', 'high'],
  ['gpt-5', 'xhigh', 'high'],
  ['gpt-5-mini', 'minimal', 'minimal'],
  ['gpt-5-pro', 'low', 'high'],
  ['gpt-5.1', 'minimal', 'low'],
  ['gpt-5.1-codex-max', 'max', 'xhigh'],
  ['gpt-5.2', 'max', 'xhigh'],
  ['openai/gpt-oss-120b', 'xhigh', 'high'],
  ['grok-3-mini', 'medium', 'low'],
  ['magistral-medium-latest', 'low', 'high'],
  ['qwen3-thinking', 'max', 'max'],
])('given to %s the effort %s, when translated, then it is %s', (upstreamModel, effort, said) => {
  const more = { thinking: { type: 'adaptive' }, output_config: { effort } }
  expect(translated(more, { upstreamModel })).toEqual({ ...PLAIN, reasoning_effort: said })
})

test.each<[model: string, said: JsonObject]>([
  ['o3', { reasoning_effort: 'low' }],
  ['gpt-5', { reasoning_effort: 'minimal' }],
  ['gpt-5.1', { reasoning_effort: 'none' }],
  ['gpt-5.2', { reasoning_effort: 'none' }],
  ['qwen3-thinking', {}],
])(
  'given %s that is to think nothing, when translated, then it is told %j',
  (upstreamModel, said) => {
    expect(translated({ thinking: { type: 'disabled' } }, { upstreamModel })).toEqual({
      ...PLAIN,
      ...said,
    })
  },
)

test('given a model that does not reason, when effort is asked for, then it is left out', () => {
  const more = { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }
  expect(translated(more, { reasons: false })).toEqual(PLAIN)
})

test('given a provider that calls the limit otherwise, when translated, then it is called so', () => {
  expect(translated({}, { limit: 'max_completion_tokens' })).toEqual({
    model: 'gpt-4o',
    messages: HI,
    max_completion_tokens: 100,
  })
})

test('given a conversation of all kinds, when translated, then nothing but thoughts is left out', () => {
  const picture = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'iVBORw' },
  }
  const url = 'data:image/png;base64,iVBORw'
  expect(
    translated({
      system: [
        { type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } },
        { type: 'text', text: 'Be brief.' },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            picture,
            { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi' },
            },
            { type: 'document', source: { type: 'text', data: 'a page' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: 's' },
            { type: 'redacted_thinking', data: 'Em' },
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 't1', name: 'look', input: { at: 1 } },
            { type: 'tool_use', id: 't2', name: 'now', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't1',
              content: [{ type: 'text', text: 'seen' }, picture],
            },
            { type: 'tool_result', tool_use_id: 't2', content: 'noon' },
            { type: 'text', text: 'So?' },
          ],
        },
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm', signature: 's' }] },
      ],
    }),
  ).toEqual({
    ...PLAIN,
    messages: [
      { role: 'system', content: 'Be kind.\nBe brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          {
            type: 'file',
            file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,JVBERi' },
          },
          { type: 'text', text: 'a page' },
        ],
      },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [
          { id: 't1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
          { id: 't2', type: 'function', function: { name: 'now', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 't1', content: 'seen' },
      { role: 'tool', tool_call_id: 't2', content: 'noon' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url } },
          { type: 'text', text: 'So?' },
        ],
      },
    ],
  })
})

/** A call of a tool after a thought, and a plain answer after another, as each client sends them back. */
const THOUGHTFUL: Readonly<Record<'claude' | 'responses' | 'gemini', JsonObject>> = {
  claude: {
    messages: [
      ...HI,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: '' },
          { type: 'tool_use', id: 't', name: 'look', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'seen' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'So', signature: '' },
          { type: 'text', text: 'A cat.' },
        ],
      },
    ],
  },
  responses: {
    max_output_tokens: 100,
    input: [
      { role: 'user', content: 'hi' },
      { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'Hm' }] },
      { type: 'function_call', call_id: 't', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 't', output: 'seen' },
      { type: 'reasoning', id: 's', summary: [{ type: 'summary_text', text: 'So' }] },
      { role: 'assistant', content: 'A cat.' },
    ],
  },
  gemini: {
    generationConfig: { maxOutputTokens: 100 },
    contents: [
      { role: 'user', parts: [{ text: 'hi' }] },
      {
        role: 'model',
        parts: [
          { text: 'Hm', thought: true },
          { functionCall: { id: 't', name: 'look', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 't', name: 'look', response: { result: 'seen' } } }],
      },
      { role: 'model', parts: [{ text: 'So', thought: true }, { text: 'A cat.' }] },
    ],
  },
}
test.each(['claude', 'responses', 'gemini'] as const)(
  'given thoughts of a client of %s, when a provider wants them, then those before calls go back',
  (from) => {
    const { max_tokens: _limit, messages: _messages, ...others } = PLAIN
    const body = from === 'claude' ? { max_tokens: 100, ...THOUGHTFUL.claude } : THOUGHTFUL[from]
    const asked = (takesThoughts: boolean): unknown => {
      const answer = translateChat({ model: 'm', ...body }, { ...TERMS, from, takesThoughts })
      if (answer.status !== 'read') return answer
      return JSON.parse(Buffer.from(answer.raw).toString()) as unknown
    }
    const look = { id: 't', type: 'function', function: { name: 'look', arguments: '{}' } }
    const messages = (thought: JsonObject): readonly JsonObject[] => [
      ...HI,
      { role: 'assistant', content: null, ...thought, tool_calls: [look] },
      { role: 'tool', tool_call_id: 't', content: 'seen' },
      { role: 'assistant', content: 'A cat.' },
    ]
    const rest = { ...others, max_tokens: 100 }
    expect(asked(true)).toEqual({ ...rest, messages: messages({ reasoning_content: 'Hm' }) })
    expect(asked(false)).toEqual({ ...rest, messages: messages({}) })
  },
)

test.each<[unknown, unknown, boolean | undefined]>([
  [undefined, undefined, undefined],
  [{ type: 'auto' }, 'auto', undefined],
  [{ type: 'any' }, 'required', undefined],
  [{ type: 'none' }, 'none', undefined],
  [{ type: 'tool', name: 'look' }, { type: 'function', function: { name: 'look' } }, undefined],
  [{ type: 'auto', disable_parallel_tool_use: true }, 'auto', false],
])('given tools with the choice %j, when translated, then it is %j', (choice, said, parallel) => {
  const tools = [{ name: 'look', description: 'Looks', input_schema: { type: 'object' } }]
  expect(translated({ tools, tool_choice: choice })).toEqual({
    ...PLAIN,
    tools: [
      {
        type: 'function',
        function: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
      },
    ],
    ...(said !== undefined && { tool_choice: said }),
    ...(parallel !== undefined && { parallel_tool_calls: parallel }),
  })
})

test.each<[JsonObject, string]>([
  [{ top_k: 5 }, 'top_k'],
  [{ container: 'c' }, 'container'],
  [{ mcp_servers: [{}] }, 'mcp_servers'],
  [{ service_tier: 'priority' }, 'service_tier'],
  [{ tools: [{ type: 'bash_20250124', name: 'bash' }] }, 'tools'],
  [{ tool_choice: { type: 'other' } }, 'tool_choice'],
  [{ output_config: { format: { type: 'grammar' } } }, 'output_config'],
  [{ messages: [{ role: 'tool', content: 'hi' }] }, 'messages'],
  [{ messages: [{ role: 'user', content: [{ type: 'server_tool_use' }] }] }, 'messages'],
  [
    { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file' } }] }] },
    'messages',
  ],
  [
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'document', source: { type: 'url', url: 'https://a' } }],
        },
      ],
    },
    'messages',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'document', citations: { enabled: true } }] }] },
    'messages',
  ],
])('given %j, when translated, then it is refused by name', (more, param) => {
  expect(translated(more)).toMatchObject({ status: 'untranslatable', param })
})

const system = (content: unknown, more: JsonObject = {}): JsonObject => ({
  role: 'system',
  content,
  ...more,
})
const tool = (name: string): JsonObject => ({ name, input_schema: { type: 'object' } })
const named = (name: string): JsonObject => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
})

test('given a turn of Claude Code, when translated, then system messages, tools and members are kept', () => {
  const call = { type: 'tool_use', id: 'toolu_1', name: 'ToolSearch', input: {} }
  const found = { type: 'tool_reference', tool_name: 'look' }
  const body = {
    system: [{ type: 'text', text: 'You are a coder.', cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Look.' }] },
      system('Agents: none.'),
      { role: 'assistant', content: [call] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [found] }],
      },
      system([{ type: 'text', text: 'It is noon.' }]),
      system([], { output_config: { effort: 'low' } }),
    ],
    tools: [tool('ToolSearch'), { ...tool('look'), defer_loading: true }],
    thinking: { type: 'adaptive' },
    output_config: { effort: 'high' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    diagnostics: { previous_message_id: null },
  }
  expect(translated(body)).toEqual({
    model: 'gpt-4o',
    max_tokens: 100,
    reasoning_effort: 'low',
    tools: [named('ToolSearch'), named('look')],
    messages: [
      { role: 'system', content: 'You are a coder.\nAgents: none.' },
      { role: 'user', content: 'Look.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'toolu_1', type: 'function', function: { name: 'ToolSearch', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'look' },
      { role: 'user', content: '<system-reminder>\nIt is noon.\n</system-reminder>' },
    ],
  })
})

test('given system messages that last one turn, when a later user speaks, then they are gone', () => {
  const once = { clear_at: 'next_user_message' }
  const messages = [
    ...HI,
    { role: 'assistant', content: 'Ho' },
    { role: 'user', content: 'a' },
    system('gone', once),
    { role: 'user', content: 'b' },
    system('here', once),
  ]
  const [, , last] = (translated({ messages }) as { messages: JsonObject[] }).messages
  expect(JSON.stringify(last)).toContain('here')
  expect(JSON.stringify(last)).not.toContain('gone')
})

test('given tools that come and go within a conversation, when translated, then those at its end are sent', () => {
  const reference = (name: string): JsonObject => ({ type: 'tool_reference', name })
  const definition = { type: 'tool_definition', definition: tool('new') }
  const changes = [
    { type: 'tool_removal', tool: reference('first') },
    { type: 'tool_removal', tool: reference('second') },
    { type: 'tool_addition', tool: definition },
    { type: 'tool_addition', tool: reference('third') },
    { type: 'tool_addition', tool: reference('second') },
  ]
  const tools = ['first', 'second', 'third'].map(tool)
  const said = translated({ messages: [...HI, system(changes)], tools }) as { tools: unknown }
  expect(said.tools).toEqual(['third', 'new', 'second'].map(named))
  const toolset = { type: 'mcp_toolset_reference', server_name: 's' }
  const other = [{ type: 'tool_addition', tool: toolset }]
  expect(translated({ messages: [...HI, system(other)], tools })).toMatchObject({
    status: 'untranslatable',
    param: 'messages',
  })
})

test('given results of a search of the client, when translated, then their titles and texts are there', () => {
  const result = {
    type: 'search_result',
    title: 'Moon',
    source: 'https://a.test',
    content: [{ type: 'text', text: 'It is round.' }],
  }
  const [message] = (
    translated({ messages: [{ role: 'user', content: [result] }] }) as { messages: JsonObject[] }
  ).messages
  expect(JSON.stringify(message)).toMatch(/Moon\\nhttps:\/\/a.test.*It is round/)
  const cited = { ...result, citations: { enabled: true } }
  expect(translated({ messages: [{ role: 'user', content: [cited] }] })).toMatchObject({
    status: 'untranslatable',
  })
})

test.each([
  ['uses of tools to be cleared', { type: 'clear_tool_uses_20250919' }],
  ['a summary', { type: 'compact_20260112' }],
])('given %s by the provider, when translated, then it is refused by name', (_what, edit) => {
  expect(translated({ context_management: { edits: [edit] } })).toMatchObject({
    status: 'untranslatable',
    param: 'context_management',
  })
})
