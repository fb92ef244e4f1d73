import type { JsonObject } from '../../json.ts'

/** An answer in no protocol's words, as a stream of blocks: a whole answer is all of its parts at once. */
export type ChatPart =
  | { readonly type: 'begin'; readonly id: string; readonly model: string }
  | { readonly type: 'open'; readonly block: number; readonly kind: 'text' | 'reasoning' }
  | {
      readonly type: 'open'
      readonly block: number
      readonly kind: 'tool-call'
      readonly id: string
      readonly name: string
      /** The signature of the thought behind it, as Google gives one; absent = none. */
      readonly signature?: string
    }
  /** Text, reasoning, or JSON of a tool's input. */
  | { readonly type: 'delta'; readonly block: number; readonly text: string }
  | Citation
  | WebSearchPart
  /** The signature is of reasoning; '' = none. */
  | { readonly type: 'close'; readonly block: number; readonly signature: string }
  /** Reasoning that only its provider can read. */
  | { readonly type: 'redacted'; readonly block: number; readonly data: string }
  /** A picture that the model drew. */
  | {
      readonly type: 'image'
      readonly block: number
      readonly mime: string
      readonly base64: string
    }
  | {
      readonly type: 'finish'
      readonly reason: FinishReason
      /** The one that stopped it; absent = none, or upstream did not say which. */
      readonly stopSequence?: string
    }

/** A search of the web that the provider made: one query, and the pages that it found. */
export interface WebSearchPart {
  readonly type: 'search'
  readonly block: number
  readonly id: string
  readonly query: string
  readonly pages: readonly FoundPage[]
  /** The result in Anthropic's own words; absent = another provider's. */
  readonly own?: unknown
  readonly isFailed?: true
}

export interface FoundPage {
  readonly url: string
  readonly title: string
}

/** A page that a text goes back to; sent before its block is closed. */
export interface Citation {
  readonly type: 'citation'
  readonly block: number
  readonly url: string
  readonly title: string
  /** Where in the block's text, in UTF-16 units; the end is behind the last. */
  readonly start: number
  readonly end: number
  /** The citation in Anthropic's own words; absent = another provider's. */
  readonly own?: JsonObject
}

export type FinishReason =
  | 'stop'
  | 'length'
  | 'tool-calls'
  /** Its provider held it back. */
  | 'filtered'
  /** The provider's checks had the model decline. */
  | 'refusal'
  /** The provider's tools go on when it is sent back as it is. */
  | 'pause'
  /** The model's context is full, whatever limit the client set. */
  | 'context-exceeded'
