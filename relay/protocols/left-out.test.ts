import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { translateRequest } from './claude/translate.ts'
import { translateGemini } from './gemini/translate.ts'
import type { ClientProtocolName } from './model-request.ts'
import { translateChat } from './openai/translate.ts'

type Target = 'openai' | 'claude' | 'gemini'

/** The body that a provider gets for a body of a client. */
function sent(from: ClientProtocolName, into: Target, body: JsonObject): unknown {
  const of = { from, model: 'm', stream: false }
  const written =
    into === 'openai'
      ? translateChat(body, { ...of, into, ...OPENAI })
      : into === 'claude'
        ? translateRequest(body, { ...of, into, ...CLAUDE })
        : translateGemini(body, { ...of, into, ...GEMINI })
  if (written.status === 'translated') return JSON.parse(written.json) as unknown
  if (written.status !== 'read') return written
  return JSON.parse(Buffer.from(written.raw).toString()) as unknown
}
const OPENAI = {
  upstreamModel: 'm',
  limit: 'max_tokens',
  reasons: true,
  takesThoughts: false,
} as const
const CLAUDE = { defaultMaxTokens: 100, thinkingShare: null, override: {} }
const NO_SETTINGS = {
  safety: new Map(),
  versions: new Map(),
  thinkingShare: null,
  imageModels: new Set<string>(),
}
const GEMINI = { vectors: null, settings: NO_SETTINGS, override: {} }

const SCHEMA = { type: 'object', properties: { at: { type: 'string' } } }
const CLOSED = { ...SCHEMA, required: ['at'], additionalProperties: false }
const PIXEL = 'iVBORw0KGgo='
const PDF = 'JVBERi0x'

/** A tool, as each client declares it. */
const tools = {
  claude: (more: JsonObject, schema: JsonObject = SCHEMA) => ({
    ...claude('hi'),
    tools: [{ name: 'look', input_schema: schema, ...more }],
  }),
  openai: (more: JsonObject) => ({
    ...openai('hi'),
    tools: [{ type: 'function', function: { name: 'look', parameters: SCHEMA, ...more } }],
  }),
  responses: (more: JsonObject, schema: JsonObject = SCHEMA) => ({
    model: 'm',
    input: 'hi',
    tools: [{ type: 'function', name: 'look', parameters: schema, ...more }],
  }),
  gemini: (more: JsonObject) => ({
    ...gemini({ text: 'hi' }),
    tools: [{ functionDeclarations: [{ name: 'look', parameters: SCHEMA, ...more }] }],
  }),
}
const claude = (content: unknown): JsonObject => ({
  model: 'm',
  max_tokens: 2_000,
  messages: [{ role: 'user', content }],
})
const openai = (content: unknown): JsonObject => ({
  model: 'm',
  messages: [{ role: 'user', content }],
})
const gemini = (part: JsonObject): JsonObject => ({ contents: [{ role: 'user', parts: [part] }] })

const claudeText = (more: JsonObject): JsonObject => claude([{ type: 'text', text: 'hi', ...more }])
const claudeDocument = (more: JsonObject, source: JsonObject = CLAUDE_PDF): JsonObject =>
  claude([{ type: 'document', source, ...more }])
const CLAUDE_PDF = { type: 'base64', media_type: 'application/pdf', data: PDF }
const PLAIN = { type: 'text', media_type: 'text/plain', data: 'hi' }
const openAiFile = (more: JsonObject): JsonObject =>
  openai([{ type: 'file', file: { file_data: `data:application/pdf;base64,${PDF}`, ...more } }])
