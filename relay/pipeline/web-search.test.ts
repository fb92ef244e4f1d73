import { readFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'

/** Prices and answers of web searches that a client asks for in one protocol and a provider makes in another. */
const { relay, upstream, answers, streams } = await openRelayFixture()

const CLAUDE = 'claude-sonnet-4-5'
const GEMINI = 'gemini-3-flash'
const SEARCHER = 'gpt-4o-search-preview'
const TYPES: Readonly<Record<string, number>> = { [CLAUDE]: 14, [GEMINI]: 24, [SEARCHER]: 8 }
const HI = { role: 'user', content: 'hi' }
const CONTENTS = [{ role: 'user', parts: [{ text: 'hi' }] }]

beforeEach(() => {
  relay.directory.channels.clear()
  relay.directory.set({
    ModelRatio: JSON.stringify({ [CLAUDE]: 1, [GEMINI]: 1, [SEARCHER]: 1 }),
    // Far above all that tokens cost.
    ToolPrices: JSON.stringify({
      web_search_claude: 1_000,
      web_search_gemini_3: 1_400,
      web_search_large_medium: 3_500,
    }),
  })
  relay.holds.available = 10_000_000
})

/** A request of each protocol's clients for a search, plain or streamed. */
const CLIENTS: Readonly<
  Record<string, (model: string, stream: boolean) => readonly [path: string, body: object]>
> = {
  openai: (model, stream) => [
    '/v1/chat/completions',
    { model, stream, messages: [HI], web_search_options: {} },
  ],
  responses: (model, stream) => [
    '/v1/responses',
    { model, stream, input: 'hi', tools: [{ type: 'web_search' }] },
  ],
  claude: (model, stream) => [
    '/v1/messages',
    {
      model,
      stream,
      max_tokens: 100,
      messages: [HI],
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    },
  ],
  gemini: (model, stream) => [
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: CONTENTS, tools: [{ googleSearch: {} }] },
  ],
}

const PAGE = { url: 'https://a.example/page', title: 'A page' }
const USED = { input_tokens: 100, output_tokens: 50 }
const ANSWERS: Readonly<Record<string, object>> = {
  [CLAUDE]: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: CLAUDE,
    content: [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'rain' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: [{ type: 'web_search_result', ...PAGE, encrypted_content: 'x', page_age: null }],
      },
      {
        type: 'text',
        text: 'It rains.',
        citations: [
          { type: 'web_search_result_location', ...PAGE, encrypted_index: 'y', cited_text: 'z' },
        ],
      },
    ],
    stop_reason: 'end_turn',
    usage: { ...USED, server_tool_use: { web_search_requests: 1 } },
  },
  [GEMINI]: {
    candidates: [
      {
        content: { role: 'model', parts: [{ text: 'It rains.' }] },
        finishReason: 'STOP',
        groundingMetadata: {
          webSearchQueries: ['rain', 'weather'],
          groundingChunks: [{ web: { uri: PAGE.url, title: PAGE.title } }],
          groundingSupports: [
            { segment: { endIndex: 9, text: 'It rains.' }, groundingChunkIndices: [0] },
          ],
        },
      },
    ],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 50, totalTokenCount: 150 },
    modelVersion: GEMINI,
  },
  [SEARCHER]: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: SEARCHER,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'It rains.',
          annotations: [
            { type: 'url_citation', url_citation: { start_index: 0, end_index: 9, ...PAGE } },
          ],
        },
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
  },
}
/** Searches that are charged, and their price in US dollars for 1,000. */
const CHARGED: Readonly<Record<string, readonly [calls: number, price: string]>> = {
  [CLAUDE]: [1, '1000'],
  [GEMINI]: [2, '1400'],
  [SEARCHER]: [1, '3500'],
}
const RECORDED: Readonly<Record<string, string>> = {
  [CLAUDE]: 'claude',
  [GEMINI]: 'gemini',
  [SEARCHER]: 'openai',
}

