import { readFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'
import { KEY, textUntilBreak } from '@tollgate/tests/support/relay/relay-under-test.ts'

/** OpenAI's and Anthropic's clients to Gemini channels, and Google's clients to theirs. */
const { relay, upstream, streams } = await openRelayFixture()
beforeEach(() => {
  relay.directory.channels.clear()
  relay.directory.set({ ModelRatio: JSON.stringify({ [MODEL]: 1 }), RetryTimes: '0' })
})

const MODEL = 'gemini-3-pro'
const serve = (type: number): void =>
  relay.directory.add(1, { type, models: [MODEL], baseUrl: upstream.url })
const answers = (body: object): void =>
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
const fixture = (name: string): string =>
  readFileSync(new URL(`../../tests/support/fixtures/gemini/${name}.sse`, import.meta.url), 'utf8')
const said = (): Record<string, unknown> => JSON.parse(upstream.asked.at(-1)?.text ?? '')
const bodyOf = async (response: Response): Promise<Record<string, unknown>> =>
  JSON.parse(await response.text())
const dataIn = (text: string): readonly unknown[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line): unknown => JSON.parse(line.slice('data: '.length)))

const TOOL = {
  name: 'weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}
const SIGNED = { google: { thought_signature: 'U2lnbmVkQQ==' } }
const OPENAI = {
  model: MODEL,
  max_tokens: 500,
  temperature: 0.5,
  stop: 'END',
  reasoning_effort: 'high',
  tools: [{ type: 'function', function: TOOL }],
  tool_choice: { type: 'function', function: { name: 'weather' } },
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Where is this?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        { type: 'input_audio', input_audio: { format: 'wav', data: 'BBBB' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'call-a',
          type: 'function',
          function: { name: 'weather', arguments: '{"city":"Bern"}' },
          extra_content: SIGNED,
        },
      ],
    },
    { role: 'tool', tool_call_id: 'call-a', content: 'rain' },
  ],
}

test('given all that OpenAI can ask, when sent to Google, then it is in its words', async () => {
  serve(24)
  answers({
    candidates: [
      { content: { role: 'model', parts: [{ text: 'Bern.' }] }, finishReason: 'MAX_TOKENS' },
    ],
    usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 4, thoughtsTokenCount: 6 },
    modelVersion: MODEL,
    responseId: 'rsp-9',
  })
  const body = await bodyOf(await relay.post('/v1/chat/completions', OPENAI))
  expect(body).toMatchObject({
    id: 'rsp-9',
    model: MODEL,
    choices: [{ message: { content: 'Bern.' }, finish_reason: 'length' }],
    usage: {
      prompt_tokens: 30,
      completion_tokens: 10,
      completion_tokens_details: { reasoning_tokens: 6 },
    },
  })
  expect(upstream.asked[0]?.path).toBe(`/v1beta/models/${MODEL}:generateContent`)
  const { safetySettings, ...asked } = said()
  expect(safetySettings).toHaveLength(5)
  expect(asked).toEqual({
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'Where is this?' },
          { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
          { inlineData: { mimeType: 'audio/wav', data: 'BBBB' } },
        ],
      },
      {
        role: 'model',
        parts: [
          {
            functionCall: { id: 'call-a', name: 'weather', args: { city: 'Bern' } },
            thoughtSignature: 'U2lnbmVkQQ==',
          },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'call-a', name: 'weather', response: { result: 'rain' } } },
        ],
      },
    ],
    generationConfig: {
      temperature: 0.5,
      maxOutputTokens: 500,
      stopSequences: ['END'],
      thinkingConfig: { thinkingLevel: 'high', includeThoughts: true },
    },
    tools: [
      {
        functionDeclarations: [
          {
            name: 'weather',
            description: 'The weather of a city',
            parametersJsonSchema: TOOL.parameters,
          },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'] } },
  })
  expect(relay.holds.settled).toMatchObject([
    { request: { usage: { textIn: 30, textOut: 10, reasoningOut: 6 }, estimated: false } },
  ])
})

