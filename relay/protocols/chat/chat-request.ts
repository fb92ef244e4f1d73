import type { JsonObject } from '../../json.ts'
import type { WebSearch } from './web-search.ts'

/** A chat in no protocol's words: read from one protocol and written in another. */
export interface ChatRequest {
  readonly system: readonly Block[]
  /** Adjacent turns differ in their role. */
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  /** The provider's search of the web; absent = none is asked for. */
  readonly search?: WebSearch
  /** 'search' = the model has to search the web. */
  readonly toolChoice: 'auto' | 'none' | 'required' | 'search' | { readonly name: string } | null
  /** False = one tool at a time. */
  readonly mayCallInParallel: boolean
  readonly temperature: number | null
  readonly topP: number | null
  readonly topK: number | null
  readonly stop: readonly string[]
  readonly maxOutput: number | null
  readonly effort: Effort | null
  /** By which the model repeats its answer as well as it can; null = it need not. */
  readonly seed: number | null
  /** Against words that were used already; null = none, as is 0 for clients. */
  readonly presencePenalty: number | null
  readonly frequencyPenalty: number | null
  /** The JSON schema that the answer has to follow; 'any' = it has to be JSON; null = any text. */
  readonly schema: JsonObject | 'any' | null
  /** Pictures may be a part of the answer; absent = they need not. */
  readonly mayDraw?: true
  /** The client's own user, as it names them; '' = not named. */
  readonly user: string
  readonly stream: boolean
}

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof EFFORTS)[number]

export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly blocks: readonly Block[]
}

export type Block =
  | { readonly type: 'text'; readonly text: string; readonly cache: JsonObject | null }
  | {
      readonly type: 'media'
      readonly kind: 'image' | 'audio' | 'document'
      readonly source: MediaSource
      /** The file name or title of a document; absent = it has none. */
      readonly name?: string
    }
  | {
      readonly type: 'tool-call'
      readonly id: string
      readonly name: string
      readonly input: JsonObject
      /** The signature of the thought behind it, as Google gives one; absent = none. */
      readonly signature?: string
    }
  | {
      readonly type: 'tool-result'
      readonly id: string
      readonly blocks: readonly Block[]
      /** The tool failed, and its result says how. */
      readonly isError?: true
    }
  /** The signature shows its provider that the thought is its own. */
  | { readonly type: 'reasoning'; readonly text: string; readonly signature: string }
  | { readonly type: 'redacted'; readonly data: string }

export type MediaSource =
  | { readonly mime: string; readonly base64: string }
  | { readonly url: string }

export interface Tool {
  readonly name: string
  readonly description: string
  /** The schema of its input; null = it takes any object. */
  readonly schema: JsonObject | null
  /** Its input has to follow the schema to the letter. */
  readonly isStrict?: true
}

/** A member of a request that another protocol has no word for. */
export class Untranslatable extends Error {
  readonly code = 'UNTRANSLATABLE'
  readonly retryable = false
  /** As the client calls it. */
  readonly param: string

  constructor(param: string, message: string) {
    super(message)
    this.name = 'Untranslatable'
    this.param = param
  }
}

/** The refusal of a search that a provider cannot make, by the member that asks for it. */
export const unsearchable = ({ param }: Pick<WebSearch, 'param'>, what: string): Untranslatable =>
  new Untranslatable(param, `${what} has no counterpart at the provider of this model`)
