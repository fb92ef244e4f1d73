import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { numberOfStream, type RecordedEvent } from '@tollgate/domain/event.ts'
import { type UserId, userId } from '@tollgate/domain/ids.ts'
import type { Runtime } from '../core/simulated-runtime.ts'
import type { Auditor } from './auditor.ts'

interface Limit {
  remain: number
  isUnlimited: boolean
}

/**
 * The quota that tokens may still spend, added up from the events without the domain's help, and held against its
 * state.
 */
export function makeTokenLimits({ violate }: Runtime, { accounts }: Auditor) {
  const limits = new Map<string, Limit>()

  function apply(account: UserId, event: AccountEvent): void {
    const nameOf = (token: number | null): string => `${account}/${token ?? ''}`
    if (event.type === 'TokenIssued') {
      const { token, remain, unlimited } = event.data
      limits.set(nameOf(token), { remain, isUnlimited: unlimited })
    }
    const token = 'token' in event.data ? event.data.token : null
    const limit = limits.get(nameOf(token))
    if (limit === undefined) return
    if (event.type === 'TokenDeleted') limits.delete(nameOf(token))
    if (event.type === 'TokenRevised') {
      limit.remain += event.data.remainChange
      limit.isUnlimited = event.data.unlimited
    }
    if (limit.isUnlimited) return
    if (event.type === 'UsageCharged') limit.remain -= event.data.amount
    if (event.type === 'UsageRefunded') limit.remain += event.data.amount
  }

  return {
    /** The log was put back to these events. */
    putBack(kept: readonly RecordedEvent[]): void {
      limits.clear()
      for (const event of kept) {
        if (!event.stream.startsWith('account-')) continue
        apply(userId(numberOfStream(event.stream)), event as RecordedEvent & AccountEvent)
      }
    },
    /** To be told of every event after the auditor. */
    see(recorded: RecordedEvent): void {
      const account = userId(numberOfStream(recorded.stream))
      apply(account, recorded as RecordedEvent & AccountEvent)
      for (const [id, token] of accounts.get(account)?.state.tokens ?? []) {
        const limit = limits.get(`${account}/${id}`)
        if (limit !== undefined && limit.remain === token.remain) continue
        violate('token-limit-differs', `${recorded.type}: ${limit?.remain}, not ${token.remain}`)
      }
    },
  }
}
