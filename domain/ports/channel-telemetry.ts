import type { ChannelBalanceRead, ChannelTested } from '../channel/events.ts'

/**
 * Keeps tests of channels and readings of their balances that change nothing about a channel, which are no events
 * (decision 31).
 */
export interface ChannelTelemetry {
  /** Resolves when lists of channels and the usage log show the test. */
  recordTest(test: TestOfChannel): Promise<void>
  recordBalance(channel: number, reading: ChannelBalanceRead['data']): Promise<void>
}

export interface TestOfChannel {
  /** A UUID; recording it again changes nothing. */
  readonly id: string
  readonly channel: number
  readonly test: ChannelTested['data']
  /** Whether the usage log has a row of it: consumption is logged, and the test succeeded. */
  readonly isLogged: boolean
}
