import type { GeminiSettings } from '../directory/facts.ts'
import type { JsonObject } from '../json.ts'
import type { KeptThoughts } from './chat/kept-thought.ts'
import type { ClientProtocolName, ModelRequest } from './model-request.ts'

/** The terms that a request is translated by. Plain data: long requests are translated in a thread. */
export type TranslationTerms = ClaudeTerms | OpenAiTerms | GeminiTerms | MessageTerms

/** Into Anthropic's messages. */
export interface ClaudeTerms {
  readonly into: 'claude'
  /** A stream is asked for, by the body or by the address. */
  readonly stream: boolean
  /** The client's protocol. */
  readonly from: ClientProtocolName
  /** As upstream knows it, but for `-thinking`. */
  readonly model: string
  /** Where the client sets no limit: Anthropic wants one. */
  readonly defaultMaxTokens: number
  /** The share of its output that a model named `-thinking` may think; null = the name is no sign. */
  readonly thinkingShare: number | null
  /** The channel's own members, which stand over those of the request. */
  readonly override: JsonObject
  /** The provider has none of Anthropic's searches of the web. */
  readonly cannotSearch?: true
  /** Behind calls that the client sent without; absent = none is known. */
  readonly thoughts?: KeptThoughts
}

/** Into OpenAI's chat completions. */
export interface OpenAiTerms {
  readonly into: 'openai'
  /** A stream is asked for, by the body or by the address. */
  readonly stream: boolean
  /** The client's protocol. */
  readonly from: ClientProtocolName
  /** As the client asked for it: the channel's mapping follows. */
  readonly model: string
  /** After that mapping. */
  readonly upstreamModel: string
  /** How the provider calls the limit of the output. */
  readonly limit: 'max_tokens' | 'max_completion_tokens'
  /** The model reasons, and can be told how hard. */
  readonly reasons: boolean
  /** It wants the thoughts before its calls of tools back; others refuse them. */
  readonly takesThoughts: boolean
}

/** Messages of OpenAI's chat as a vendor of its protocol takes them; all else stays as it is written. */
export interface MessageTerms {
  readonly into: 'messages'
  readonly rules: MessageRulesName
}

/** A developer is a system; Mistral's schema has that and fewer members. */
export type MessageRulesName = 'system' | 'mistral'

/** Google's ways to ask for vectors: contents in a batch, instances to predict by, or a single content. */
export type VectorsShape = 'batch' | 'predict' | 'single'

/** Into Google's contents. */
export interface GeminiTerms {
  readonly into: 'gemini'
  /** The client's protocol. */
  readonly from: ClientProtocolName
  /** How vectors are asked for; null = a chat. */
  readonly vectors: VectorsShape | null
  /** As upstream knows it, but for `-thinking`. */
  readonly model: string
  readonly settings: GeminiSettings
  /** Its search can leave out domains. */
  readonly excludesDomains?: true
  /** The channel's own members, which stand over those of the request. */
  readonly override: JsonObject
  /** As ClaudeTerms have them. */
  readonly thoughts?: KeptThoughts
}

/** A translated request, or the part that the other protocol cannot express. Plain data. */
export type TranslatedRequest = Written | ReadAgain | EditedMessages

/** Ready to be sent. */
export type Written =
  | {
      readonly status: 'translated'
      readonly json: string
      readonly maxTokens: number | null
      /** Calls without the thoughts behind them, which may be kept here. */
      readonly bareCalls: readonly string[]
      /** Thinking was asked for and is off: the thoughts behind the last calls are lost. */
      readonly isThinkingLost: boolean
      /** It has contents that Anthropic's newer version refuses; absent = it has not. */
      readonly wantsOlderVersion?: boolean
    }
  | NotTranslated

/** Read as a request of the other protocol, since its channels take different members. */
export type ReadAgain =
  | {
      readonly status: 'read'
      readonly request: Omit<ModelRequest, 'raw' | 'body'>
      readonly raw: Uint8Array
    }
  | NotTranslated

/** Edited in place; null = nothing had to change. */
export interface EditedMessages {
  readonly status: 'edited'
  readonly raw: Uint8Array | null
}

export type NotTranslated =
  | { readonly status: 'untranslatable'; readonly param: string; readonly message: string }
  /** The thread has no time for it now. */
  | { readonly status: 'busy' }