const openAiPicture = (more: JsonObject): JsonObject =>
  openai([{ type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}`, ...more } }])
const geminiPicture = (more: JsonObject, inline: JsonObject = {}): JsonObject =>
  gemini({ inlineData: { mimeType: 'image/png', data: PIXEL, ...inline }, ...more })
const answerSchema = (more: JsonObject): JsonObject => ({
  ...openai('hi'),
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema: CLOSED, ...more } },
})
const failed = (more: JsonObject): JsonObject => ({
  ...claude('hi'),
  messages: [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'look', input: {} }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't', content: 'no light', ...more }],
    },
  ],
})
const cited = (more: JsonObject): JsonObject => ({
  ...claude('hi'),
  messages: [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: [{ type: 'text', text: 'so', ...more }] },
    { role: 'user', content: 'why' },
  ],
})

const answered = (more: JsonObject): JsonObject => ({
  model: 'm',
  messages: [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'so', ...more },
    { role: 'user', content: 'why' },
  ],
})
const drawn = (more: JsonObject): JsonObject => ({
  contents: [
    { role: 'user', parts: [{ text: 'hi' }] },
    { role: 'model', parts: [{ text: 'so' }, ...('inlineData' in more ? [more] : [])] },
    { role: 'user', parts: [{ text: 'why' }] },
  ],
})

const drawnByTool = (more: JsonObject): JsonObject => ({
  model: 'm',
  input: [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'so' },
    ...Object.entries(more).map(([type, result]) => ({ type, result })),
    { role: 'user', content: 'why' },
  ],
})

type Row = readonly [
  from: ClientProtocolName,
  into: readonly Target[],
  body: (more: JsonObject) => JsonObject,
  member: JsonObject,
]
const CACHE = { cache_control: { type: 'ephemeral' } }
const LEFT_OUT: readonly Row[] = [
  ['claude', ['openai', 'gemini'], claudeText, CACHE],
  ['claude', ['openai', 'gemini'], tools.claude, CACHE],
  ['openai', ['gemini'], (more) => openai([{ type: 'text', text: 'hi', ...more }]), CACHE],
  ['openai', ['claude', 'gemini'], tools.openai, CACHE],
  ['openai', ['claude', 'gemini'], tools.openai, { strict: true }],
  ['claude', ['gemini'], tools.claude, { strict: true }],
  ['claude', ['openai'], tools.claude, { strict: true }],
  ['claude', ['openai', 'gemini'], tools.claude, { input_examples: [{ at: 'a' }] }],
  ['claude', ['openai', 'gemini'], tools.claude, { defer_loading: false }],
  ['claude', ['openai', 'gemini'], tools.claude, { allowed_callers: ['direct'] }],
  ['claude', ['openai', 'gemini'], tools.claude, { eager_input_streaming: true }],
  ['gemini', ['openai', 'claude'], tools.gemini, { behavior: 'BLOCKING' }],
  ['gemini', ['openai', 'claude'], tools.gemini, { response: SCHEMA }],
  ['openai', ['claude', 'gemini'], answerSchema, { name: 'other' }],
  ['openai', ['claude', 'gemini'], answerSchema, { description: 'An answer' }],
  ['openai', ['claude', 'gemini'], answerSchema, { strict: true }],
  ['claude', ['openai'], failed, { is_error: true }],
  ['claude', ['gemini'], claudeDocument, { title: 'A page' }],
  ['claude', ['openai', 'gemini'], (more) => claudeDocument(more, PLAIN), { title: 'A page' }],
  ['claude', ['openai', 'gemini'], claudeDocument, { context: 'Of a book' }],
  ['openai', ['gemini'], openAiFile, { filename: 'page.pdf' }],
  ['openai', ['claude', 'gemini'], openAiPicture, { detail: 'low' }],
  ['gemini', ['openai', 'claude'], geminiPicture, { mediaResolution: { level: 'LOW' } }],
  ['gemini', ['openai', 'claude'], geminiPicture, { videoMetadata: { fps: 1 } }],
  ['gemini', ['openai', 'claude'], (more) => geminiPicture({}, more), { displayName: 'a.png' }],
  ['claude', ['openai', 'gemini'], cited, { citations: [{ type: 'char_location' }] }],
  ['openai', ['claude', 'gemini'], answered, { annotations: [{ type: 'url_citation' }] }],
  ['openai', ['claude', 'gemini'], answered, { images: [{ type: 'image_url' }] }],
  ['gemini', ['openai'], drawn, { inlineData: { mimeType: 'image/png', data: PIXEL } }],
  ['responses', ['openai'], drawnByTool, { image_generation_call: PIXEL }],
  [
    'responses',
    ['openai', 'claude', 'gemini'],
    (more) => ({
      model: 'm',
      max_output_tokens: 2_000,
      input: 'hi',
      reasoning: { effort: 'low', ...more },
    }),
    { summary: 'detailed' },
  ],
  [
    'claude',
    ['openai', 'gemini'],
    (more) => ({ ...claude('hi'), thinking: { type: 'adaptive', ...more } }),
    { display: 'omitted' },
  ],
  [
    'gemini',
    ['openai', 'claude'],
    (more) => ({
      ...gemini({ text: 'hi' }),
      generationConfig: { thinkingConfig: { thinkingLevel: 'low', ...more }, maxOutputTokens: 2e3 },
    }),
    { includeThoughts: true },
  ],
  [
    'responses',
    ['openai', 'claude', 'gemini'],
    (more) => ({ model: 'm', input: 'hi', ...more }),
    { max_tool_calls: 3 },
  ],
]

const ROWS = LEFT_OUT.map(([from, into, body, member]) => {
  const [name = ''] = Object.keys(member)
  return { from, into, body, member, name }
})

test.each(ROWS)('given $name of $from, when $into cannot say it, then the page tells so', (row) => {
  const { from, into, body, member, name } = row
  for (const target of into) {
    const without = sent(from, target, body({}))
    expect(without, `to ${target}`).not.toHaveProperty('status')
    expect(sent(from, target, body(member)), `to ${target}`).toEqual(without)
  }
  const page = readFileSync(new URL('../../docs/protocols.md', import.meta.url), 'utf8')
  expect(page).toMatch(new RegExp(`[\`.]${name}\``))
})

