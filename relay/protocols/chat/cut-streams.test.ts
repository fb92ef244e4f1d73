import { readFileSync } from 'node:fs'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { expect, test } from 'vitest'
import { BedrockStream } from '../bedrock/stream.ts'
import { TranslatedEvents } from '../claude/event-answers.ts'
import { ClaudeStream } from '../claude/stream.ts'
import { EventWriter } from '../claude/write-parts.ts'
import { GeminiStream } from '../gemini/stream.ts'
import { TranslatedFrames } from '../gemini/translated-frames.ts'
import { FrameWriter } from '../gemini/write-parts.ts'
import { chunkRewriter } from '../openai/chunk-rewriter.ts'
import { OpenAiStream } from '../openai/stream.ts'
import { TranslatedChunks } from '../openai/translated-chunks.ts'
import { ChunkWriter } from '../openai/write-parts.ts'
import { ResponseWriter } from '../responses/write-parts.ts'
import type { PartWriter } from './part-writer.ts'

/** A recording of each protocol, cut at every byte, for clients of each other; openai and claude have tests of their own. */
interface Stream {
  push(bytes: Buffer): Buffer
  end(): Buffer
  closing(usage: typeof NO_USAGE, isEstimated: boolean): unknown
}
const UPSTREAMS: Readonly<Record<string, (writer: PartWriter) => Stream>> = {
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
const CREATED = 1_800_000_000
const CLIENTS: Readonly<Record<string, () => PartWriter>> = {
  openai: () => new ChunkWriter(CREATED, true),
  claude: () => new EventWriter(7),
  responses: () => new ResponseWriter(CREATED),
  'gemini by events': () => new FrameWriter(false),
  'gemini by a list': () => new FrameWriter(true),
}
const PAIRS = (
  [
    ['openai/tools.sse', ['responses', 'gemini by events', 'gemini by a list']],
    ['openai/reasoning.sse', ['responses', 'gemini by events', 'gemini by a list']],
    ['claude/thinking-and-tools.sse', ['responses', 'gemini by events', 'gemini by a list']],
    [
      'bedrock/thinking-and-tools.bin',
      ['openai', 'responses', 'gemini by events', 'gemini by a list'],
    ],
    ['gemini/thoughts-and-text.sse', ['openai', 'claude', 'responses']],
    ['gemini/function-calls.sse', ['openai', 'claude', 'responses']],
    ['openai/web-search.sse', ['claude', 'responses', 'gemini by events', 'gemini by a list']],
    ['claude/web-search.sse', ['openai', 'responses', 'gemini by events', 'gemini by a list']],
    ['gemini/web-search.sse', ['openai', 'claude', 'responses']],
  ] as const
).flatMap(([fixture, clients]) => clients.map((client) => [fixture, client] as const))

test.each(PAIRS)(
  'given %s for %s, when cut at any byte, then all is the same',
  (fixture, client) => {
    const upstream = UPSTREAMS[fixture.split('/')[0] ?? '']
    const writer = CLIENTS[client]
    if (upstream === undefined || writer === undefined)
      throw new Error(`no ${fixture} or ${client}`)
    const bytes = readFileSync(
      new URL(`../../../tests/support/fixtures/${fixture}`, import.meta.url),
    )
    const delivered = (pieces: readonly Buffer[]): string => {
      const stream = upstream(writer())
      const texts = pieces.map((piece) => stream.push(piece).toString())
      return [...texts, stream.end().toString(), String(stream.closing(NO_USAGE, false))].join('')
    }
    const whole = delivered([bytes])
    expect(whole.length).toBeGreaterThan(bytes.length / 4)
    const wrong: number[] = []
    for (let cut = 1; cut < bytes.length; cut += 1) {
      if (delivered([bytes.subarray(0, cut), bytes.subarray(cut)]) !== whole) wrong.push(cut)
    }
    expect(wrong).toEqual([])
  },
)