test('given a call whose signature was lost, when sent to Google, then its validator is skipped', async () => {
  serve(24)
  answers({ candidates: [{ content: { parts: [{ text: 'x' }] }, finishReason: 'STOP' }] })
  const call = { id: 'c', type: 'function', function: { name: 'weather', arguments: '{}' } }
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', tool_calls: [call, { ...call, id: 'd' }] },
    { role: 'tool', tool_call_id: 'c', content: '{"sky":"blue"}' },
    { role: 'tool', tool_call_id: 'd', content: '{"sky":"grey"}' },
  ]
  await relay.post('/v1/chat/completions', { model: MODEL, messages })
  expect(said()['contents']).toMatchObject([
    {},
    {
      parts: [
        { functionCall: { id: 'c' }, thoughtSignature: 'skip_thought_signature_validator' },
        { functionCall: { id: 'd' } },
      ],
    },
    { parts: [{ functionResponse: { response: { sky: 'blue' } } }, {}] },
  ])
})

test.each([
  [
    'parallel_tool_calls',
    { parallel_tool_calls: false, tools: [{ type: 'function', function: TOOL }] },
  ],
  ['logit_bias', { logit_bias: { '1': 2 } }],
  ['messages', { messages: [{ role: 'tool', tool_call_id: 'z', content: 'x' }] }],
])(
  'given %s, which Google cannot be told, when asked, then it is refused by name',
  async (param, more) => {
    serve(24)
    const messages = [{ role: 'user', content: 'Hi' }]
    const response = await relay.post('/v1/chat/completions', { model: MODEL, messages, ...more })
    expect(response.status).toBe(400)
    expect(await bodyOf(response)).toMatchObject({
      error: { param, code: 'unsupported_by_channel' },
    })
    expect(upstream.asked).toEqual([])
  },
)

test('given calls of functions, when streamed to OpenAIs client, then ids and signatures come along', async () => {
  serve(24)
  streams(fixture('function-calls'))
  const asked = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }], stream: true }
  const text = await (await relay.post('/v1/chat/completions', asked)).text()
  expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true)
  const deltas = dataIn(text).map((chunk) => JSON.parse(JSON.stringify(chunk)).choices[0])
  expect(deltas.flatMap(({ delta }) => delta.tool_calls ?? [])).toEqual([
    {
      index: 0,
      id: 'call-a',
      type: 'function',
      function: { name: 'weather', arguments: '' },
      extra_content: SIGNED,
    },
    { index: 0, function: { arguments: '{"city":"Zürich"}' } },
    { index: 1, id: 'call-b', type: 'function', function: { name: 'time', arguments: '' } },
    { index: 1, function: { arguments: '{}' } },
  ])
  expect(deltas.at(-1)).toMatchObject({ finish_reason: 'tool_calls' })
  expect(relay.holds.settled).toMatchObject([{ request: { usage: { textIn: 80, textOut: 20 } } }])
})

test('given thoughts, when streamed to Anthropics client, then they are thinking and counts are true', async () => {
  serve(24)
  streams(fixture('thoughts-and-text'))
  const messages = [{ role: 'user', content: 'Hi' }]
  const asked = { model: MODEL, max_tokens: 100, messages, stream: true }
  const events = dataIn(await (await relay.post('/v1/messages', asked)).text())
  expect(events).toContainEqual(
    expect.objectContaining({
      delta: { type: 'thinking_delta', thinking: '**Counting**\n\nTwo words.' },
    }),
  )
  expect(events.at(-2)).toMatchObject({
    delta: { stop_reason: 'end_turn' },
    usage: { input_tokens: 210, cache_read_input_tokens: 1_000, output_tokens: 69 },
  })
})

