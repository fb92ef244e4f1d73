import {
  type Decider,
  type Decision,
  type DecisionContext,
  decided,
  rejected,
} from '../decision.ts'
import { compare, parseRatio } from '../pricing/ratio.ts'
import type { TopUpEvent, TopUpTerms } from './events.ts'

/** An order as its events leave it. */
export type TopUpState =
  | { readonly status: 'unknown' }
  | {
      readonly status: 'pending' | 'paid' | 'abandoned'
      readonly terms: TopUpTerms
      /** The gateway's numbers of its payments, in order; the first is the one that is credited. */
      readonly payments: readonly string[]
    }

export type TopUpCommand =
  | { readonly type: 'RequestTopUp'; readonly terms: TopUpTerms }
  /** The gateway's report of a payment: its own number, and the money as decimal text. */
  | {
      readonly type: 'PayTopUp'
      readonly money: string
      readonly gatewayTradeNo: string
    }
  | { readonly type: 'AbandonTopUp' }

export interface TopUpRejection {
  readonly reason: 'order-exists' | 'order-unknown' | 'money-differs' | 'too-many-payments'
}

type TopUpDecision = Decision<TopUpEvent, TopUpRejection>

/** Payments of one order that are noted; more are the gateway's mistake, and stay with it. */
const PAYMENTS_MAX = 100

const NO_ORDER: TopUpState = { status: 'unknown' }

/** Decides a stream `topup-<tradeNo>`. */
export const topUpDecider: Decider<TopUpState, TopUpCommand, TopUpEvent, TopUpRejection> = {
  initial: NO_ORDER,
  decide: decideTopUp,
  evolve: evolveTopUp,
}

export function decideTopUp(
  state: TopUpState,
  command: TopUpCommand,
  { at }: DecisionContext,
): TopUpDecision {
  if (command.type === 'RequestTopUp') {
    if (state.status !== 'unknown') return rejected({ reason: 'order-exists' })
    return decided({ type: 'TopUpRequested', data: { at, ...command.terms } })
  }
  if (state.status === 'unknown') return rejected({ reason: 'order-unknown' })
  switch (command.type) {
    case 'PayTopUp': {
      const { user, quota, money } = state.terms
      if (!isSameMoney(money, command.money)) return rejected({ reason: 'money-differs' })
      const { gatewayTradeNo } = command
      // Gateways repeat themselves until they are believed.
      if (state.payments.includes(gatewayTradeNo)) return decided()
      if (state.payments.length >= PAYMENTS_MAX) return rejected({ reason: 'too-many-payments' })
      if (state.status === 'paid') {
        return decided({ type: 'TopUpPaidAgain', data: { at, user, money, gatewayTradeNo } })
      }
      return decided({ type: 'TopUpPaid', data: { at, user, quota, money, gatewayTradeNo } })
    }
    case 'AbandonTopUp':
      if (state.status !== 'pending') return decided()
      return decided({ type: 'TopUpAbandoned', data: { at } })
    default:
      return command satisfies never
  }
}

/** The order after an event. Total: an event of an order that was never made changes nothing. */
export function evolveTopUp(state: TopUpState, event: TopUpEvent): TopUpState {
  if (event.type === 'TopUpRequested') {
    const { at: _at, ...terms } = event.data
    return { status: 'pending', terms, payments: [] }
  }
  if (state.status === 'unknown') return state
  switch (event.type) {
    case 'TopUpPaid':
      return { ...state, status: 'paid', payments: [event.data.gatewayTradeNo] }
    case 'TopUpPaidAgain':
      return { ...state, payments: [...state.payments, event.data.gatewayTradeNo] }
    case 'TopUpAbandoned':
      return { ...state, status: 'abandoned' }
    default:
      return event satisfies never
  }
}

/** `7.3` and `7.30` are the same money. */
function isSameMoney(ordered: string, paid: string): boolean {
  const [a, b] = [parseRatio(ordered), parseRatio(paid)]
  return a !== null && b !== null && compare(a, b) === 0
}