const PAIRS = Object.keys(ANSWERS).flatMap((model) =>
  Object.keys(CLIENTS)
    .filter((client) => client !== RECORDED[model])
    .flatMap((client) => [false, true].map((stream) => [client, model, stream] as const)),
)

test.each(PAIRS)(
  'given %s clients, when %s searches (stream: %s), then each search has its price',
  async (client, model, stream) => {
    relay.directory.add(1, { type: TYPES[model] ?? 0, models: [model], baseUrl: upstream.url })
    const at = new URL(
      `../../tests/support/fixtures/${RECORDED[model]}/web-search.sse`,
      import.meta.url,
    )
    const [path, body] = CLIENTS[client]?.(model, stream) ?? ['', {}]
    if (stream) streams(readFileSync(at, 'utf8'))
    else answers(200, ANSWERS[model] ?? {})
    const response = await relay.post(path, body)
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(text).toContain(PAGE.url)
    const reserved = relay.holds.draws[0] ?? 0
    const [calls, price] = CHARGED[model] ?? [0, '']
    const [settled] = relay.holds.settled
    expect(settled).toMatchObject({
      request: { usage: { webSearchCalls: calls }, price: { webSearchPrice: price } },
    })
    // Dollars at 500,000 quota, for 1,000 searches; all else of the charge is tokens at a ratio of one.
    const searches = (calls * Number(price) * 500_000) / 1_000
    expect(settled?.amount).toBeGreaterThan(searches)
    expect(reserved).toBeGreaterThan((Number(price) * 500_000) / 1_000)
    expect(relay.holds.reserved).toBe(0)
  },
)

test('given a search by Claude, when its clients are told, then each in its own shape', async () => {
  relay.directory.add(1, { type: 14, models: [CLAUDE], baseUrl: upstream.url })
  answers(200, ANSWERS[CLAUDE] ?? {})
  const told = async (client: string): Promise<unknown> => {
    const [path, body] = CLIENTS[client]?.(CLAUDE, false) ?? ['', {}]
    return (await relay.post(path, body)).json()
  }
  const place = { start_index: 0, end_index: 9, ...PAGE }
  expect(await told('openai')).toMatchObject({
    choices: [{ message: { annotations: [{ type: 'url_citation', url_citation: place }] } }],
  })
  expect(await told('responses')).toMatchObject({
    output: [
      {
        type: 'web_search_call',
        status: 'completed',
        action: { type: 'search', query: 'rain', sources: [{ type: 'url', url: PAGE.url }] },
      },
      { content: [{ annotations: [{ type: 'url_citation', ...place }] }] },
    ],
  })
  expect(await told('gemini')).toMatchObject({
    candidates: [
      {
        groundingMetadata: {
          webSearchQueries: ['rain'],
          groundingChunks: [{ web: { uri: PAGE.url, title: PAGE.title } }],
          groundingSupports: [{ segment: { endIndex: 9 }, groundingChunkIndices: [0] }],
        },
      },
    ],
  })
})

test('given a search by Gemini, when a client of Claude is told, then as Claude searches', async () => {
  relay.directory.add(1, { type: 24, models: [GEMINI], baseUrl: upstream.url })
  answers(200, ANSWERS[GEMINI] ?? {})
  const [path, body] = CLIENTS['claude']?.(GEMINI, false) ?? ['', {}]
  const answer = (await (await relay.post(path, body)).json()) as { content: { id?: string }[] }
  const [first, , second] = answer.content
  expect(answer).toMatchObject({
    content: [
      { type: 'server_tool_use', name: 'web_search', input: { query: 'rain' } },
      { type: 'web_search_tool_result', tool_use_id: first?.id, content: [] },
      { type: 'server_tool_use', name: 'web_search', input: { query: 'weather' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: second?.id,
        content: [{ type: 'web_search_result', ...PAGE }],
      },
      { type: 'text', text: 'It rains.', citations: [PAGE] },
    ],
    usage: { server_tool_use: { web_search_requests: 2 } },
  })
  expect(first?.id).toMatch(/^srvtoolu_\w+$/)
})
