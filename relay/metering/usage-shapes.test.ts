import { amountOf } from '@tollgate/domain/pricing/charge.ts'
import type { TokenPrice } from '@tollgate/domain/pricing/price.ts'
import { NO_USAGE, type Usage } from '@tollgate/domain/pricing/usage.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { readClaudeUsage } from '../protocols/claude/usage.ts'
import { readUsage, sumOf } from './openai-usage.ts'

/**
 * Each vendor's usage is written as its documentation has it, then read and charged. An independent function computes the
 * amount again from the kinds of tokens.
 */
interface Tokens {
  readonly text: number
  readonly cached: number
  readonly cachedAudio: number
  readonly cachedImage: number
  readonly written: number
  readonly writtenLong: number
  readonly audio: number
  readonly image: number
  readonly said: number
  readonly thought: number
  readonly spoken: number
  readonly drawn: number
  readonly searches: number
}
type Kind = keyof Tokens

/** The cost of a token or call of each kind in hundredths of quota, under PRICE. */
const HUNDREDTHS: Tokens = {
  text: 100,
  cached: 10,
  cachedAudio: 30,
  cachedImage: 20,
  written: 125,
  writtenLong: 200,
  audio: 800,
  image: 100,
  said: 500,
  thought: 500,
  spoken: 1_600,
  drawn: 3_000,
  searches: 500_000,
}
const PRICE: TokenPrice = {
  by: 'tokens',
  bookRevision: -1,
  groupRatio: '1',
  quotaPerUnit: '500000',
  modelRatio: '1',
  completionRatio: '5',
  cacheRatio: '0.1',
  cachedAudioRatio: '0.3',
  cachedImageRatio: '0.2',
  cacheWriteRatio: '1.25',
  cacheWrite1hRatio: '2',
  audioRatio: '8',
  audioCompletionRatio: '2',
  imageOutRatio: '30',
  webSearchPrice: '10',
  fileSearchPrice: '2.5',
}

function recomputed(tokens: Tokens): number {
  const kinds = Object.keys(tokens) as Kind[]
  const hundredths = kinds.reduce((sum, kind) => sum + tokens[kind] * HUNDREDTHS[kind], 0)
  return hundredths === 0 ? 0 : Math.max(1, Math.floor((hundredths + 50) / 100))
}

interface Shape {
  /** The kinds that the vendor tells apart. */
  readonly kinds: readonly Kind[]
  readonly told: (tokens: Tokens) => Usage | null
}

const EVERY_INPUT: readonly Kind[] = ['text', 'cached', 'cachedAudio', 'cachedImage']
const promptOf = (tokens: Tokens): number =>
  tokens.text +
  tokens.cached +
  tokens.cachedAudio +
  tokens.cachedImage +
  tokens.written +
  tokens.writtenLong +
  tokens.audio +
  tokens.image
const answerOf = ({ said, thought, spoken, drawn }: Tokens): number =>
  said + thought + spoken + drawn
const cachedOf = ({ cached, cachedAudio, cachedImage }: Tokens): JsonObject => ({
  cached_tokens: cached + cachedAudio + cachedImage,
  cached_tokens_details: {
    text_tokens: cached,
    audio_tokens: cachedAudio,
    image_tokens: cachedImage,
  },
})
const read = (report: JsonObject): Usage | null => sumOf(readUsage(report, []))

/** Anthropic's tokens as one of several iterations has them. */
const ofClaude = (tokens: Tokens): JsonObject => ({
  input_tokens: tokens.text,
  cache_read_input_tokens: tokens.cached,
  cache_creation_input_tokens: tokens.written + tokens.writtenLong,
  cache_creation: {
    ephemeral_5m_input_tokens: tokens.written,
    ephemeral_1h_input_tokens: tokens.writtenLong,
  },
  output_tokens: tokens.said + tokens.thought,
})
const CLAUDE: readonly Kind[] = ['text', 'cached', 'written', 'writtenLong', 'said', 'thought']
const halfOf = (tokens: Tokens, round: (half: number) => number): Tokens =>
  Object.fromEntries(
    Object.entries(tokens).map(([kind, count]) => [kind, round(Number(count) / 2)]),
  ) as unknown as Tokens

const ofGoogle = (counts: Readonly<Record<string, number>>): readonly JsonObject[] =>
  Object.entries(counts).map(([modality, tokenCount]) => ({ modality, tokenCount }))

