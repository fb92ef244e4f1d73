/**
 * Token counts of one request by kind, each token counted in exactly one of the priced kinds. Upstream protocols
 * disagree on what includes what (OpenAI's prompt_tokens include the cached ones, Anthropic's exclude them): usage is
 * brought into this shape first and then priced once, so that the same usage costs the same whichever protocol
 * carried it.
 */
export interface Usage {
  /** Uncached text input. */
  readonly textIn: number
  /** Input read from the provider's cache, audio and images apart where upstream reports them so. */
  readonly cachedIn: number
  /** Input written to the provider's cache, for less than an hour. */
  readonly cacheWriteIn: number
  /** Input written to the provider's cache for an hour. This and the other optional kinds are absent when zero. */
  readonly cacheWrite1hIn?: number
  readonly cachedAudioIn?: number
  readonly cachedImageIn?: number
  readonly audioIn: number
  /** Image input, where upstream reports it apart; priced as text input. */
  readonly imageIn: number
  /** Text output, reasoning included. */
  readonly textOut: number
  readonly audioOut: number
  readonly imageOut?: number
  /** Part of textOut that was reasoning: reported, priced as output, never counted twice. */
  readonly reasoningOut: number
  /** Calls of provider-side tools, priced per 1,000 calls. */
  readonly webSearchCalls: number
  readonly fileSearchCalls: number
}

/** Kinds of tokens of the answer's side. */
export type OutputUsage = Pick<Usage, 'textOut' | 'audioOut' | 'imageOut' | 'reasoningOut'>

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
  usage.textIn + cachedTokens(usage) + cacheWriteTokens(usage) + usage.audioIn + usage.imageIn

/** All input tokens read from a cache. */
export const cachedTokens = ({ cachedIn, cachedAudioIn = 0, cachedImageIn = 0 }: Usage): number =>
  cachedIn + cachedAudioIn + cachedImageIn

/** All input tokens written to a cache. */
export const cacheWriteTokens = ({ cacheWriteIn, cacheWrite1hIn = 0 }: Usage): number =>
  cacheWriteIn + cacheWrite1hIn

/** All output tokens, as OpenAI's `completion_tokens` counts them. */
export const completionTokens = ({ textOut, audioOut, imageOut = 0 }: OutputUsage): number =>
  textOut + audioOut + imageOut
