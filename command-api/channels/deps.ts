import type { LiveChannel } from '@tollgate/domain/channel/state.ts'
import type { ChannelProbe, Reach } from '@tollgate/domain/ports/channel-probe.ts'
import type { ChannelTelemetry } from '@tollgate/domain/ports/channel-telemetry.ts'
import type { ClaimWork } from '@tollgate/domain/ports/leases.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import type { LiveOptions } from '../options/live-options.ts'
import type { ChannelWriterDeps } from './channel-writer.ts'

/** The dependencies of the channel routes. */
export interface ChannelRouteDeps extends ChannelCareDeps {
  readonly probe: ChannelProbe
}

/** Where channels may lead. */
export interface ChannelReachDeps {
  /**
   * Why a channel may not lead to a base URL or through a proxy: it is link-local or a metadata service, which is never
   * allowed, or inside (option fetch_setting.allow_private_channel_addresses, and reach `public`). Null when it may.
   */
  readonly addressProblem: (address: string, reach: Reach) => Promise<'metadata' | 'private' | null>
  /** The base URL that a channel type stands for; '' = none. */
  readonly defaultBaseUrl: (type: number) => string
}

/** The dependencies of the work that looks after all channels. */
export interface ChannelCareDeps extends ChannelWriterDeps, ChannelReachDeps {
  readonly options: Pick<LiveOptions, 'current'>
  readonly probe: Pick<ChannelProbe, 'test' | 'readBalance'>
  readonly telemetry: ChannelTelemetry
  readonly channelList: ChannelList
  /** Milliseconds between two channels of a bulk test or balance refresh. */
  readonly bulkPauseMs: number
  readonly claimWork: ClaimWork
  /** Called when a requested test of all channels has come to its end. */
  readonly onAllTested: (cause: CommandCause) => Promise<void>
  /** Aborts when the process stops: requests to upstream are given up. */
  readonly ending: AbortSignal
  /** Gets failures of background work. */
  readonly log: { warn(facts: object, message: string): void }
}

/** Which channels there are, by the read model; every change is decided on the channel's own stream. */
export interface ChannelList {
  /** All of them, by id. */
  all(): Promise<readonly ListedChannel[]>
  /** Those out of service automatically whose next test is due at this moment (unix milliseconds), longest due first. */
  dueForTest(now: number): Promise<readonly number[]>
  /** Quota that requests through this channel have been charged so far. */
  usedQuota(id: number): Promise<number>
}

export interface ListedChannel {
  readonly id: number
  readonly status: LiveChannel['status']
  readonly tag: string
}
