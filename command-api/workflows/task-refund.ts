import type { AccountRejection } from '@tollgate/domain/account/rejections.ts'
import { numberOfStream, type RecordedEvent, taskStream } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { taskDecider } from '@tollgate/domain/task/decider.ts'
import { refundReason } from '@tollgate/domain/task/refund.ts'
import { isSubmitted } from '@tollgate/domain/task/state.ts'
import type { Ledger } from '../accounts/account-ledger.ts'
import { loadAggregate } from '../aggregates/aggregate.ts'
import type { EventTriggeredWorkflow } from './manager/workflow.ts'
import { findCharge } from '../tasks/find-charge.ts'

export interface RefundDeps {
  readonly store: EventStore
  readonly ledger: Pick<Ledger, 'execute'>
}

/**
 * Gives the charge of a failed task back, once and in full, to account, token and channel alike (decision 7). A task
 * that was never charged gets nothing; a refund whose charge is still on its way waits for it.
 */
export const taskRefund = (deps: RefundDeps): EventTriggeredWorkflow => ({
  from: 'event',
  kind: 'task-refund',
  streamPrefixes: ['task-'],
  eventTypes: ['TaskFailed'],
  isDecidedBy: () => true,
  steps: (failure) => [{ name: 'refund the charge', act: () => refund(deps, failure) }],
})

async function refund({ store, ledger }: RefundDeps, failure: RecordedEvent): Promise<void> {
  const stream = taskStream(numberOfStream(failure.stream))
  const { state } = await loadAggregate(store, stream, taskDecider)
  if (!isSubmitted(state) || state.submission.charge === null) return
  const { platform, upstreamId, charge, user } = state.submission
  const found = await findCharge(store, charge)
  if (found === null) throw new RefundWaits('charge-unknown')
  const { charged, isRefunded } = found
  const failed = { platform, task: upstreamId }
  const outcome = await ledger.execute(
    user,
    {
      type: 'RefundUsage',
      request: charge.request,
      token: charged.token,
      channel: charged.request.channel,
      reason: refundReason(failed),
      failed,
      charged: charged.amount,
      refundedBefore: isRefunded,
    },
    { actor: 'system', correlationId: charge.request, causationId: failure.id },
    { deduplicateFrom: { eventType: 'UsageRefunded', position: failure.position } },
  )
  if (outcome.status === 'rejected') throw new RefundWaits(outcome.rejection.reason)
}

/** The account cannot refund yet; tried again until it can. */
class RefundWaits extends Error {
  readonly code = 'REFUND_WAITS'
  readonly retryable = true
  constructor(reason: AccountRejection['reason']) {
    super(`the refund of a failed task waits: ${reason}`)
    this.name = 'RefundWaits'
  }
}
