import type { ChannelTerms } from './events.ts'

/** A channel as its events leave it. */
export type ChannelState = NoChannel | LiveChannel

export interface NoChannel {
  /** Never added, or deleted for good. */
  readonly status: 'unknown' | 'deleted'
}

export interface LiveChannel {
  /** `half-open`: taken out of service automatically, and being tried with one request at a time. */
  readonly status: 'enabled' | 'disabled' | 'auto-disabled' | 'half-open'
  readonly terms: ChannelTerms
  /** The reason for the status; '' when none was given. */
  readonly reason: string
  /** Since when, unix milliseconds. */
  readonly statusAt: number
  /** The recovery of a channel that was taken out of service automatically; null for any other. */
  readonly recovery: Recovery | null
  /** The last test that an event tells of; null before the first. Others are telemetry. */
  readonly test: ChannelTest | null
  /** US dollars as upstream reported them, decimal text, by the last event; null before the first. Others are telemetry. */
  readonly balance: { readonly at: number; readonly usd: string } | null
}

/** How a channel comes back into service. */
export interface Recovery {
  /** Failures in a row, the one that took it out of service included; 0 once it was changed since. */
  readonly failures: number
  /** When it is worth another test, unix milliseconds. */
  readonly retryAt: number
}

export interface ChannelTest {
  readonly at: number
  readonly succeeded: boolean
  readonly durationMs: number
}

export const NO_CHANNEL: NoChannel = { status: 'unknown' }

export const isLive = (state: ChannelState): state is LiveChannel =>
  state.status !== 'unknown' && state.status !== 'deleted'
