import { NO_USAGE, type Usage } from '@tollgate/domain/pricing/usage.ts'
import type { Quirk } from '../channel-types.ts'
import { isObject, type JsonObject } from '../json.ts'

/** Beyond it a count of one side is absurd (decision 5); upstreams add contexts and hidden reasoning of their own. */
const TOKENS_MAX = 2_000_000

/** Kinds of tokens of the prompt's side, and of the answer's. */
export type InputUsage = Omit<Usage, keyof OutputUsage | 'webSearchCalls' | 'fileSearchCalls'>
export type OutputUsage = Pick<Usage, 'textOut' | 'audioOut' | 'reasoningOut'>

/** What an upstream says was used, each side for itself; null = missing, zero or not to be believed. */
export interface ReportedUsage {
  readonly input: InputUsage | null
  readonly output: OutputUsage | null
  /** A count was given that is none: negative, fractional, text or absurd. */
  readonly isUnreadable: boolean
}

/**
 * Reads OpenAI's usage object: prompt_tokens include cached, audio and image tokens there, completion_tokens include
 * audio; here every token is in one kind. Also understands the prompt_cache_hit_tokens of DeepSeek, cached_tokens beside
 * the counts (Moonshot), cache_write_tokens (OpenRouter), and reasoning outside completion_tokens: by quirk (xAI), or
 * where the total shows it.
 */
export function readUsage(reported: unknown, quirks: readonly Quirk[]): ReportedUsage {
  if (!isObject(reported)) return { input: null, output: null, isUnreadable: false }
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

/** As readUsage, a side that says nothing being 0; null when neither says anything. */
export function usageOf(reported: unknown, quirks: readonly Quirk[]): Usage | null {
  const { input, output } = readUsage(reported, quirks)
  return input === null && output === null ? null : { ...NO_USAGE, ...input, ...output }
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
  const details = objectOr(reported['prompt_tokens_details'], reported['input_tokens_details'])
  let left = prompt
  const take = (...counts: readonly unknown[]): number => {
    const count = counts.map((value) => tokens(value) ?? 0).find((value) => value > 0) ?? 0
    const taken = Math.min(count, left)
    left -= taken
    return taken
  }
  const cachedIn = take(
    details['cached_tokens'],
    reported['cached_tokens'],
    reported['prompt_cache_hit_tokens'],
  )
  const cacheWriteIn = take(
    details['cache_write_tokens'],
    details['cached_creation_tokens'],
    reported['cache_write_tokens'],
  )
  const audioIn = take(details['audio_tokens'])
  const imageIn = take(details['image_tokens'])
  return { cachedIn, cacheWriteIn, audioIn, imageIn, textIn: left }
}

function outputKinds(reported: JsonObject, completion: number): OutputUsage {
  const details = outputDetails(reported)
  const audioOut = Math.min(tokens(details['audio_tokens']) ?? 0, completion)
  const textOut = completion - audioOut
  return {
    audioOut,
    textOut,
    reasoningOut: Math.min(tokens(details['reasoning_tokens']) ?? 0, textOut),
  }
}

const outputDetails = (reported: JsonObject): JsonObject =>
  objectOr(reported['completion_tokens_details'], reported['output_tokens_details'])

const objectOr = (first: unknown, second: unknown): JsonObject =>
  isObject(first) ? first : isObject(second) ? second : {}

const tokens = (value: unknown): number | null => whole(value, TOKENS_MAX)

const whole = (value: unknown, most: number): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most ? value : null
