import { QUOTA_MAX } from '@tollgate/domain/account/limits.ts'
import { type Position, redemptionStream } from '@tollgate/domain/event.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import type { Quota } from '@tollgate/domain/quota.ts'
import { redemptionDecider } from '@tollgate/domain/redemption/decider.ts'
import { isLiveCode } from '@tollgate/domain/redemption/state.ts'
import { accountRejectionMessage } from '../http/account-messages.ts'
import { codeRejectionMessage } from '../http/rejection-messages.ts'
import type { AccountLedger } from '../accounts/account-ledger.ts'
import { type AggregateWriter, executeOn, loadAggregate } from '../aggregates/aggregate.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import { creditRedemption } from '../workflows/redemption-credit.ts'
import type { RedemptionSecrets } from '../secrets/redemption-secrets.ts'

export interface RedeemDeps extends AggregateWriter {
  readonly ledger: Pick<AccountLedger, 'execute' | 'inspect'>
  readonly redemptions: Pick<RedemptionSecrets, 'findByCode'>
}

export type Redeemed =
  | { readonly status: 'credited'; readonly quota: Quota; readonly position: Position }
  /** The code is the user's; the workflow manager will credit it, as the account could not be reached. */
  | { readonly status: 'owed'; readonly cause: unknown }
  | { readonly status: 'refused'; readonly message: string }

/**
 * Redeems a code for a user: decided on the code's own stream, where one of many wins, then credited to the account by
 * the very step that the workflow manager takes when this process dies in between.
 */
export async function redeemCode(
  deps: RedeemDeps,
  user: UserId,
  code: string,
  cause: CommandCause,
): Promise<Redeemed> {
  const id = await deps.redemptions.findByCode(code)
  if (id === null) return UNKNOWN
  const stream = redemptionStream(id)
  const { state } = await loadAggregate(deps.store, stream, redemptionDecider)
  if (!isLiveCode(state)) return UNKNOWN
  if (state.status === 'unused') {
    const refusal = await creditProblem(deps, user, state.quota)
    if (refusal !== null) return refused(refusal)
  }
  const command = { type: 'RedeemCode', user } as const
  // Once: a request comes again when its process died before it could answer.
  const once = { isOnce: true }
  const outcome = await executeOn(
    deps,
    { stream, decider: redemptionDecider, command },
    cause,
    once,
  )
  if (outcome.status === 'rejected') {
    return outcome.rejection.reason === 'code-unknown'
      ? UNKNOWN
      : refused(codeRejectionMessage(outcome.rejection))
  }
  const decision = outcome.events.find((event) => event.type === 'CodeRedeemed')
  if (decision === undefined) throw new TypeError('a code was redeemed without an event')
  const { quota } = decision.data
  try {
    return { status: 'credited', quota, position: await creditRedemption(deps.ledger, decision) }
  } catch (cause) {
    return { status: 'owed', cause }
  }
}

const refused = (message: string): Redeemed => ({ status: 'refused', message })
const UNKNOWN = refused('无效的兑换码')

/** Asked before the code is used up: afterwards the credit can only be owed. */
async function creditProblem(
  { ledger }: Pick<RedeemDeps, 'ledger'>,
  user: UserId,
  worth: Quota,
): Promise<string | null> {
  const { status, posted } = await ledger.inspect(user, (account) => ({
    status: account.status,
    posted: account.posted,
  }))
  if (status === 'unopened') return accountRejectionMessage({ reason: 'account-not-open' })
  if (status === 'suspended') return accountRejectionMessage({ reason: 'account-suspended' })
  return posted + worth > QUOTA_MAX ? accountRejectionMessage({ reason: 'amount-too-large' }) : null
}