test('given the result of a tool that failed, when put in the words of Google, then it is an error', () => {
  const response = (body: JsonObject): unknown => {
    const { contents } = sent('claude', 'gemini', body) as { contents: readonly JsonObject[] }
    return contents.at(-1)
  }
  const ofLook = (said: JsonObject): JsonObject => ({
    role: 'user',
    parts: [{ functionResponse: { id: 't', name: 'look', response: said } }],
  })
  expect(response(failed({ is_error: true }))).toEqual(ofLook({ error: 'no light' }))
  expect(response(failed({ is_error: false }))).toEqual(ofLook({ result: 'no light' }))
  const told = { is_error: true, content: '{"error":"no light"}' }
  expect(response(failed(told))).toEqual(ofLook({ error: 'no light' }))
  const other = { is_error: true, content: '{"code":7}' }
  expect(response(failed(other))).toEqual(ofLook({ error: '{"code":7}' }))
})

test('given a function of Google that failed, when put in the words of Anthropic, then it is an error', () => {
  const result = (response: JsonObject): unknown =>
    sent('gemini', 'claude', {
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: [{ functionCall: { id: 't', name: 'look', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { id: 't', name: 'look', response } }] },
      ],
    })
  const error = { is_error: true, content: [{ text: '{"error":"no light"}' }] }
  expect(result({ error: 'no light' })).toMatchObject({ messages: [{}, {}, { content: [error] }] })
  expect(JSON.stringify(result({ error: null, output: 'ok' }))).not.toContain('is_error')
})

test.each([['claude'], ['responses']] as const)(
  'given a strict function of a client of %s, when OpenAI takes it as such, then it stays strict',
  (from) => {
    const strict = (schema: JsonObject): unknown =>
      sent(from, 'openai', tools[from]({ strict: true }, schema))
    expect(strict(CLOSED)).toMatchObject({ tools: [{ function: { strict: true } }] })
    expect(JSON.stringify(strict(SCHEMA))).not.toContain('strict')
    expect(JSON.stringify(sent(from, 'openai', tools[from]({}, CLOSED)))).not.toContain('strict')
  },
)

test('given the name of a document, when the provider has a word for it, then it is carried over', () => {
  const file = (filename: string): JsonObject => ({
    messages: [{ content: [{ type: 'file', file: { filename } }] }],
  })
  expect(sent('claude', 'openai', claudeDocument({ title: 'A page' }))).toMatchObject(
    file('A page.pdf'),
  )
  expect(sent('claude', 'openai', claudeDocument({}))).toMatchObject(file('document.pdf'))
  const title = { messages: [{ content: [{ type: 'document', title: 'page.pdf' }] }] }
  expect(sent('openai', 'claude', openAiFile({ filename: 'page.pdf' }))).toMatchObject(title)
  const input = [
    {
      role: 'user',
      content: [
        {
          type: 'input_file',
          filename: 'page.pdf',
          file_data: `data:application/pdf;base64,${PDF}`,
        },
      ],
    },
  ]
  expect(sent('responses', 'claude', { model: 'm', input })).toMatchObject(title)
  expect(sent('responses', 'openai', { model: 'm', input })).toMatchObject(file('page.pdf'))
})
