/**
 * Token counts of one request by kind, each token counted in exactly one of the priced kinds. Upstream protocols
 * disagree on what includes what (OpenAI's prompt_tokens include the cached ones, Anthropic's exclude them): usage is
 * brought into this shape first and then priced once, so that the same usage costs the same whichever protocol
 * carried it.
 */
export interface Usage {
  /** Uncached text (and image) input. */
  readonly textIn: number
  /** Input read from the provider's cache. */
  readonly cachedIn: number
  /** Input written to the provider's cache. */
  readonly cacheWriteIn: number
  readonly audioIn: number
  /** Image input, where upstream reports it apart; priced as text input. */
  readonly imageIn: number
  /** Text output, reasoning included. */
  readonly textOut: number
  readonly audioOut: number
  /** Part of textOut that was reasoning: reported, priced as output, never counted twice. */
  readonly reasoningOut: number
  /** Calls of provider-side tools, priced per 1,000 calls. */
  readonly webSearchCalls: number
  readonly fileSearchCalls: number
}

export const NO_USAGE: Usage = {
  textIn: 0,
  cachedIn: 0,
  cacheWriteIn: 0,
  audioIn: 0,
  imageIn: 0,
  textOut: 0,
  audioOut: 0,
  reasoningOut: 0,
  webSearchCalls: 0,
  fileSearchCalls: 0,
}

/** All input tokens, as OpenAI's `prompt_tokens` counts them. */
export const promptTokens = (usage: Usage): number =>
  usage.textIn + usage.cachedIn + usage.cacheWriteIn + usage.audioIn + usage.imageIn

/** All output tokens, as OpenAI's `completion_tokens` counts them. */
export const completionTokens = (usage: Usage): number => usage.textOut + usage.audioOut
