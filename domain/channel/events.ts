import type { DomainEvent } from '../event.ts'

/** Everything that can happen to an upstream channel; stream `channel-<id>`. Name, key and proxy live in `secrets.channels`. */
export type ChannelEvent =
  | ChannelAdded
  | ChannelRevised
  | ChannelKeyReplaced
  | ChannelEnabled
  | ChannelDisabled
  | ChannelAutoDisabled
  | ChannelHalfOpened
  | ChannelTrialFailed
  | ChannelAutoEnabled
  | ChannelTested
  | ChannelBalanceRead
  | ChannelDeleted

/** The terms that an admin sets on a channel. */
export interface ChannelTerms {
  /** Channel type 1-49. */
  readonly type: number
  readonly openaiOrganization: string
  readonly testModel: string
  /** '' = the type's own. */
  readonly baseUrl: string
  /** Type-specific: API version, region, plugin. */
  readonly other: string
  readonly models: readonly string[]
  readonly groups: readonly string[]
  /** JSON object text, '' = none. */
  readonly modelMapping: string
  readonly statusCodeMapping: string
  readonly paramOverride: string
  /** JSON object text without its proxy, which is a secret. */
  readonly setting: string
  readonly priority: number
  readonly weight: number
  readonly autoBan: boolean
  /** '' = none. */
  readonly tag: string
  /** As other gateways keep it beside a channel; nothing here acts on it. 0 = not set. */
  readonly maxInputTokens: number
}

export type ChannelAdded = DomainEvent<'ChannelAdded', At & ChannelTerms>
/** All terms as they now stand. */
export type ChannelRevised = DomainEvent<'ChannelRevised', At & ChannelTerms>
export type ChannelKeyReplaced = DomainEvent<'ChannelKeyReplaced', At>
export type ChannelEnabled = DomainEvent<'ChannelEnabled', At>
export type ChannelDisabled = DomainEvent<'ChannelDisabled', At & { readonly reason: string }>
export type ChannelAutoDisabled = DomainEvent<'ChannelAutoDisabled', At & WhatUpstreamSaid>
/**
 * The channel is of some use again: one request at a time is sent through it, until one shows whether it works
 * (decision 14).
 */
export type ChannelHalfOpened = DomainEvent<'ChannelHalfOpened', At & { readonly reason: string }>
/** The request that a half-open channel was tried with failed: out of service again, for longer. */
export type ChannelTrialFailed = DomainEvent<'ChannelTrialFailed', At & WhatUpstreamSaid>
export type ChannelAutoEnabled = DomainEvent<'ChannelAutoEnabled', At & { readonly reason: string }>
/** A test that changed how the channel comes back; before decision 31 was changed, every test. */
export type ChannelTested = DomainEvent<
  'ChannelTested',
  At & {
    readonly model: string
    readonly succeeded: boolean
    readonly durationMs: number
    /** '' on success. */
    readonly error: string
    /** Tokens of the probe, for its log row of quota 0; null when none were reported. */
    readonly promptTokens: number | null
    readonly completionTokens: number | null
    /** The user who asked; null for a scheduled run. */
    readonly testedBy: number | null
  }
>
/** Balance as upstream reports it, in US dollars; one that changed nothing about the channel is an event only in old logs. */
export type ChannelBalanceRead = DomainEvent<
  'ChannelBalanceRead',
  At & { readonly balanceUsd: string }
>
export type ChannelDeleted = DomainEvent<'ChannelDeleted', At>

interface At {
  readonly at: number
}

interface WhatUpstreamSaid {
  readonly reason: string
  /** The status of upstream's answer; null when there was none. */
  readonly upstreamStatus: number | null
  /** At most 500 characters, credentials masked. */
  readonly bodyExcerpt: string
}
