import { type ApiReply, type ApiRequest, failure } from '../../http-contract/api-route.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { foreignText } from '@tollgate/domain/text.ts'
import { accountRejectionMessage } from '../../http/account-messages.ts'
import { causeOf, onceAs } from '../../http/cause.ts'
import type { User } from '../../identity/users.ts'
import type { UserRouteDeps } from '../self-routes.ts'

/** The fields of a form about a balance. */
export interface QuotaForm {
  /** The balance that is wanted; a missing one stays. */
  readonly quota?: number | undefined
  /** The balance that the form had loaded; missing where it was not shown. */
  readonly quota_before?: number | undefined
  /** Why, in the words of the administrator. */
  readonly reason?: string
}

/** Characters of a reason that are kept. */
const REASON_CHARACTERS_MAX = 200

/**
 * Decision 9: changes the balance by its difference to the loaded one, never by overwriting a live balance. A form that
 * does not name the loaded balance means the present one, which the account decides. Null when there is no difference.
 */
export async function adjustQuota(
  deps: Pick<UserRouteDeps, 'ledger' | 'notes' | 'recallIdleQuota'>,
  user: User,
  { quota: to, quota_before: from, reason = '' }: QuotaForm,
  request: ApiRequest,
): Promise<ApiReply | null> {
  if (to === undefined || to === from) return null
  const words = foreignText(reason.trim(), REASON_CHARACTERS_MAX)
  const note = words === '' ? null : await deps.notes.keep(user.id, words)
  const command = {
    type: 'AdjustQuota',
    from: from === undefined ? null : quota(from),
    to: quota(to),
    note,
  } as const
  const once = await onceAs(request.command)
  const execute = () => deps.ledger.execute(user.id, command, causeOf(request), once)
  const first = await execute()
  const lacksQuota = first.status === 'rejected' && first.rejection.reason === 'insufficient-quota'
  // Held quota may be idle: it is called back before a debit is refused (architecture 6, rule 11).
  if (lacksQuota) await deps.recallIdleQuota(user.id)
  const outcome = lacksQuota ? await execute() : first
  if (outcome.status === 'done') return { wrote: outcome.position }
  if (note !== null) await deps.notes.remove(note)
  return failure(accountRejectionMessage(outcome.rejection))
}
