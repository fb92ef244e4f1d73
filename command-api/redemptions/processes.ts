import type { Position, RecordedEvent } from '@tollgate/domain/event.ts'
import { numberOfStream, redemptionStream } from '@tollgate/domain/event.ts'
import { type RedemptionId, redemptionId } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { redemptionDecider } from '@tollgate/domain/redemption/decider.ts'
import type { CodeRedeemed } from '@tollgate/domain/redemption/events.ts'
import { isLiveCode } from '@tollgate/domain/redemption/state.ts'
import type { AccountLedger } from '../ledger/account-ledger.ts'
import { loadAggregate } from '../ledger/aggregate.ts'
import { creditOnce } from '../ledger/process-manager/credit-once.ts'
import type { ProcessKind } from '../ledger/process-manager/process-kind.ts'
import type { RedemptionSecrets } from '../secrets/redemption-secrets.ts'

export interface RedemptionProcessDeps {
  readonly store: EventStore
  readonly secrets: RedemptionSecrets
  readonly ledger: Pick<AccountLedger, 'execute'>
}

/** A row that was written ahead of its event this long ago is nobody's work any more. */
const GRACE_SECONDS = 60
/** Rows taken on by one search; the next finds the rest. */
const ROWS_AT_ONCE_MAX = 1_000
const STREAMS = ['redemption-']
const ROWS = 'secrets.redemptions/'

/** What follows from the events and rows of redemption codes: the credit, forgetting a code, finishing a row. */
export const redemptionProcesses = (
  deps: RedemptionProcessDeps,
  graceSeconds = GRACE_SECONDS,
): readonly ProcessKind[] => [
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
  {
    from: 'row',
    kind: 'redemption-row',
    find: async () => {
      const ids = await deps.secrets.pendingFor(graceSeconds, ROWS_AT_ONCE_MAX)
      return ids.map((id) => ROWS + id)
    },
    steps: (row) => [
      {
        name: 'confirm or forget the code',
        act: () => finishRow(deps, redemptionId(Number(row.slice(ROWS.length)))),
      },
    ],
  },
]

/** Credits what a redeemed code is worth to whoever redeemed it, once; answers the position of the credit. */
export function creditRedemption(
  ledger: Pick<AccountLedger, 'execute'>,
  decision: RecordedEvent,
): Promise<Position> {
  const { user, quota } = (decision as RecordedEvent & CodeRedeemed).data
  const reason = String(codeOf(decision.stream))
  return creditOnce(ledger, decision, { user, amount: quota, source: 'redemption', reason })
}

const codeOf = (stream: string): RedemptionId => redemptionId(numberOfStream(stream))

async function finishRow({ store, secrets }: RedemptionProcessDeps, id: RedemptionId) {
  if (!(await secrets.isPending(id))) return
  const { state } = await loadAggregate(store, redemptionStream(id), redemptionDecider)
  await (isLiveCode(state) ? secrets.confirm([id]) : secrets.erase(id))
}
