import type { ChannelEvent } from './events.ts'
import { isSpent } from './balance.ts'
import { afterChange, afterFailure, afterLook } from './recovery.ts'
import type { ChannelState, LiveChannel, Recovery } from './state.ts'
import { isLive } from './state.ts'

/** The channel after an event. Total: an event of a channel that is gone changes nothing. */
export function evolveChannel(state: ChannelState, event: ChannelEvent): ChannelState {
  if (event.type === 'ChannelAdded') {
    const { at, ...terms } = event.data
    const fresh = { test: null, balance: null, recovery: null }
    return { status: 'enabled', terms, reason: '', statusAt: at, ...fresh }
  }
  return isLive(state) ? evolveLive(state, event) : state
}

function evolveLive(
  channel: LiveChannel,
  event: Exclude<ChannelEvent, { readonly type: 'ChannelAdded' }>,
): ChannelState {
  switch (event.type) {
    case 'ChannelRevised': {
      const { at, ...terms } = event.data
      return { ...withAnotherChance(channel, at), terms }
    }
    case 'ChannelKeyReplaced':
      return withAnotherChance(channel, event.data.at)
    case 'ChannelEnabled':
      return status(channel, 'enabled', { at: event.data.at, reason: '' })
    case 'ChannelDisabled':
      return status(channel, 'disabled', event.data)
    case 'ChannelAutoDisabled':
    case 'ChannelTrialFailed': {
      const recovery = afterFailure(channel.recovery, event.data.at)
      return status(channel, 'auto-disabled', event.data, recovery)
    }
    case 'ChannelHalfOpened':
      return status(channel, 'half-open', event.data, channel.recovery)
    case 'ChannelAutoEnabled':
      return status(channel, 'enabled', event.data)
    case 'ChannelTested': {
      const { at, succeeded, durationMs } = event.data
      const after = succeeded ? afterLook : afterFailure
      return { ...looked(channel, at, after), test: { at, succeeded, durationMs } }
    }
    case 'ChannelBalanceRead': {
      const { at, balanceUsd: usd } = event.data
      const balance = { at, usd }
      return isSpent(usd)
        ? { ...looked(channel, at, afterFailure), balance }
        : { ...channel, balance }
    }
    case 'ChannelDeleted':
      return { status: 'deleted' }
    default:
      return event satisfies never
  }
}

const status = (
  channel: LiveChannel,
  status: LiveChannel['status'],
  { at, reason }: { readonly at: number; readonly reason: string },
  recovery: Recovery | null = null,
): LiveChannel => ({ ...channel, status, reason, statusAt: at, recovery })

/** A channel that is out of service and was looked at: it waits for its next test. */
const looked = (
  channel: LiveChannel,
  at: number,
  after: (before: Recovery | null, at: number) => Recovery,
): LiveChannel =>
  channel.status === 'auto-disabled'
    ? { ...channel, recovery: after(channel.recovery, at) }
    : channel

/** A channel that is out of service and was changed: it is worth a test at once. */
const withAnotherChance = (channel: LiveChannel, at: number): LiveChannel =>
  looked(channel, at, () => afterChange(at))
