import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import type { AccountContext } from '@tollgate/domain/account/decider.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { evolve } from '@tollgate/domain/account/evolve.ts'
import { exampleUsage } from './example-usage.ts'
import { type AccountState, unopenedAccount } from '@tollgate/domain/account/state.ts'
import { holdId, relayId, tokenId, userId } from '@tollgate/domain/ids.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { exampleTimelines } from './example-timelines.ts'

/** Events and commands of one small account, for tests of its decider. */
export const account = userId(7)
export const relay = relayId('relay-a')
export const token = tokenId(1)
export const hold = holdId(account, 3, null)
/** When commands are decided. */
export const at = 1_000
export const terms = {
  unlimited: false,
  expiresAt: null as number | null,
  group: '',
  models: null,
  allowedIps: [],
}
export const request = exampleUsage('r1')

export const opened: AccountEvent = { type: 'AccountOpened', data: { at: 1 } }
export const suspended: AccountEvent = { type: 'AccountSuspended', data: { at: 1 } }
export const credited = (amount: number): AccountEvent => ({
  type: 'QuotaCredited',
  data: { at: 1, amount: quota(amount), source: 'grant', reason: '' },
})
export const issued = (
  remain: number,
  more: Partial<typeof terms> = {},
  id = token,
): AccountEvent => ({
  type: 'TokenIssued',
  data: { at: 1, token: id, remain: quota(remain), ...terms, ...more },
})
export const held = (amount: number, id = hold): AccountEvent => ({
  type: 'QuotaHeld',
  data: { at: 1, hold: id, token, relay, nonce: id, amount: quota(amount) },
})
export const disabled: AccountEvent = { type: 'TokenDisabled', data: { at: 1, token } }
export const expired: AccountEvent = { type: 'TokenExpired', data: { at: 1, token } }
export const exhausted: AccountEvent = { type: 'TokenExhausted', data: { at: 1, token } }

/** Asks for a hold under a nonce that was not used before. */
export const place = (
  need: number,
  more: Partial<Extract<AccountCommand, { type: 'PlaceHold' }>> = {},
): AccountCommand => ({
  type: 'PlaceHold',
  token,
  relay,
  nonce: 'new',
  need: quota(need),
  want: quota(need),
  ...more,
})
export const extend = (number: number, need: number, id = hold): AccountCommand => ({
  type: 'ExtendHold',
  hold: id,
  number,
  need: quota(need),
  want: quota(need),
})
export const chargeOf = (
  amount: number,
  sequence = 1,
  chargedBefore: boolean | null = null,
): AccountCommand => ({
  type: 'ChargeUsage',
  endedAt: 0,
  hold,
  sequence,
  token,
  amount: quota(amount),
  request,
  chargedBefore,
})
/** Null: the stream has no charge of the request. */
export const refundOf = (charged: number | null, refundedBefore = false): AccountCommand => ({
  type: 'RefundUsage',
  request: request.id,
  token,
  channel: null,
  reason: 'failed',
  charged: charged === null ? null : quota(charged),
  refundedBefore,
})

export const stateAfter = (history: readonly AccountEvent[]): AccountState =>
  history.reduce(evolve, unopenedAccount())

export const contextAfter = (history: readonly AccountEvent[], now = at): AccountContext => ({
  account,
  at: now,
  nextRevision: history.length,
  timelines: exampleTimelines,
})
