import { type Position, topUpStream, type WrittenEvent } from '@tollgate/domain/event.ts'
import type { TradeNo } from '@tollgate/domain/ids.ts'
import { topUpDecider } from '@tollgate/domain/top-up/decider.ts'
import type { TopUpPaid } from '@tollgate/domain/top-up/events.ts'
import { paymentReason } from '@tollgate/domain/top-up/payment.ts'
import type { AccountLedger } from '../accounts/account-ledger.ts'
import { type AggregateWriter, executeOn } from '../aggregates/aggregate.ts'
import { creditOnce } from './credit-once.ts'
import type { EventTriggeredWorkflow } from './manager/workflow.ts'

/** Credits paid orders; the notification's route takes the same step at once. */
export const topUpCredit = (ledger: Pick<AccountLedger, 'execute'>): EventTriggeredWorkflow => ({
  from: 'event',
  kind: 'top-up',
  streamPrefixes: ['topup-'],
  eventTypes: ['TopUpPaid'],
  isDecidedBy: () => true,
  steps: (event) => [{ name: 'credit the account', act: () => creditTopUp(ledger, event) }],
})

/** Credits the paid amount, once; answers the position of the credit. */
export function creditTopUp(
  ledger: Pick<AccountLedger, 'execute'>,
  decision: WrittenEvent,
): Promise<Position> {
  const { user, quota, money } = (decision as WrittenEvent & TopUpPaid).data
  const order = decision.stream.slice(topUpStream('').length) as TradeNo
  const reason = paymentReason({ order, money })
  return creditOnce(ledger, decision, { user, amount: quota, source: 'top-up', reason })
}

/** An order that is not paid for a day is given up; a payment that comes later is credited all the same. */
export const ORDER_LIFE_MS = 86_400_000

/** Gives up orders that are too old, each by an event of its own. */
export async function abandonOrders(
  deps: AggregateWriter & {
    /** Pending orders that were made before a moment (unix milliseconds), oldest first. */
    readonly pendingSince: (before: number) => Promise<readonly string[]>
  },
): Promise<void> {
  for (const order of await deps.pendingSince(deps.clock.now() - ORDER_LIFE_MS)) {
    await executeOn(
      deps,
      { stream: topUpStream(order), decider: topUpDecider, command: { type: 'AbandonTopUp' } },
      { actor: 'system', correlationId: 'abandon-orders', causationId: null },
    )
  }
}
