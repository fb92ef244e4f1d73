import type { CreditSource } from '@tollgate/domain/account/events.ts'
import type { Position, WrittenEvent } from '@tollgate/domain/event.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import type { Quota } from '@tollgate/domain/quota.ts'
import type { AccountLedger } from '../accounts/account-ledger.ts'
import { StepRejected } from './manager/step-rejected.ts'

export interface DecidedCredit {
  readonly user: UserId
  readonly amount: Quota
  readonly source: CreditSource
  /** The origin of the credit: code, order. */
  readonly reason: string
}

/**
 * Credits the quota that an event on another stream has decided, once, however often it is called: the event is the
 * credit's cause. Answers the position of the credit, or of a later event. Fails with StepRejected.
 */
export async function creditOnce(
  ledger: Pick<AccountLedger, 'execute'>,
  decision: WrittenEvent,
  { user, ...credit }: DecidedCredit,
): Promise<Position> {
  const { actor, correlationId } = decision.metadata
  const outcome = await ledger.execute(
    user,
    { type: 'CreditQuota', ...credit },
    { actor, correlationId, causationId: decision.id },
    { deduplicateFrom: { eventType: 'QuotaCredited', position: decision.position } },
  )
  if (outcome.status === 'rejected') throw new StepRejected(outcome.rejection.reason)
  return outcome.position
}
