import { NO_USAGE, type Usage } from '@tollgate/domain/pricing/usage.ts'
import type { Quirk } from '../channel-types.ts'
import { isObject, type JsonObject } from '../json.ts'

/** Beyond it a count is garbage, not usage: no model reads or writes a trillion tokens in one request. */
const TOKENS_MAX = 1_000_000_000_000

/**
 * OpenAI's usage object as domain Usage: prompt_tokens include cached, audio and image tokens there, completion_tokens
 * include audio; here every token is in one kind. Also understands DeepSeek's prompt_cache_hit_tokens and xAI's output
 * (total − prompt). Null when it says nothing that can be trusted: absent, malformed, or zero for both sides; the
 * caller then counts.
 */
export function usageOf(reported: unknown, quirks: readonly Quirk[]): Usage | null {
  if (!isObject(reported)) return null
  const prompt = tokens(reported['prompt_tokens']) ?? tokens(reported['input_tokens'])
  const total = tokens(reported['total_tokens'])
  const completion = completionOf(reported, prompt, total, quirks)
  const input = prompt ?? (total === null ? null : Math.max(0, total - (completion ?? 0)))
  if (input === null && completion === null) return null
  if ((input ?? 0) === 0 && (completion ?? 0) === 0) return null
  return { ...inputKinds(reported, input ?? 0), ...outputKinds(reported, completion ?? 0) }
}

function completionOf(
  reported: JsonObject,
  prompt: number | null,
  total: number | null,
  quirks: readonly Quirk[],
): number | null {
  if (quirks.includes('output-is-total-minus-input') && total !== null && prompt !== null) {
    return Math.max(0, total - prompt)
  }
  return tokens(reported['completion_tokens']) ?? tokens(reported['output_tokens'])
}

function inputKinds(
  reported: JsonObject,
  prompt: number,
): Omit<Usage, 'textOut' | 'audioOut' | 'reasoningOut'> {
  const details = objectOr(reported['prompt_tokens_details'], reported['input_tokens_details'])
  let left = prompt
  const take = (count: number | null): number => {
    const taken = Math.min(count ?? 0, left)
    left -= taken
    return taken
  }
  const cachedIn = take(
    tokens(details['cached_tokens']) ?? tokens(reported['prompt_cache_hit_tokens']),
  )
  const cacheWriteIn = take(tokens(details['cached_creation_tokens']))
  const audioIn = take(tokens(details['audio_tokens']))
  const imageIn = take(tokens(details['image_tokens']))
  return { ...NO_USAGE, cachedIn, cacheWriteIn, audioIn, imageIn, textIn: left }
}

function outputKinds(
  reported: JsonObject,
  completion: number,
): Pick<Usage, 'textOut' | 'audioOut' | 'reasoningOut'> {
  const details = objectOr(reported['completion_tokens_details'], reported['output_tokens_details'])
  const audioOut = Math.min(tokens(details['audio_tokens']) ?? 0, completion)
  const textOut = completion - audioOut
  return {
    audioOut,
    textOut,
    reasoningOut: Math.min(tokens(details['reasoning_tokens']) ?? 0, textOut),
  }
}

const objectOr = (first: unknown, second: unknown): JsonObject =>
  isObject(first) ? first : isObject(second) ? second : {}

const tokens = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= TOKENS_MAX
    ? value
    : null
