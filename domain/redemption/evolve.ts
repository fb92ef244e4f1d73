import type { RedemptionEvent } from './events.ts'
import { isLiveCode, type RedemptionState } from './state.ts'

/** The code after an event. Total: an event of a code that is gone changes nothing. */
export function evolveRedemption(state: RedemptionState, event: RedemptionEvent): RedemptionState {
  if (event.type === 'CodeIssued') {
    const { quota, creator, at } = event.data
    return { status: 'unused', quota, creator, issuedAt: at, use: null }
  }
  if (!isLiveCode(state)) return state
  switch (event.type) {
    case 'CodeRevised':
      return { ...state, quota: event.data.quota }
    case 'CodeDisabled':
      return { ...state, status: 'disabled' }
    case 'CodeEnabled':
      return { ...state, status: 'unused' }
    case 'CodeRedeemed': {
      const { user, at } = event.data
      return { ...state, status: 'used', use: { user, at } }
    }
    case 'CodeDeleted':
      return { status: 'deleted' }
    default:
      return event satisfies never
  }
}
