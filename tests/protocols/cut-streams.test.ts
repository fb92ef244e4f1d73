import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI, type GroundingMetadata } from '@google/genai'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { BedrockStream } from '@tollgate/relay/protocols/bedrock/stream.ts'
import type { PartWriter } from '@tollgate/relay/protocols/chat/part-writer.ts'
import { TranslatedEvents } from '@tollgate/relay/protocols/claude/event-answers.ts'
import { ClaudeStream } from '@tollgate/relay/protocols/claude/stream.ts'
import { EventWriter } from '@tollgate/relay/protocols/claude/write-parts.ts'
import { GeminiStream } from '@tollgate/relay/protocols/gemini/stream.ts'
import { TranslatedFrames } from '@tollgate/relay/protocols/gemini/translated-frames.ts'
import { FrameWriter } from '@tollgate/relay/protocols/gemini/write-parts.ts'
import { chunkRewriter } from '@tollgate/relay/protocols/openai/chunk-rewriter.ts'
import { OpenAiStream } from '@tollgate/relay/protocols/openai/stream.ts'
import { TranslatedChunks } from '@tollgate/relay/protocols/openai/translated-chunks.ts'
import { ChunkWriter } from '@tollgate/relay/protocols/openai/write-parts.ts'
import { ResponseWriter } from '@tollgate/relay/protocols/responses/write-parts.ts'
import type { Passage } from '@tollgate/relay/protocols/passage.ts'
import OpenAI from 'openai'
import { afterAll, expect, test } from 'vitest'

/**
 * The vendors' SDKs read translated streams of recordings that come in single bytes. Cuts at other places change no byte
 * of a translated stream (relay/protocols/chat/cut-streams.test.ts).
 */
const UPSTREAMS: Readonly<Record<string, (writer: PartWriter) => Passage>> = {
  openai: (writer) =>
    new OpenAiStream({
      showUsage: true,
      object: 'chat.completion.chunk',
      rewrite: chunkRewriter({ forceFormat: false, thinkingToContent: false }),
      answer: new TranslatedChunks(writer, 0),
      quirks: [],
      key: '',
    }),
  claude: (writer) => new ClaudeStream('key', new TranslatedEvents(writer)),
  bedrock: (writer) => new BedrockStream('key', new TranslatedEvents(writer)),
  gemini: (writer) => new GeminiStream('key', new TranslatedFrames(writer, 0)),
}

/** A text, calls of tools with their arguments, and searches of the web where any were made. */
interface Seen {
  readonly text: string
  readonly queries?: readonly string[]
  /** The addresses that the text goes back to. */
  readonly pages?: readonly string[]
  readonly calls: readonly (readonly [name: string, input: unknown])[]
}
const CREATED = 1_800_000_000
const NAMED = { apiKey: 'k', maxRetries: 0 }
const MESSAGES = [{ role: 'user' as const, content: 'hi' }]

const searched = (
  queries: readonly string[],
  pages: readonly string[],
): Pick<Seen, 'queries' | 'pages'> => ({
  ...(queries.length > 0 && { queries }),
  ...(pages.length > 0 && { pages }),
})