const SHAPES: Readonly<Record<string, Shape>> = {
  'chats of OpenAI': {
    kinds: [...EVERY_INPUT, 'audio', 'image', 'said', 'thought', 'spoken', 'drawn'],
    told: (tokens) =>
      read({
        prompt_tokens: promptOf(tokens),
        completion_tokens: answerOf(tokens),
        total_tokens: promptOf(tokens) + answerOf(tokens),
        prompt_tokens_details: {
          ...cachedOf(tokens),
          audio_tokens: tokens.audio + tokens.cachedAudio,
          image_tokens: tokens.image + tokens.cachedImage,
        },
        completion_tokens_details: {
          reasoning_tokens: tokens.thought,
          audio_tokens: tokens.spoken,
          image_tokens: tokens.drawn,
        },
      }),
  },
  'responses of OpenAI': {
    kinds: ['text', 'cached', 'said', 'thought'],
    told: (tokens) =>
      read({
        input_tokens: promptOf(tokens),
        input_tokens_details: { cached_tokens: tokens.cached },
        output_tokens: answerOf(tokens),
        output_tokens_details: { reasoning_tokens: tokens.thought },
        total_tokens: promptOf(tokens) + answerOf(tokens),
      }),
  },
  DeepSeek: {
    kinds: ['text', 'cached', 'said', 'thought'],
    told: (tokens) =>
      read({
        prompt_tokens: promptOf(tokens),
        prompt_cache_hit_tokens: tokens.cached,
        prompt_cache_miss_tokens: tokens.text,
        completion_tokens: answerOf(tokens),
        completion_tokens_details: { reasoning_tokens: tokens.thought },
        total_tokens: promptOf(tokens) + answerOf(tokens),
      }),
  },
  xAI: {
    kinds: ['text', 'cached', 'said', 'thought'],
    told: (tokens) =>
      sumOf(
        readUsage(
          {
            prompt_tokens: promptOf(tokens),
            prompt_tokens_details: { cached_tokens: tokens.cached },
            completion_tokens: tokens.said,
            completion_tokens_details: { reasoning_tokens: tokens.thought },
            total_tokens: promptOf(tokens) + answerOf(tokens),
          },
          ['output-is-total-minus-input'],
        ),
      ),
  },
  Alibaba: {
    kinds: ['text', 'cached', 'written', 'writtenLong', 'said'],
    told: (tokens) =>
      read({
        prompt_tokens: promptOf(tokens),
        completion_tokens: answerOf(tokens),
        prompt_tokens_details: {
          cached_tokens: tokens.cached,
          cache_creation_input_tokens: tokens.written + tokens.writtenLong,
          cache_creation: { ephemeral_1h_input_tokens: tokens.writtenLong },
        },
      }),
  },
  Anthropic: {
    kinds: [...CLAUDE, 'searches'],
    told: (tokens) =>
      sumOf(
        readClaudeUsage({
          ...ofClaude(tokens),
          output_tokens_details: { thinking_tokens: tokens.thought },
          server_tool_use: { web_search_requests: tokens.searches },
        }),
      ),
  },
  'Anthropic, compacted': {
    kinds: CLAUDE,
    told: (tokens) => {
      const [whole, apart] = [halfOf(tokens, Math.ceil), halfOf(tokens, Math.floor)]
      const iterations = [
        { type: 'compaction', ...ofClaude(apart) },
        { type: 'message', ...ofClaude(whole) },
      ]
      return sumOf(readClaudeUsage({ ...ofClaude(whole), iterations }))
    },
  },
  Google: {
    kinds: [...EVERY_INPUT, 'audio', 'image', 'said', 'thought', 'drawn'],
    told: (tokens) =>
      read({
        promptTokenCount: promptOf(tokens),
        cachedContentTokenCount: tokens.cached + tokens.cachedAudio + tokens.cachedImage,
        candidatesTokenCount: tokens.said + tokens.drawn,
        thoughtsTokenCount: tokens.thought,
        totalTokenCount: promptOf(tokens) + answerOf(tokens),
        promptTokensDetails: ofGoogle({
          TEXT: tokens.text + tokens.cached,
          AUDIO: tokens.audio + tokens.cachedAudio,
          IMAGE: tokens.image + tokens.cachedImage,
        }),
        cacheTokensDetails: ofGoogle({
          TEXT: tokens.cached,
          AUDIO: tokens.cachedAudio,
          IMAGE: tokens.cachedImage,
        }),
        candidatesTokensDetails: ofGoogle({ TEXT: tokens.said, IMAGE: tokens.drawn }),
      }),
  },
}

test.each(Object.entries(SHAPES))(
  'given any usage as %s tells it, when charged, then the amount is the recomputed one',
  (_vendor, { kinds, told }) => {
    const count = fc.integer({ min: 0, max: 100_000 })
    const tokens = fc.record(
      Object.fromEntries(
        (Object.keys(HUNDREDTHS) as Kind[]).map((kind) => {
          if (!kinds.includes(kind)) return [kind, fc.constant(0)]
          return [kind, kind === 'searches' ? fc.integer({ min: 0, max: 20 }) : count]
        }),
      ),
    ) as unknown as fc.Arbitrary<Tokens>
    fc.assert(
      fc.property(tokens, (given) => {
        const searched = given.searches > 0 && promptOf(given) + answerOf(given) === 0
        // Searches alone are no report: some tokens always stand beside them.
        fc.pre(!searched)
        expect(amountOf(PRICE, told(given) ?? NO_USAGE)).toBe(recomputed(given))
      }),
    )
  },
)
