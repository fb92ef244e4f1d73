import { expect, test } from 'vitest'
import type { JsonObject } from '../../json.ts'
import { translateRequest } from '../claude/translate.ts'
import { translateGemini } from '../gemini/translate.ts'
import type { ClientProtocolName } from '../model-request.ts'
import { translateChat } from '../openai/translate.ts'
import type { ClaudeTerms, GeminiTerms } from '../translation.ts'

/** Searches of the web, asked for in each protocol and put in the words of each other. */
const HI = { role: 'user', content: 'hi' }
const PLACE = { city: 'Zürich', country: 'CH', timezone: 'Europe/Zurich' }
const APPROXIMATE = { type: 'approximate', ...PLACE }
const LOOK = { type: 'function', name: 'look', parameters: { type: 'object' } }

const chat = (options: object, more: object = {}): JsonObject => ({
  model: 'm',
  messages: [HI],
  web_search_options: options,
  ...more,
})
const response = (tool: object, more: object = {}): JsonObject => ({
  model: 'm',
  input: 'hi',
  tools: [{ type: 'web_search', ...tool }],
  ...more,
})
const message = (tool: object, more: object = {}): JsonObject => ({
  model: 'm',
  max_tokens: 9,
  messages: [HI],
  tools: [{ type: 'web_search_20250305', name: 'web_search', ...tool }],
  ...more,
})
const contents = (tool: object, more: object = {}): JsonObject => ({
  contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
  tools: [{ googleSearch: tool }],
  ...more,
})

const CLAUDE = { into: 'claude', model: 'c', stream: false, override: {}, thinkingShare: null }
function toClaude(
  from: ClientProtocolName,
  body: JsonObject,
  more: Partial<ClaudeTerms> = {},
): unknown {
  const terms = { ...CLAUDE, from, defaultMaxTokens: 9, ...more } as ClaudeTerms
  const made = translateRequest(body, terms)
  return made.status === 'translated' ? (JSON.parse(made.json) as unknown) : made
}
const SETTINGS = { safety: new Map(), versions: new Map(), thinkingShare: null }
function toGemini(
  from: ClientProtocolName,
  body: JsonObject,
  more: Partial<GeminiTerms> = {},
): unknown {
  const settings = { ...SETTINGS, imageModels: new Set() }
  const base = { into: 'gemini', vectors: null, model: 'gemini-2.5-flash', settings, override: {} }
  const made = translateGemini(body, { ...base, from, ...more } as GeminiTerms)
  return made.status === 'translated' ? (JSON.parse(made.json) as unknown) : made
}
function toOpenAi(
  from: ClientProtocolName,
  body: JsonObject,
  model = 'gpt-4o-search-preview',
): unknown {
  const made = translateChat(body, {
    into: 'openai',
    stream: false,
    from,
    model,
    upstreamModel: model,
    limit: 'max_tokens',
    reasons: false,
    takesThoughts: false,
  })
  return made.status === 'read' ? (JSON.parse(Buffer.from(made.raw).toString()) as unknown) : made
}

const BASIC = { type: 'web_search_20250305', name: 'web_search' }
const ALLOWED = { allowed_domains: ['a.example'] }
const BLOCKED = { blocked_domains: ['b.example'] }

test.each<[what: string, from: ClientProtocolName, body: JsonObject, tool: object]>([
  ['options', 'openai', chat({}), BASIC],
  [
    'a place',
    'openai',
    chat({ user_location: { type: 'approximate', approximate: PLACE } }),
    { ...BASIC, user_location: APPROXIMATE },
  ],
  ['a size, which Anthropic has none of', 'openai', chat({ search_context_size: 'high' }), BASIC],
  [
    'a tool',
    'responses',
    response({ filters: ALLOWED, user_location: APPROXIMATE }, { max_tool_calls: 2 }),
    { ...BASIC, ...ALLOWED, user_location: APPROXIMATE, max_uses: 2 },
  ],
  ['a preview', 'responses', response({ type: 'web_search_preview_2025_03_11' }), BASIC],
  ['domains left out', 'responses', response({ filters: BLOCKED }), { ...BASIC, ...BLOCKED }],
  ['live pages', 'responses', response({ external_web_access: true }), BASIC],
  ['Google’s search', 'gemini', contents({}), BASIC],
  [
    'domains that Google leaves out',
    'gemini',
    contents({ exclude_domains: ['b.example'] }),
    { ...BASIC, ...BLOCKED },
  ],
])('given %s of %s, when put in the words of Anthropic, then its search', (...row) => {
  const [, from, body, tool] = row
  expect(toClaude(from, body)).toMatchObject({ tools: [tool] })
})

test('given functions beside a search, when put in the words of Anthropic, then it has both', () => {
  const asked = response({}, { tools: [LOOK, { type: 'web_search' }] })
  expect(toClaude('responses', asked)).toMatchObject({ tools: [{ name: 'look' }, BASIC] })
  const chosen = { ...asked, tool_choice: { type: 'web_search' } }
  expect(toClaude('responses', chosen)).toMatchObject({
    tool_choice: { type: 'tool', name: 'web_search' },
  })
})

