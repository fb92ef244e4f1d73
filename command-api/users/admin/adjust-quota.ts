import { adjustmentReason } from '@tollgate/domain/account/adjustment-reason.ts'
import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import { type ApiReply, type ApiRequest, failure } from '../../http-contract/api-route.ts'
import { minus, NO_QUOTA, quota } from '@tollgate/domain/quota.ts'
import { foreignText } from '@tollgate/domain/text.ts'
import { notationOf, type QuotaNotation } from '@tollgate/domain/quota-text.ts'
import { accountRejectionMessage } from '../../http/account-messages.ts'
import { causeOf, onceAs } from '../../http/cause.ts'
import type { User } from '../../identity/users.ts'
import type { UserRouteDeps } from '../self-routes.ts'

/** What a form says of a balance. */
export interface QuotaForm {
  /** What it shall be; what is missing stays. */
  readonly quota?: number | undefined
  /** What the form had loaded; missing where it was not shown. */
  readonly quota_before?: number | undefined
  /** Why, in the words of the administrator. */
  readonly reason?: string
}

/** Characters of a reason that are kept. */
const REASON_CHARACTERS_MAX = 200

/**
 * Decision 9: by difference to what the form had loaded, never an overwrite of a live balance. A form that does not say
 * what it had loaded means the present balance; which that is, the account decides. Null when there is no difference to
 * make.
 */
export async function adjustQuota(
  deps: Pick<UserRouteDeps, 'ledger' | 'options' | 'recallIdleQuota'>,
  user: User,
  form: QuotaForm,
  request: ApiRequest,
): Promise<ApiReply | null> {
  const command = commandOf(form, notationOf(deps.options.current()))
  if (command === null) return null
  const once = await onceAs(request.command)
  const execute = () => deps.ledger.execute(user.id, command, causeOf(request), once)
  const first = await execute()
  const lacksQuota = first.status === 'rejected' && first.rejection.reason === 'insufficient-quota'
  // Held quota may be idle: it is called back before a debit is refused (architecture 6, rule 11).
  if (lacksQuota) await deps.recallIdleQuota(user.id)
  const outcome = lacksQuota ? await execute() : first
  return outcome.status === 'rejected'
    ? failure(accountRejectionMessage(outcome.rejection))
    : { wrote: outcome.position }
}

function commandOf(
  { quota: after, quota_before: before, reason: why = '' }: QuotaForm,
  notation: QuotaNotation,
): AccountCommand | null {
  if (after === undefined || after === before) return null
  if (before === undefined) return { type: 'AdjustQuota', to: quota(after), notation }
  const words = foreignText(why.trim(), REASON_CHARACTERS_MAX)
  const reason =
    adjustmentReason(before, after, notation) + (words === '' ? '' : `，原因：${words}`)
  const change = minus(quota(after), quota(before))
  return change > 0
    ? { type: 'CreditQuota', amount: change, source: 'grant', reason }
    : { type: 'DebitQuota', amount: minus(NO_QUOTA, change), reason }
}
