import type { ToolCalls } from './openai-usage.ts'

/** A model's output, in no protocol's words: enough to count and to cover it where upstream reports nothing. */
export interface WrittenOutput {
  /** Nothing was written yet. */
  readonly isEmpty: boolean
  /** About how many tokens were written, audio apart; never far below the truth. */
  readonly roughTokens: number
  /** An upper bound on the tokens of the written output, audio apart. */
  readonly mostTokens: number
  /** Tokens to be added to those of the text: the frames of tool calls, images, encrypted reasoning. */
  readonly tokensBesideText: number
  /** Tokens of pictures, which are among those above. */
  readonly imageTokens: number
  /** Bytes of audio, in the format that was asked for; 0 = none. */
  readonly audioBytes: number
  /** Calls of the provider's own tools that have a price. */
  readonly calls: ToolCalls
  /** Everything that was written as text, in order. */
  text(): string
  /** Marks all that was taken so far as delivered. */
  markDelivered(): void
  /** Forgets the output taken since, because it is not going to be delivered. */
  dropUndelivered(): void
}
