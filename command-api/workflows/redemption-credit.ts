import type { Position, WrittenEvent } from '@tollgate/domain/event.ts'
import { numberOfStream, redemptionStream } from '@tollgate/domain/event.ts'
import { type RedemptionId, redemptionId } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { redemptionDecider } from '@tollgate/domain/redemption/decider.ts'
import type { CodeRedeemed } from '@tollgate/domain/redemption/events.ts'
import { isLiveCode } from '@tollgate/domain/redemption/state.ts'
import type { AccountLedger } from '../accounts/account-ledger.ts'
import { loadAggregate } from '../aggregates/aggregate.ts'
import { creditOnce } from './credit-once.ts'
import type { Workflow } from './manager/workflow.ts'
import { orphanRecovery } from './orphan-recovery.ts'
import type { RedemptionSecrets } from '../secrets/redemption-secrets.ts'

export interface RedemptionWorkflowDeps {
  readonly store: EventStore
  readonly secrets: RedemptionSecrets
  readonly ledger: Pick<AccountLedger, 'execute'>
}

const STREAMS = ['redemption-']

/** The consequences of the events and rows of redemption codes: the credit, forgetting a code, removing an orphan. */
export const redemptionWorkflows = (
  deps: RedemptionWorkflowDeps,
  orphanAgeSeconds?: number,
): readonly Workflow[] => [
  {
    from: 'event',
    kind: 'redemption',
    streamPrefixes: STREAMS,
    eventTypes: ['CodeRedeemed'],
    isDecidedBy: () => true,
    steps: (event) => [
      { name: 'credit the account', act: () => creditRedemption(deps.ledger, event) },
    ],
  },
  {
    from: 'event',
    kind: 'code-deletion',
    streamPrefixes: STREAMS,
    eventTypes: ['CodeDeleted'],
    isDecidedBy: () => true,
    steps: (event) => [
      { name: 'forget the code', act: () => deps.secrets.erase(codeOf(event.stream)) },
    ],
  },
  orphanRecovery({
    kind: 'redemption-row',
    table: 'secrets.redemptions',
    rows: deps.secrets,
    isLive: async (id) => {
      const stream = redemptionStream(redemptionId(id))
      return isLiveCode((await loadAggregate(deps.store, stream, redemptionDecider)).state)
    },
    ageSeconds: orphanAgeSeconds,
  }),
]

/** Credits the worth of a redeemed code to the user who redeemed it, once; answers the position of the credit. */
export function creditRedemption(
  ledger: Pick<AccountLedger, 'execute'>,
  decision: WrittenEvent,
): Promise<Position> {
  const { user, quota } = (decision as WrittenEvent & CodeRedeemed).data
  const reason = String(codeOf(decision.stream))
  return creditOnce(ledger, decision, { user, amount: quota, source: 'redemption', reason })
}

const codeOf = (stream: string): RedemptionId => redemptionId(numberOfStream(stream))