test.each([
  [400, 'INVALID_ARGUMENT', [{ reason: 'API_KEY_INVALID' }], 'invalid_api_key'],
  [429, 'RESOURCE_EXHAUSTED', [], '429'],
])(
  'given an error of %i %s, when told to OpenAIs client, then its code is a name',
  async (code, status, details, named) => {
    serve(24)
    upstream.behave((response) => {
      const error = { code, message: 'no', status, details }
      response.writeHead(code, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error }))
    })
    const asked = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] }
    const response = await relay.post('/v1/chat/completions', asked)
    expect(response.status).toBe(code)
    expect(await bodyOf(response)).toMatchObject({ error: { code: named, type: status, status } })
  },
)

test('given a malformed call, when answered, then other clients get an error', async () => {
  serve(24)
  const frame = { candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL' }] }
  answers(frame)
  const asked = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] }
  const whole = await relay.post('/v1/chat/completions', asked)
  expect(whole.status).toBe(502)
  expect(await bodyOf(whole)).toMatchObject({ error: { code: 'MALFORMED_FUNCTION_CALL' } })
  const begun = { candidates: [{ content: { parts: [{ text: 'So' }] } }] }
  streams([begun, frame].map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''))
  const text = await textUntilBreak(
    await relay.post('/v1/chat/completions', { ...asked, stream: true }),
  )
  expect(text).toContain('"code":"MALFORMED_FUNCTION_CALL"')
  expect(text).not.toContain('[DONE]')
})

test('given a picture, when drawn by a model of the option, then OpenAIs client gets it', async () => {
  serve(24)
  relay.directory.set({
    ModelRatio: JSON.stringify({ [MODEL]: 1 }),
    'gemini.supported_imagine_models': JSON.stringify([MODEL]),
  })
  const inlineData = { mimeType: 'image/png', data: 'iVBO' }
  answers({
    candidates: [{ content: { parts: [{ text: 'Here.' }, { inlineData }] }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: 5,
      candidatesTokenCount: 1_295,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }],
    },
  })
  const asked = { model: MODEL, messages: [{ role: 'user', content: 'Draw' }] }
  const body = await bodyOf(await relay.post('/v1/chat/completions', asked))
  expect(said()['generationConfig']).toEqual({ responseModalities: ['TEXT', 'IMAGE'] })
  expect(body['choices']).toMatchObject([
    {
      message: {
        content: 'Here.',
        images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }],
      },
    },
  ])
  expect(relay.holds.settled).toMatchObject([
    { request: { usage: { imageOut: 1_290, textOut: 5 } } },
  ])
})

test.each([
  ['float', [0.25, -2]],
  ['base64', Buffer.from(new Float32Array([0.25, -2]).buffer).toString('base64')],
])(
  'given OpenAIs question for vectors as %s, when asked, then one batch answers it',
  async (encoding_format, embedding) => {
    serve(24)
    answers({ embeddings: [{ values: [0.25, -2] }] })
    const asked = { model: MODEL, input: 'hello', dimensions: 2, encoding_format }
    const body = await bodyOf(await relay.post('/v1/embeddings', asked))
    expect(body).toEqual({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding }],
      model: MODEL,
    })
    expect(upstream.asked[0]?.path).toBe(`/v1beta/models/${MODEL}:batchEmbedContents`)
    expect(said()).toEqual({
      requests: [
        {
          model: `models/${MODEL}`,
          content: { parts: [{ text: 'hello' }] },
          outputDimensionality: 2,
        },
      ],
    })
    expect(relay.holds.settled).toMatchObject([{ request: { usage: { textIn: 1, textOut: 0 } } }])
  },
)

