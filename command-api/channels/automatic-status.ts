import { isBanWorthy } from '@tollgate/domain/channel/ban.ts'
import { LRUCache } from 'lru-cache'
import type { CommandCause } from '../aggregates/cause.ts'
import type { LiveOptions } from '../options/live-options.ts'
import {
  type ChannelOutcome,
  type ChannelWriterDeps,
  executeOnChannel,
  loadChannel,
} from './channel-writer.ts'

/** The statement of upstream about a channel's key or account when a request failed. */
export interface ChannelFailureReport {
  readonly channel: number
  /** Null when there was no answer. */
  readonly upstreamStatus: number | null
  readonly errorType: string
  readonly errorCode: string
  /** Masked of credentials, as is the excerpt. */
  readonly message: string
  readonly bodyExcerpt: string
}

export interface AutomaticStatusDeps extends ChannelWriterDeps {
  readonly options: Pick<LiveOptions, 'current'>
}

const SYSTEM: CommandCause = { actor: 'system', correlationId: 'automatic', causationId: null }

/** Takes in one report; null when nothing had to be done. */
export type ConsiderFailure = (report: ChannelFailureReport) => Promise<ChannelOutcome | null>

/**
 * Takes a channel out of service when a relay's report says that its key or account is of no use, the switch is on and
 * the channel allows it (decision 14; relay-and-billing 3.3). An outage reports every failed attempt. A channel's state
 * is therefore remembered for a few seconds, and its stream read once for all reports of that time.
 */
export function failureWatch(deps: AutomaticStatusDeps): ConsiderFailure {
  const knownByChannel = new LRUCache<number, KnownChannel>({ max: KNOWN_CHANNELS_MAX })
  const look = (channel: number): KnownChannel => {
    const now = deps.clock.monotonicMs()
    const known = knownByChannel.get(channel)
    if (known !== undefined && now - known.at < KNOWN_MS) return known
    const looked = { at: now, typeIfInService: typeIfInService(deps, channel) }
    knownByChannel.set(channel, looked)
    return looked
  }
  return async (report) => {
    const options = deps.options.current()
    if (!options.flag('AutomaticDisableChannelEnabled')) return null
    const known = look(report.channel)
    try {
      const channelType = await known.typeIfInService
      if (channelType === null) return null
      const { upstreamStatus, bodyExcerpt, message } = report
      const failure = {
        channelType,
        status: upstreamStatus,
        code: report.errorCode,
        type: report.errorType,
        message,
      }
      if (!isBanWorthy(failure, options.lines('AutomaticDisableKeywords'))) return null
      // Another report of the same moment is disabling the channel already.
      if (knownByChannel.get(report.channel) !== known) return null
      knownByChannel.set(report.channel, { at: known.at, typeIfInService: Promise.resolve(null) })
      return await autoDisable(deps, report.channel, {
        reason: message,
        upstreamStatus,
        bodyExcerpt,
      })
    } catch (error) {
      // A failed read or write is tried again with the next report.
      knownByChannel.delete(report.channel)
      throw error
    }
  }
}

interface KnownChannel {
  /** Monotonic milliseconds. */
  readonly at: number
  /** Null for a channel that cannot be taken out of service automatically: it is gone, off or exempt. */
  readonly typeIfInService: Promise<number | null>
}

/** A channel that was switched on again is watched again after this long. */
const KNOWN_MS = 5_000
/** More channels than any installation has; those without reports for longest are forgotten. */
const KNOWN_CHANNELS_MAX = 10_000

async function typeIfInService(deps: AutomaticStatusDeps, id: number): Promise<number | null> {
  const channel = await loadChannel(deps, id)
  return channel?.status === 'enabled' && channel.terms.autoBan ? channel.terms.type : null
}

/** The part of the reason to take a channel out of service that is kept, masked of credentials. */
export interface OutageReason {
  readonly reason: string
  /** Null when upstream did not answer. */
  readonly upstreamStatus: number | null
  readonly bodyExcerpt: string
}

/** Takes a channel out of service unless the switch is off or the channel is exempt. */
export const autoDisable = (
  deps: AutomaticStatusDeps,
  id: number,
  why: OutageReason,
): Promise<ChannelOutcome> =>
  executeOnChannel(
    deps,
    {
      id,
      command: {
        type: 'AutoDisableChannel',
        isSwitchedOn: deps.options.current().flag('AutomaticDisableChannelEnabled'),
        ...why,
      },
    },
    SYSTEM,
  )

/** Lets one request at a time through a channel that was taken out of service automatically, unless the switch is off. */
export const halfOpen = (
  deps: AutomaticStatusDeps,
  id: number,
  reason: string,
): Promise<ChannelOutcome> =>
  executeOnChannel(
    deps,
    {
      id,
      command: {
        type: 'HalfOpenChannel',
        isSwitchedOn: deps.options.current().flag('AutomaticEnableChannelEnabled'),
        reason,
      },
    },
    SYSTEM,
  )

/** How a half-open channel did with the request that it was tried with. */
export type TrialConclusion =
  | { readonly succeeded: true }
  | ({ readonly succeeded: false } & OutageReason)

/** Brings a half-open channel back into service, or takes it out again for longer. */
export const concludeTrial = (
  deps: ChannelWriterDeps,
  id: number,
  conclusion: TrialConclusion,
): Promise<ChannelOutcome> =>
  executeOnChannel(deps, { id, command: { type: 'ConcludeTrial', ...conclusion } }, SYSTEM)
