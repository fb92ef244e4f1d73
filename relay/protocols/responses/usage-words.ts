import {
  cachedTokens,
  completionTokens,
  promptTokens,
  type Usage,
} from '@tollgate/domain/pricing/usage.ts'
import type { JsonObject } from '../../json.ts'

/** Usage as responses tell it. */
export const inResponsesWords = (usage: Usage): JsonObject => ({
  input_tokens: promptTokens(usage),
  input_tokens_details: { cached_tokens: cachedTokens(usage) },
  output_tokens: completionTokens(usage),
  output_tokens_details: { reasoning_tokens: usage.reasoningOut },
  total_tokens: promptTokens(usage) + completionTokens(usage),
})
