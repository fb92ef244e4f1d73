import type { LiveChannel } from '@tollgate/domain/channel/state.ts'
import type { ChannelProbe } from '@tollgate/domain/ports/channel-probe.ts'
import type { LiveOptions } from '../options/live-options.ts'
import type { ChannelWriterDeps } from './channel-writer.ts'

/** What the channel routes stand on. */
export interface ChannelRouteDeps extends ChannelWriterDeps {
  readonly options: LiveOptions
  readonly probe: ChannelProbe
  readonly channelList: ChannelList
  /** Milliseconds between two channels of a bulk test or balance refresh. */
  readonly bulkPauseMs: number
  /** Told of what went wrong in the background. */
  readonly log: { warn(facts: object, message: string): void }
}

/** Which channels there are, by the read model; every change is decided on the channel's own stream. */
export interface ChannelList {
  /** All of them, by id. */
  all(): Promise<readonly ListedChannel[]>
  /** What requests through this channel have been charged so far. */
  usedQuota(id: number): Promise<number>
  /** Rows of group × model that route requests; they follow from the channels' events and need no repair. */
  countAbilities(): Promise<number>
}

export interface ListedChannel {
  readonly id: number
  readonly status: LiveChannel['status']
  readonly tag: string
}
