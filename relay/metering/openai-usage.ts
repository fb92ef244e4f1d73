import { NO_USAGE, type OutputUsage, type Usage } from '@tollgate/domain/pricing/usage.ts'
import type { Quirk } from '../channel-types.ts'
import { isObject, type JsonObject } from '../json.ts'
import { inOpenAiTerms } from './vendor-usage.ts'

/** Beyond it a count of one side is absurd (decision 5); upstreams add contexts and hidden reasoning of their own. */
const TOKENS_MAX = 2_000_000

/** Kinds of tokens of the prompt's side. */
export type InputUsage = Omit<Usage, keyof OutputUsage | 'webSearchCalls' | 'fileSearchCalls'>

/** The usage that an upstream reports, each side for itself; null = missing, zero or not to be believed. */
export interface ReportedUsage {
  readonly input: InputUsage | null
  readonly output: OutputUsage | null
  /** A count was given that is none: negative, fractional, text or absurd. */
  readonly isUnreadable: boolean
  /** Calls of the provider's own tools that have a price. */
  readonly calls?: ToolCalls
}

/** Calls of provider-side tools, by kind. */
export type ToolCalls = Pick<Usage, 'webSearchCalls' | 'fileSearchCalls'>

/** More searches than any answer has: such a count is not believed. */
const SEARCHES_MAX = 10_000

/** Whether an upstream's number of searches is to be believed. */
export const isSearchCount = (value: unknown): value is number =>
  whole(value, SEARCHES_MAX) !== null

/**
 * Reads a usage object of OpenAI, Anthropic or Gemini. OpenAI's prompt_tokens include cached, audio and image tokens,
 * its completion_tokens include audio and images; here every token is in one kind. Also understands the
 * prompt_cache_hit_tokens of DeepSeek, cached_tokens beside the counts (Moonshot), cache_write_tokens (OpenRouter),
 * cache_creation_input_tokens among the details (Alibaba) or beside the counts, and reasoning outside
 * completion_tokens: by quirk (xAI), or where the total shows it.
 */
export function readUsage(told: unknown, quirks: readonly Quirk[]): ReportedUsage {
  if (!isObject(told)) return { input: null, output: null, isUnreadable: false }
  const reported = inOpenAiTerms(told)
  const given = COUNTS.map((name) => reported[name] ?? 0)
  const isUnreadable = given.some((count) => tokens(count) === null)
  const total = whole(reported['total_tokens'], 2 * TOKENS_MAX)
  const prompt = tokens(reported['prompt_tokens']) ?? tokens(reported['input_tokens'])
  const completion = completionOf(reported, prompt, total, quirks)
  // Embeddings may give a total alone.
  const rest = total === null ? 0 : total - (completion ?? 0)
  const input = prompt === null || prompt === 0 ? rest : prompt
  return {
    input: input > 0 && input <= TOKENS_MAX ? inputKinds(reported, input) : null,
    output: completion !== null && completion > 0 ? outputKinds(reported, completion) : null,
    isUnreadable,
  }
}

const COUNTS = ['prompt_tokens', 'completion_tokens', 'input_tokens', 'output_tokens'] as const

/** Both sides of a report, one that says nothing being 0; null when neither says anything. */
export function sumOf({ input, output, calls }: ReportedUsage): Usage | null {
  return input === null && output === null ? null : { ...NO_USAGE, ...input, ...output, ...calls }
}

function completionOf(
  reported: JsonObject,
  prompt: number | null,
  total: number | null,
  quirks: readonly Quirk[],
): number | null {
  const completion = tokens(reported['completion_tokens']) ?? tokens(reported['output_tokens'])
  const reasoning = tokens(outputDetails(reported)['reasoning_tokens']) ?? 0
  const isOutside = quirks.includes('output-is-total-minus-input')
  if (prompt !== null && total !== null && total >= prompt) {
    const isShown = completion !== null && total === prompt + completion + reasoning
    if (isOutside || isShown) return total - prompt
  }
  return completion !== null && isOutside ? completion + reasoning : completion
}

function inputKinds(reported: JsonObject, prompt: number): InputUsage {
  const details = firstObject(
    reported['prompt_tokens_details'],
    reported['input_tokens_details'],
    reported['input_token_details'],
  )
  let left = prompt
  const take = (...counts: readonly unknown[]): number => {
    const count = counts.map((value) => tokens(value) ?? 0).find((value) => value > 0) ?? 0
    const taken = Math.min(count, left)
    left -= taken
    return taken
  }
  const cached = take(
    details['cached_tokens'],
    reported['cached_tokens'],
    reported['prompt_cache_hit_tokens'],
  )
  const ofCached = firstObject(details['cached_tokens_details'])
  const cachedAudioIn = Math.min(tokens(ofCached['audio_tokens']) ?? 0, cached)
  const cachedImageIn = Math.min(tokens(ofCached['image_tokens']) ?? 0, cached - cachedAudioIn)
  const cacheWrites = take(
    details['cache_write_tokens'],
    details['cached_creation_tokens'],
    details['cache_creation_input_tokens'],
    details['cache_creation_tokens'],
    reported['cache_write_tokens'],
    reported['cache_creation_input_tokens'],
  )
  const lifetimes = firstObject(details['cache_creation'], reported['cache_creation'])
  const cacheWrite1hIn = Math.min(tokens(lifetimes['ephemeral_1h_input_tokens']) ?? 0, cacheWrites)
  // Those of a kind include the cached ones of that kind.
  const audioIn = take((tokens(details['audio_tokens']) ?? 0) - cachedAudioIn)
  const imageIn = take((tokens(details['image_tokens']) ?? 0) - cachedImageIn)
  return {
    cachedIn: cached - cachedAudioIn - cachedImageIn,
    cacheWriteIn: cacheWrites - cacheWrite1hIn,
    audioIn,
    imageIn,
    textIn: left,
    ...(cacheWrite1hIn > 0 && { cacheWrite1hIn }),
    ...(cachedAudioIn > 0 && { cachedAudioIn }),
    ...(cachedImageIn > 0 && { cachedImageIn }),
  }
}

function outputKinds(reported: JsonObject, completion: number): OutputUsage {
  const details = outputDetails(reported)
  const audioOut = Math.min(tokens(details['audio_tokens']) ?? 0, completion)
  const imageOut = Math.min(tokens(details['image_tokens']) ?? 0, completion - audioOut)
  const textOut = completion - audioOut - imageOut
  return {
    audioOut,
    textOut,
    ...(imageOut > 0 && { imageOut }),
    reasoningOut: Math.min(tokens(details['reasoning_tokens']) ?? 0, textOut),
  }
}

const outputDetails = (reported: JsonObject): JsonObject =>
  firstObject(
    reported['completion_tokens_details'],
    reported['output_tokens_details'],
    reported['output_token_details'],
  )

const firstObject = (...values: readonly unknown[]): JsonObject => values.find(isObject) ?? {}

const tokens = (value: unknown): number | null => whole(value, TOKENS_MAX)

const whole = (value: unknown, most: number): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most ? value : null
