import type { ChannelTerms } from './events.ts'

/** A channel as its events leave it. */
export type ChannelState = NoChannel | LiveChannel

export interface NoChannel {
  /** Never added, or deleted for good. */
  readonly status: 'unknown' | 'deleted'
}

export interface LiveChannel {
  readonly status: 'enabled' | 'disabled' | 'auto-disabled'
  readonly terms: ChannelTerms
  /** Why the status is what it is; '' when nobody said. */
  readonly reason: string
  /** Since when, unix milliseconds. */
  readonly statusAt: number
  /** The last test; null before the first. */
  readonly test: ChannelTest | null
  /** US dollars as upstream reported them, decimal text; null before the first reading. */
  readonly balance: { readonly at: number; readonly usd: string } | null
}

export interface ChannelTest {
  readonly at: number
  readonly succeeded: boolean
  readonly durationMs: number
}

export const NO_CHANNEL: NoChannel = { status: 'unknown' }

export const isLive = (state: ChannelState): state is LiveChannel =>
  state.status !== 'unknown' && state.status !== 'deleted'
