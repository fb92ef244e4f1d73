import type { TokenState } from '@tollgate/domain/account/state.ts'
import type { TokenTerms } from '@tollgate/domain/account/token-terms.ts'
import type { ChannelTerms } from '@tollgate/domain/channel/events.ts'
import type { ChannelId, TokenId, UserId } from '@tollgate/domain/ids.ts'
import type { PriceBook } from '@tollgate/domain/pricing/price-book.ts'
import type { Role } from '@tollgate/domain/user/events.ts'
import type { ChannelType, Mode } from '../channel-types.ts'
import type { ChunkSetting } from '../protocols/openai/chunk-rewriter.ts'
import type { JsonObject } from '../json.ts'
import type { HeaderNames } from '../upstream/passed-headers.ts'
import type { SensitiveWords } from '../sensitive-words/sensitive-words.ts'

/** A user as the relay needs to know them. */
export interface UserFacts {
  readonly id: UserId
  /** Neither banned nor deleted, and the account is open. */
  readonly isActive: boolean
  readonly role: Role
  readonly group: string
  /** The user's setting accept_unset_model_ratio_model. */
  readonly acceptsUnsetRatio: boolean
}

/** A token and its owner. */
export interface TokenFacts {
  readonly id: TokenId
  readonly status: TokenState['status']
  readonly terms: TokenTerms
  readonly user: UserFacts
}

/** A channel with its secrets, everything that its JSON texts say already read. */
export interface ChannelFacts {
  readonly id: ChannelId
  readonly type: ChannelType
  readonly terms: ChannelTerms
  readonly isEnabled: boolean
  readonly key: string
  /** '' = none. */
  readonly proxy: string
  /** Without a trailing slash; the type's own where the channel has none. */
  readonly baseUrl: string
  readonly modelMapping: ReadonlyMap<string, string>
  readonly statusCodeMapping: ReadonlyMap<number, number>
  /** Without `stream`, which cannot be overridden; null = none. */
  readonly paramOverride: JsonObject | null
  readonly chunks: ChunkSetting
  /** Headers that pass by its own settings, beside those of every channel. */
  readonly headers: HeaderNames
  /** Requests may name objects that lie with the provider: files, conversations, vector stores, containers. */
  readonly allowsProviderObjects: boolean
  /** Requests may have terms that change the provider's price: tiers, speeds, regions. */
  readonly allowsPriceTerms: boolean
}

/** The options that the relay goes by, read once per change. */
export interface RelaySettings {
  /** Further attempts after the first. */
  readonly retryTimes: number
  readonly passesThrough: boolean
  /** None when the check is switched off. */
  readonly sensitiveWords: SensitiveWords
  readonly rateLimit: RateLimitSettings | null
  /** Groups that every user may choose for a token. */
  readonly usableGroups: ReadonlySet<string>
  /** Chunks that may wait for a slow client before upstream is paused. */
  readonly streamQueueChunks: number
  /** SSE comments that keep a quiet stream alive; null = off. */
  readonly pingEveryMs: number | null
  /** Until the head of upstream's answer (decision 13). */
  readonly firstByteMs: number
  /** A stream that nothing more can be held for goes on, at the wallet's expense (architecture 6, rule 10). */
  readonly finishesOverdrawn: boolean
  /** A request whose client left is read to its end instead of aborted (decision 6). */
  readonly drainsCancelled: boolean
  readonly claude: ClaudeSettings
  readonly gemini: GeminiSettings
  readonly billing: BillingSettings
  readonly priceBook: PriceBook
}

/** Settings of requests to Anthropic's models that clients leave out. */
export interface ClaudeSettings {
  /** Output limits by model; `default` is for all others. */
  readonly defaultMaxTokens: ReadonlyMap<string, number>
  /** The share of its output that a model asked for as `-thinking` may think; null = the name is no sign. */
  readonly thinkingShare: number | null
  /** Further headers by the model that the client asks for; in place of those that would be sent. */
  readonly modelHeaders: ReadonlyMap<string, Readonly<Record<string, string>>>
}

/** Settings of requests to Google's models that clients leave out. */
export interface GeminiSettings {
  /** Thresholds by category; `default` is for all others. */
  readonly safety: ReadonlyMap<string, string>
  /** Versions of the API by model; `default` is for all others. */
  readonly versions: ReadonlyMap<string, string>
  /** Models that are asked for pictures beside text. */
  readonly imageModels: ReadonlySet<string>
  /** The share of its output that a model asked for as `-thinking` may think; null = the name is no sign. */
  readonly thinkingShare: number | null
}

/** The form in which a key's figures are answered to its client. */
export interface BillingSettings {
  /** The token's own; else its user's. */
  readonly isOfToken: boolean
  /** In US dollars; else in quota. */
  readonly inCurrency: boolean
  readonly quotaPerUnit: number
}

/** Requests a user may make; counts of 0 = no limit. */
export interface RateLimitSettings {
  readonly windowMs: number
  readonly windowMinutes: number
  readonly total: number
  readonly successes: number
  readonly groups: ReadonlyMap<string, readonly [total: number, successes: number]>
}

/** A request's right to be the one that a half-open channel is tried with. */
export interface Trial {
  readonly channel: ChannelFacts
  /** Gives the right back: the request has not shown whether the channel works. Once more changes nothing. */
  giveBack(): void
}

/** The facts to choose a channel by. */
export interface ChannelQuestion {
  readonly group: string
  readonly model: string
  readonly operation: Mode
  /** Channels that failed this request; not tried again while others remain. */
  readonly failed: ReadonlySet<ChannelId>
  /** Those of them that refused it before it was sent: not tried again at all; absent = none. */
  readonly refused?: ReadonlySet<ChannelId>
  /** From 0. */
  readonly attempt: number
}

/**
 * The relay's knowledge, in memory: tokens, channels, prices and options, kept fresh by following the log. Only a token
 * that was not asked for lately has to be looked up.
 */
export interface RelayDirectory {
  readonly settings: RelaySettings
  /** By the 48 characters of the key without `sk-`; null = there is none. */
  findToken(key: string): TokenFacts | null | Promise<TokenFacts | null>
  channel(id: number): ChannelFacts | null
  /** An enabled channel whose type serves the operation; null = none serves the model in this group. */
  choose(question: ChannelQuestion): ChannelFacts | null
  /** Whether a half-open channel serves the model in this group and has no trial going on. */
  mayTry(question: ChannelQuestion): boolean
  /** Takes the trial of such a channel for this request; null = there is none. */
  beginTrial(question: ChannelQuestion): Trial | null
  /** Models that the enabled channels of a group serve. */
  modelsOf(group: string): readonly string[]
  /** Whether any channel lists the model, in service or not, in whatever group. */
  isListed(model: string): boolean
}