interface Client {
  readonly writer: () => PartWriter
  readonly read: (baseURL: string) => Promise<Seen>
}
const CLIENTS: Readonly<Record<string, Client>> = {
  openai: {
    writer: () => new ChunkWriter(CREATED, true),
    read: async (baseURL) => {
      const { completions } = new OpenAI({ ...NAMED, baseURL }).chat
      const answer = await completions
        .stream({ model: 'm', messages: MESSAGES })
        .finalChatCompletion()
      const message = answer.choices[0]?.message
      const calls = (message?.tool_calls ?? []).map(({ function: made }) => made)
      return {
        ...searched(
          [],
          (message?.annotations ?? []).map((one) => one.url_citation.url),
        ),
        text: message?.content ?? '',
        calls: calls.map((made) => [made.name, JSON.parse(made.arguments)]),
      }
    },
  },
  responses: {
    writer: () => new ResponseWriter(CREATED),
    read: async (baseURL) => {
      const { responses } = new OpenAI({ ...NAMED, baseURL })
      const { output, output_text: text } = await responses
        .stream({ model: 'm', input: 'hi' })
        .finalResponse()
      const calls = output.filter((item) => item.type === 'function_call')
      const queries = output.flatMap((item) =>
        item.type === 'web_search_call' && item.action.type === 'search'
          ? [item.action.query ?? '']
          : [],
      )
      const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []))
      const cited = parts.flatMap((part) => (part.type === 'output_text' ? part.annotations : []))
      return {
        ...searched(
          queries,
          cited.flatMap((one) => (one.type === 'url_citation' ? [one.url] : [])),
        ),
        text,
        calls: calls.map((made) => [made.name, JSON.parse(made.arguments)]),
      }
    },
  },
  claude: {
    writer: () => new EventWriter(7),
    read: async (baseURL) => {
      const asked = { model: 'm', max_tokens: 9, messages: MESSAGES }
      const { content } = await new Anthropic({ ...NAMED, baseURL }).messages
        .stream(asked)
        .finalMessage()
      const calls = content.filter((block) => block.type === 'tool_use')
      const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
      const queries = content.flatMap((block) =>
        block.type === 'server_tool_use' ? [(block.input as { query: string }).query] : [],
      )
      const cited = content.flatMap((block) => (block.type === 'text' ? block.citations : []) ?? [])
      return {
        ...searched(
          queries,
          cited.flatMap((one) => (one.type === 'web_search_result_location' ? [one.url] : [])),
        ),
        text: texts.join(''),
        calls: calls.map(({ name, input }) => [name, input]),
      }
    },
  },
  gemini: {
    writer: () => new FrameWriter(false),
    read: async (baseUrl) => {
      const { models } = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl } })
      const parts = []
      const seen: GroundingMetadata[] = []
      for await (const { candidates } of await models.generateContentStream({
        model: 'm',
        contents: 'hi',
      })) {
        parts.push(...(candidates?.[0]?.content?.parts ?? []))
        const grounding = candidates?.[0]?.groundingMetadata
        if (grounding !== undefined) seen.push(grounding)
      }
      return {
        ...searched(
          seen.flatMap(({ webSearchQueries = [] }) => webSearchQueries),
          seen.flatMap(({ groundingChunks = [], groundingSupports = [] }) =>
            groundingSupports
              .flatMap(({ groundingChunkIndices = [] }) => groundingChunkIndices)
              .map((place) => groundingChunks[place]?.web?.uri ?? ''),
          ),
        ),
        text: parts.map(({ text, thought }) => (thought === true ? '' : (text ?? ''))).join(''),
        calls: parts.flatMap(({ functionCall }) =>
          functionCall === undefined ? [] : [[functionCall.name ?? '', functionCall.args] as const],
        ),
      }
    },
  },
}

const LOOKED_UP = [
  ['get_weather', { city: 'Zürich' }],
  ['get_time', {}],
] as const
const PAGE = 'https://a.example/page'
const RECORDINGS: Readonly<Record<string, Seen>> = {
  'openai/tools.sse': { text: '', calls: LOOKED_UP },
  'openai/reasoning.sse': { text: 'Answer 42', calls: [] },
  'claude/thinking-and-tools.sse': { text: '', calls: LOOKED_UP },
  'bedrock/thinking-and-tools.bin': { text: '', calls: LOOKED_UP },
  'gemini/thoughts-and-text.sse': { text: 'Grüezi Zürich 🌊!', calls: [] },
  'gemini/function-calls.sse': {
    text: 'I look it up.',
    calls: [
      ['weather', { city: 'Zürich' }],
      ['time', {}],
    ],
  },
}

/** Completions tell of pages alone, and OpenAI's search models of no query. */
const SEARCHED: Readonly<Record<string, Seen>> = {
  'openai/web-search.sse': { text: 'I look. It rains 🌊.', calls: [], pages: [PAGE] },
  'claude/web-search.sse': {
    text: 'I look. It rains 🌊.',
    calls: [],
    queries: ['weather Zürich'],
    pages: [PAGE],
  },
  'gemini/web-search.sse': {
    text: 'I look. It rains 🌊.',
    calls: [],
    queries: ['weather Zürich', 'Zürich rain'],
    pages: [PAGE],
  },
}

let pieces: readonly (Buffer | string)[] = []
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const piece of pieces) response.write(piece)
  response.end()
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(() => server.close())

const PAIRS = Object.entries({ ...RECORDINGS, ...SEARCHED }).flatMap(([recording, seen]) =>
  Object.entries(CLIENTS)
    .filter(([client]) => !recording.startsWith(client))
    .map(([name, client]) => [recording, name, client, seen] as const),
)

test.each(PAIRS)(
  "given %s in single bytes for clients of %s, when read by the vendor's SDK, then all is there",
  async (recording, name, client, seen) => {
    const upstream = UPSTREAMS[recording.split('/')[0] ?? '']
    if (upstream === undefined) throw new Error(`no protocol of ${recording}`)
    const at = new URL(`../support/fixtures/${recording}`, import.meta.url)
    const stream = upstream(client.writer())
    const delivered = [...readFileSync(at)].map((byte) => stream.push(Buffer.of(byte)))
    const all = [...delivered, stream.end(), stream.closing(NO_USAGE, false)]
    pieces = all.filter(({ length }) => length > 0)
    const told = name === 'openai' ? { ...seen, queries: undefined } : seen
    expect(await client.read(url)).toEqual(told)
  },
)