interface Frame {
  readonly candidates: readonly [
    { readonly content: { readonly parts: readonly Record<string, unknown>[] } },
  ]
}
const GOOGLE = {
  system_instruction: { parts: [{ text: 'Be brief.' }] },
  contents: [
    {
      role: 'user',
      parts: [{ text: 'Weather?' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
    },
    { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Bern' } } }] },
    {
      role: 'user',
      parts: [{ functionResponse: { name: 'weather', response: { result: 'rain' } } }],
    },
  ],
  tools: [
    {
      functionDeclarations: [
        {
          name: 'weather',
          parameters: { type: 'OBJECT', properties: { city: { type: 'STRING', nullable: true } } },
        },
      ],
    },
  ],
  generationConfig: { maxOutputTokens: 200, temperature: 0.5 },
}
const SCHEMA = { type: 'object', properties: { city: { type: ['string', 'null'] } } }
const askGoogle = (method: string, body: object = GOOGLE): Promise<Response> =>
  fetch(`${relay.url}/v1/models/${MODEL}:${method}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': `sk-${KEY}` },
    body: JSON.stringify(body),
  })

test('given contents, when sent to a provider of OpenAIs protocol, then it is in its words', async () => {
  serve(1)
  const toolCall = {
    id: 'x',
    type: 'function',
    function: { name: 'weather', arguments: '{"city":null}' },
  }
  answers({
    id: 'chatcmpl-1',
    model: 'gpt-4o',
    choices: [
      {
        index: 0,
        message: { content: 'Rain.', tool_calls: [toolCall] },
        finish_reason: 'tool_calls',
      },
    ],
    usage: {
      prompt_tokens: 20,
      completion_tokens: 9,
      prompt_tokens_details: { cached_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 4 },
    },
  })
  const response = await askGoogle('generateContent')
  expect(await bodyOf(response)).toEqual({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'Rain.' },
            { functionCall: { id: 'x', name: 'weather', args: { city: null } } },
          ],
        },
        finishReason: 'STOP',
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: 20,
      candidatesTokenCount: 5,
      totalTokenCount: 29,
      cachedContentTokenCount: 5,
      thoughtsTokenCount: 4,
    },
    modelVersion: 'gpt-4o',
    responseId: 'chatcmpl-1',
  })
  expect(upstream.asked[0]?.path).toBe('/v1/chat/completions')
  expect(said()).toMatchObject({
    model: MODEL,
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Weather?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
      {
        role: 'assistant',
        tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: '{"city":"Bern"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
    ],
    tools: [{ type: 'function', function: { name: 'weather', parameters: SCHEMA } }],
    temperature: 0.5,
  })
})

test.each(['?alt=sse', ''])(
  'given contents, when streamed%s from Anthropic, then frames come and the last waits for the charge',
  async (query) => {
    serve(14)
    streams(
      readFileSync(
        new URL('../../tests/support/fixtures/claude/thinking-and-tools.sse', import.meta.url),
        'utf8',
      ),
    )
    const response = await askGoogle(`streamGenerateContent${query}`)
    const text = await response.text()
    const frames = (query === '' ? JSON.parse(text) : dataIn(text)) as readonly Frame[]
    const parts = frames.flatMap(({ candidates: [first] }) => first.content.parts)
    expect(parts.filter((part) => part['thought'] === true)).toEqual([
      expect.objectContaining({ text: expect.any(String), thought: true }),
      { text: '', thought: true, thoughtSignature: 'EqoBCkgIAR' },
      { text: '', thought: true, thoughtSignature: 'tollgateRedactedEmwKAhgB' },
    ])
    expect(parts.filter((part) => 'functionCall' in part).length).toBeGreaterThan(0)
    expect(frames.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { candidatesTokenCount: expect.any(Number) },
    })
    expect(said()).toMatchObject({ stream: true, max_tokens: 200, messages: [{}, {}, {}] })
    expect(relay.holds.settled).toHaveLength(1)
  },
)

test('given what another protocol cannot say, when asked, then Googles client is told the member', async () => {
  serve(1)
  const response = await askGoogle('generateContent', {
    ...GOOGLE,
    generationConfig: { speechConfig: {} },
  })
  expect(response.status).toBe(400)
  expect(await bodyOf(response)).toMatchObject({
    error: { details: [{ metadata: { field: 'generationConfig.speechConfig' } }] },
  })
})
