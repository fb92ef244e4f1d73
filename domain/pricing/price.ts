/**
 * The price of a request, frozen when it was admitted. Ratios are decimal texts (`"1.25"`), never floats: they are
 * multiplied exactly in charge.ts and rounded once.
 */
export type Price = TokenPrice | CallPrice

interface PriceBase {
  /** Revision of the price book: the position of the event that made it; −1 = defaults. */
  readonly bookRevision: number
  readonly groupRatio: string
  /** Quota per US dollar at admission. */
  readonly quotaPerUnit: string
}

/** By token counts: ratio 1 = 2 USD per million input tokens. */
export interface TokenPrice extends PriceBase {
  readonly by: 'tokens'
  readonly modelRatio: string
  readonly completionRatio: string
  readonly cacheRatio: string
  readonly cacheWriteRatio: string
  /**
   * The ratio of one-hour cache writes, to the model ratio like those below. Absent in a charge that wrote none
   * (priceAsUsed). A kind without a ratio costs as text of its sort: cached, written to a cache, output.
   */
  readonly cacheWrite1hRatio?: string
  readonly cachedAudioRatio?: string
  readonly cachedImageRatio?: string
  readonly imageOutRatio?: string
  readonly audioRatio: string
  readonly audioCompletionRatio: string
  /** USD per 1,000 calls at admission; null in a charge that used none (priceAsUsed). */
  readonly webSearchPrice: string | null
  readonly fileSearchPrice: string | null
  /**
   * Factors of the service tier, the speed and the region that upstream served; absent = none applied. All tokens cost
   * this times as much.
   */
  readonly tierFactor?: string
  readonly speedFactor?: string
  readonly geoFactor?: string
  /** Factors of a prompt beyond the model's threshold: of all its tokens, and of the output's. */
  readonly longInFactor?: string
  readonly longOutFactor?: string
}

/** A fixed price per call, in US dollars. */
export interface CallPrice extends PriceBase {
  readonly by: 'call'
  readonly callPrice: string
}

/** A price as the book has it, with its factors under terms that a request may have. */
export type BookPrice =
  | (TokenPrice & {
      readonly factors?: PriceFactors
      /** For reserves: the factor of a prompt that its provider may write to a cache; absent = 1. */
      readonly writeFactor?: string
    })
  | CallPrice

/** For how long a request asks its provider to cache the prompt. */
export type CacheLifetime = '5m' | '1h'

/** The factors of a model's price under terms that change its provider's price; decimal texts, absent = no price. */
export interface PriceFactors {
  /** Service tiers of OpenAI (platform.openai.com/docs/pricing). */
  readonly priority?: string
  readonly flex?: string
  /** Anthropic's `speed: fast`, and its inference within one region (platform.claude.com/docs/en/about-claude/pricing). */
  readonly fast?: string
  readonly geo?: string
  /**
   * The factors of prompts with more tokens than these, cached ones among them: of all their input, and of the output.
   */
  readonly above?: { readonly tokens: number; readonly in: string; readonly out: string }
}
