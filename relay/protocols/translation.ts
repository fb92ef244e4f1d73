import type { JsonObject } from '../json.ts'

/** What a request is put in other words by. Plain data: long ones are translated in a thread. */
export interface TranslationTerms {
  /** As upstream knows it, but for `-thinking`. */
  readonly model: string
  /** Where the client sets no limit: Anthropic wants one. */
  readonly defaultMaxTokens: number
  /** Of its output that a model named `-thinking` may think; null = the name is no sign. */
  readonly thinkingShare: number | null
  /** The channel's own members, which stand over those of the request. */
  readonly override: JsonObject
}

/** A request in other words, or what of it they cannot say. Plain data. */
export type TranslatedRequest =
  | { readonly status: 'translated'; readonly json: string; readonly maxTokens: number | null }
  | { readonly status: 'untranslatable'; readonly param: string; readonly message: string }
  /** The thread has no time for it now. */
  | { readonly status: 'busy' }