test.each<[what: string, from: ClientProtocolName, body: JsonObject]>([
  ['options', 'openai', chat({ search_context_size: 'low' })],
  ['a tool', 'responses', response({ user_location: APPROXIMATE }, { max_tool_calls: 2 })],
  ['Anthropic’s search', 'claude', message({ max_uses: 8, user_location: APPROXIMATE })],
  ['a later version of it', 'claude', message({ type: 'web_search_20260209' })],
])('given %s of %s, when put in the words of Google, then its search', (...row) => {
  const [, from, body] = row
  expect(toGemini(from, body)).toMatchObject({ tools: [{ googleSearch: {} }] })
})

test('given domains to leave out, when put in the words of Vertex AI, then it leaves them out', () => {
  expect(toGemini('claude', message(BLOCKED), { excludesDomains: true })).toMatchObject({
    tools: [{ googleSearch: { excludeDomains: ['b.example'] } }],
  })
})

test.each<[from: ClientProtocolName, body: JsonObject, options: object]>([
  ['claude', message({ max_uses: 1 }), {}],
  [
    'claude',
    message({ user_location: APPROXIMATE }, { tool_choice: { type: 'tool', name: 'web_search' } }),
    { user_location: { type: 'approximate', approximate: PLACE } },
  ],
  ['gemini', contents({}), {}],
  ['responses', response({ search_context_size: 'low' }), { search_context_size: 'low' }],
])(
  'given a search of %s, when a search model of OpenAI is asked, then by its options',
  (...row) => {
    const [from, body, options] = row
    const sent = toOpenAi(from, body)
    expect(sent).toMatchObject({ web_search_options: options })
    expect(Object.keys((sent as { web_search_options: object }).web_search_options)).toEqual(
      Object.keys(options),
    )
    expect(sent).not.toHaveProperty('tools')
  },
)

test('given a search beside functions, when a provider has none, then the functions are left', () => {
  const asked = response({}, { tools: [LOOK, { type: 'web_search' }] })
  const named = [{ function: { name: 'look' } }]
  expect(toOpenAi('responses', asked, 'gpt-5')).toMatchObject({ tools: named })
  expect(toOpenAi('responses', asked, 'gpt-5')).not.toHaveProperty('web_search_options')
  expect(toGemini('responses', asked)).toMatchObject({
    tools: [{ functionDeclarations: [{ name: 'look' }] }],
  })
  expect(toClaude('responses', asked, { cannotSearch: true })).toMatchObject({
    tools: [{ name: 'look' }],
  })
})

const TOOLS = [{ name: 'look', input_schema: {} }, BASIC]

test.each<[what: string, param: string, refused: () => unknown]>([
  ['options at another model', 'web_search_options', () => toOpenAi('openai', chat({}), 'gpt-5')],
  ['a tool at another model', 'tools', () => toOpenAi('claude', message({}), 'gpt-5')],
  ['domains at OpenAI’s', 'tools', () => toOpenAi('claude', message(ALLOWED))],
  ['Bedrock', 'tools', () => toClaude('gemini', contents({}), { cannotSearch: true })],
  [
    'allowed and left out domains',
    'tools',
    () => toClaude('responses', response({ filters: { ...ALLOWED, ...BLOCKED } })),
  ],
  [
    'a function of its name',
    'tools',
    () =>
      toClaude(
        'openai',
        chat({}, { tools: [{ type: 'function', function: { name: 'web_search' } }] }),
      ),
  ],
  ['a time', 'tools', () => toClaude('gemini', contents({ timeRangeFilter: {} }))],
  ['images', 'tools', () => toClaude('gemini', contents({ searchTypes: { imageSearch: {} } }))],
  ['another option', 'web_search_options', () => toClaude('openai', chat({ filters: ALLOWED }))],
  ['another member', 'tools', () => toGemini('claude', message({ response_inclusion: 'x' }))],
  ['domains at Google’s', 'tools', () => toGemini('claude', message(ALLOWED))],
  ['domains left out at Google’s', 'tools', () => toGemini('claude', message(BLOCKED))],
  ['functions at Google’s', 'tools', () => toGemini('claude', message({}, { tools: TOOLS }))],
  [
    'a demand at Google’s',
    'tool_choice',
    () => toGemini('claude', message({}, { tool_choice: { type: 'tool', name: 'web_search' } })),
  ],
])('given a search with %s, when put in other words, then it is refused by %s', (...row) => {
  const [, param, refused] = row
  expect(refused()).toMatchObject({ status: 'untranslatable', param })
})

test('given an earlier search of a message, when put in other words, then its text stays', () => {
  const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
  const said = { role: 'assistant', content: [use, found, { type: 'text', text: 'So.' }] }
  const asked = message({}, { messages: [HI, said, HI] })
  expect(toGemini('claude', asked)).toMatchObject({
    contents: [{ role: 'user' }, { role: 'model', parts: [{ text: 'So.' }] }, { role: 'user' }],
  })
  const other = { ...use, name: 'code_execution' }
  const run = message({}, { messages: [HI, { role: 'assistant', content: [other] }, HI] })
  expect(toGemini('claude', run)).toMatchObject({ status: 'untranslatable', param: 'messages' })
})
