import {
  cachedTokens,
  cacheWriteTokens,
  completionTokens,
  promptTokens,
  type Usage,
} from '@tollgate/domain/pricing/usage.ts'
import type { JsonObject } from '../../json.ts'

/** Usage as OpenAI tells it; details where there are any. */
export function inOpenAiWords(usage: Usage): JsonObject {
  const cached = cachedTokens(usage)
  const writes = cacheWriteTokens(usage)
  const { reasoningOut } = usage
  return {
    prompt_tokens: promptTokens(usage),
    completion_tokens: completionTokens(usage),
    total_tokens: promptTokens(usage) + completionTokens(usage),
    ...((cached > 0 || writes > 0) && {
      prompt_tokens_details: {
        cached_tokens: cached,
        ...(writes > 0 && { cache_write_tokens: writes }),
      },
    }),
    ...(reasoningOut > 0 && { completion_tokens_details: { reasoning_tokens: reasoningOut } }),
  }
}
