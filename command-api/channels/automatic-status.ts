import { isBanWorthy } from '@tollgate/domain/channel/ban.ts'
import type { CommandCause } from '../ledger/cause.ts'
import type { LiveOptions } from '../options/live-options.ts'
import {
  type ChannelOutcome,
  type ChannelWriterDeps,
  executeOnChannel,
  loadChannel,
} from './channel-writer.ts'

/** What upstream said of a channel's key or account when a request failed. */
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

/**
 * Takes a channel out of service when what a relay reports says that its key or account is of no use, the switch is on
 * and the channel allows it (decision 14; relay-and-billing 3.3). Null when nothing had to be done.
 */
export async function considerFailure(
  deps: AutomaticStatusDeps,
  report: ChannelFailureReport,
): Promise<ChannelOutcome | null> {
  const options = deps.options.current()
  if (!options.flag('AutomaticDisableChannelEnabled')) return null
  const channel = await loadChannel(deps, report.channel)
  if (channel === null || channel.status !== 'enabled') return null
  const failure = {
    channelType: channel.terms.type,
    status: report.upstreamStatus,
    code: report.errorCode,
    type: report.errorType,
    message: report.message,
  }
  if (!isBanWorthy(failure, options.lines('AutomaticDisableKeywords'))) return null
  return autoDisable(deps, report.channel, {
    reason: report.message,
    upstreamStatus: report.upstreamStatus,
    bodyExcerpt: report.bodyExcerpt,
  })
}

/** Takes a channel out of service unless the switch is off or the channel is exempt. */
export const autoDisable = (
  deps: AutomaticStatusDeps,
  id: number,
  why: {
    readonly reason: string
    readonly upstreamStatus: number | null
    readonly bodyExcerpt: string
  },
): Promise<ChannelOutcome> =>
  executeOnChannel(
    deps,
    id,
    {
      type: 'AutoDisableChannel',
      isSwitchedOn: deps.options.current().flag('AutomaticDisableChannelEnabled'),
      ...why,
    },
    SYSTEM,
  )

/** Brings a channel back that was taken out of service automatically, unless the switch is off. */
export const autoEnable = (
  deps: AutomaticStatusDeps,
  id: number,
  reason: string,
): Promise<ChannelOutcome> =>
  executeOnChannel(
    deps,
    id,
    {
      type: 'AutoEnableChannel',
      isSwitchedOn: deps.options.current().flag('AutomaticEnableChannelEnabled'),
      reason,
    },
    SYSTEM,
  )
