import { isObject, type JsonObject } from '../json.ts'

/**
 * A usage object of Anthropic or Gemini in the terms of OpenAI, which openai-usage.ts reads; any other as it is. The
 * object's own names tell whose it is: gateways that speak OpenAI pass on their vendor's report.
 */
export function inOpenAiTerms(usage: JsonObject): JsonObject {
  if ('promptTokenCount' in usage) return fromGemini(usage)
  const isAnthropic = ANTHROPIC_CACHE.some((name) => name in usage) && !('prompt_tokens' in usage)
  return isAnthropic ? fromAnthropic(usage) : usage
}

const ANTHROPIC_CACHE = ['cache_creation_input_tokens', 'cache_read_input_tokens'] as const

/** Anthropic's input_tokens exclude tokens read from its cache and written to it. */
function fromAnthropic(usage: JsonObject): JsonObject {
  const { input_tokens, cache_read_input_tokens: cached, cache_creation_input_tokens } = usage
  const outputDetails = usage['output_tokens_details']
  return {
    prompt_tokens: total(input_tokens, cached, cache_creation_input_tokens),
    completion_tokens: usage['output_tokens'],
    prompt_tokens_details: {
      cached_tokens: cached,
      cache_write_tokens: cache_creation_input_tokens,
      cache_creation: usage['cache_creation'],
    },
    completion_tokens_details: {
      reasoning_tokens: isObject(outputDetails) ? outputDetails['thinking_tokens'] : 0,
    },
  }
}

/** Gemini counts the input of its own tools, and thoughts, beside the other tokens. */
function fromGemini(usage: JsonObject): JsonObject {
  const { thoughtsTokenCount: thoughts } = usage
  const input = [
    ...list(usage['promptTokensDetails']),
    ...list(usage['toolUsePromptTokensDetails']),
  ]
  return {
    prompt_tokens: total(usage['promptTokenCount'], usage['toolUsePromptTokenCount']),
    completion_tokens: total(usage['candidatesTokenCount'], thoughts),
    prompt_tokens_details: {
      ...modalities(input),
      cached_tokens: usage['cachedContentTokenCount'],
      cached_tokens_details: modalities(list(usage['cacheTokensDetails'])),
    },
    completion_tokens_details: {
      ...modalities(list(usage['candidatesTokensDetails'])),
      reasoning_tokens: thoughts,
    },
  }
}

const modalities = (counts: readonly unknown[]): JsonObject => ({
  audio_tokens: totalOf(counts, 'AUDIO'),
  image_tokens: totalOf(counts, 'IMAGE'),
})

const totalOf = (counts: readonly unknown[], modality: string): unknown =>
  total(
    ...counts.map((count) =>
      isObject(count) && count['modality'] === modality ? count['tokenCount'] : 0,
    ),
  )

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** NaN, which no reader believes, when one of the counts is no number; a missing one is 0. */
const total = (...counts: readonly unknown[]): number =>
  counts.reduce<number>(
    (sum, count) => sum + (isCount(count ?? 0) ? Number(count ?? 0) : Number.NaN),
    0,
  )

const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0
