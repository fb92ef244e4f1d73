import type { AskedTerms } from '@tollgate/domain/pricing/price-factors.ts'
import type { CacheLifetime } from '@tollgate/domain/pricing/price.ts'
import type { SearchContext } from '@tollgate/domain/pricing/tool-price.ts'
import type { Mode } from '../channel-types.ts'
import type { JsonObject } from '../json.ts'
import type { JsonScan, Member } from '../json-scan.ts'

/** The protocols that clients may speak. */
export type ClientProtocolName = 'openai' | 'claude' | 'gemini' | 'responses'

/** A relay address and its operation. */
export interface Endpoint {
  readonly protocol: ClientProtocolName
  /** As sent upstream and as logged. */
  readonly path: string
  readonly mode: Mode
  /** The member without which there is nothing to answer. */
  readonly required: 'messages' | 'prompt' | 'input' | 'contents' | 'content' | 'requests'
  /** The console's playground: its body names the group, which is Tollgate's and not upstream's. */
  readonly isPlayground: boolean
  /** Only the tokens of the prompt are asked for: nothing is written, held or charged. */
  readonly countsOnly?: true
  /** Only providers that speak the client's own protocol have this operation. */
  readonly isNativeOnly?: true
  /** The model where the address names it, which holds over the body's. */
  readonly pathModel?: string
  /** The version of the protocol that the address names. */
  readonly version?: string
  /** A stream is asked for by the address: as events, or as items of one JSON list. */
  readonly streams?: 'events' | 'list'
  /** How vectors are answered, where upstream's own are not. */
  readonly vectors?: { readonly model: string; readonly isBase64: boolean }
  /** The client's names of tools that other providers know by another name or kind; absent = there are none. */
  readonly toolNames?: ToolNames
}

/** A tool as its client calls it. */
export interface ToolName {
  readonly name: string
  readonly namespace?: string
  /** Its calls have arguments, a free text, or what to search among the client's tools. */
  readonly kind: 'function' | 'custom' | 'search'
}

/** By the name that other providers know a tool by. */
export type ToolNames = Readonly<Record<string, ToolName>>

/**
 * One request, read once by its own protocol: the facts that the pipeline needs. The rest stays in its bytes and passes
 * through untouched. Plain data, because long bodies are read in a thread.
 */
export interface ModelRequest {
  readonly endpoint: Endpoint
  readonly model: string
  readonly stream: boolean
  /** Output tokens that the client allows, over all choices; null when it set no limit. */
  readonly maxOutput: number | null
  readonly choices: number
  readonly media: PromptMedia
  readonly reasoningEffort: string | null
  /** How much context a web search may bring in: it decides the price of one. */
  readonly searchContext: SearchContext
  /** The format of the audio that it asks for. */
  readonly audioFormat: string
  /** The answer may be audio that comes in one piece, so that nothing of it is seen before it is all there. */
  readonly isSpokenWhole: boolean
  /** The group that the playground's body names; null = none. */
  readonly group: string | null
  /** The client asked for a usage chunk at the end of the stream. */
  readonly wantsUsage: boolean
  /** The client's own bytes; of the playground's, without members of messages that OpenAI does not know. */
  readonly raw: Buffer
  /** Where the members stand in `raw`, and the role of the first message. */
  readonly members: readonly Member[]
  readonly firstRole: JsonScan['firstRole']
  /** Everything; null for a long body, which was read in a thread: only a thread may read `raw` again. */
  readonly body: JsonObject | null
  /** For its own protocol: the members that are read or edited, without the prompt and its tools. Few and short. */
  readonly fields: JsonObject
  /** Searches of the web to reserve for: as many as the client allows, within reason; absent without such a tool. */
  readonly searches?: number
  /** Terms that change the provider's price; absent = none. Only channels that allow them are sent them. */
  readonly terms?: AskedTerms
  /** The longest time for which it asks to cache the prompt, which costs more than reading it; absent = it does not. */
  readonly cacheWrites?: CacheLifetime
  /** Names of objects in it that lie with the provider: only channels that allow them are sent it. */
  readonly providerObjects?: readonly string[]
  /** The stored response that it goes on from, found by the id that the client names. */
  readonly previous?: PreviousResponse
  /** A bound on input beside the body's: what its provider cached before, or reads twice; absent = there is none. */
  readonly cachedBound?: number
  /** How many models may answer in turn, each with as much output; absent = 1. */
  readonly attempts?: number
}

/** A response that upstream keeps, which is input of the next. */
export interface PreviousResponse {
  /** As upstream knows it. */
  readonly id: string
  /** A bound on the tokens of its history and its output. */
  readonly tokens: number
}

/** The parts of a prompt that are no text: their bytes say nothing of their tokens. */
export interface PromptMedia {
  /** Bytes of base64 in the body. */
  readonly bytes: number
  /** A bound on the tokens that pictures and files cost. */
  readonly tokens: number
  /** The same of audio, which has a price of its own. */
  readonly audioTokens: number
}
