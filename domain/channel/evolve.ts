import type { ChannelEvent } from './events.ts'
import type { ChannelState, LiveChannel } from './state.ts'
import { isLive } from './state.ts'

/** The channel after an event. Total: an event of a channel that is gone changes nothing. */
export function evolveChannel(state: ChannelState, event: ChannelEvent): ChannelState {
  if (event.type === 'ChannelAdded') {
    const { at, ...terms } = event.data
    return { status: 'enabled', terms, reason: '', statusAt: at, test: null, balance: null }
  }
  return isLive(state) ? evolveLive(state, event) : state
}

function evolveLive(
  channel: LiveChannel,
  event: Exclude<ChannelEvent, { readonly type: 'ChannelAdded' }>,
): ChannelState {
  switch (event.type) {
    case 'ChannelRevised': {
      const { at: _at, ...terms } = event.data
      return { ...channel, terms }
    }
    case 'ChannelKeyReplaced':
      return channel
    case 'ChannelEnabled':
      return { ...channel, status: 'enabled', reason: '', statusAt: event.data.at }
    case 'ChannelDisabled':
      return { ...channel, status: 'disabled', reason: event.data.reason, statusAt: event.data.at }
    case 'ChannelAutoDisabled':
      return {
        ...channel,
        status: 'auto-disabled',
        reason: event.data.reason,
        statusAt: event.data.at,
      }
    case 'ChannelAutoEnabled':
      return { ...channel, status: 'enabled', reason: event.data.reason, statusAt: event.data.at }
    case 'ChannelTested': {
      const { at, succeeded, durationMs } = event.data
      return { ...channel, test: { at, succeeded, durationMs } }
    }
    case 'ChannelBalanceRead':
      return { ...channel, balance: { at: event.data.at, usd: event.data.balanceUsd } }
    case 'ChannelDeleted':
      return { status: 'deleted' }
    default:
      return event satisfies never
  }
}
