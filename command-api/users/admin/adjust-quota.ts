import { accountStream } from '@tollgate/domain/event.ts'
import {
  type ApiReply,
  type ApiRequest,
  callerOf,
  failure,
} from '@tollgate/domain/ports/api-route.ts'
import { type Quota, quota } from '@tollgate/domain/quota.ts'
import { accountRejectionMessage } from '../../http/account-messages.ts'
import { causeOf } from '../../http/cause.ts'
import { quotaText } from '../../http/quota-text.ts'
import type { User } from '../../identity/users.ts'
import type { CommandOutcome } from '../../ledger/account-ledger.ts'
import type { CommandCause } from '../../ledger/cause.ts'
import { hasCaused, type OnlyOnce } from '../../ledger/caused-before.ts'
import type { TakenRequest } from '../../ledger/posted-requests.ts'
import type { UserRouteDeps } from '../self-routes.ts'

/** What a form says of a balance. */
export interface QuotaForm {
  /** What it shall be; what is missing stays. */
  readonly quota?: number | undefined
  /** What the form had loaded; missing where it was not shown. */
  readonly quota_before?: number | undefined
}

/**
 * Decision 9: by difference to what the form had loaded, never an overwrite of a live balance. Null when there is no
 * difference to make.
 */
export async function adjustQuota(
  deps: UserRouteDeps,
  user: User,
  form: QuotaForm,
  { request, posted }: { readonly request: ApiRequest; readonly posted: TakenRequest | null },
): Promise<ApiReply | null> {
  const adjustment = await adjustmentOf(deps, user, form)
  if (adjustment === null) return null
  const { before, after } = adjustment
  const options = deps.options.current()
  const reason = `管理员将用户额度从 ${quotaText(before, options)}修改为 ${quotaText(after, options)}`
  const amount = quota(Math.abs(after - before))
  const cause = causeOf(request, posted?.causationId)
  const once = (eventType: OnlyOnce['eventType']) =>
    posted === null ? {} : { onlyOnceFrom: { eventType, position: posted.position } }
  const outcome =
    after > before
      ? await deps.ledger.execute(
          user.id,
          { type: 'CreditQuota', amount, source: 'grant', reason },
          cause,
          once('QuotaCredited'),
        )
      : await debit(deps, user, { amount, reason }, cause, once('QuotaDebited'))
  return outcome.status === 'rejected'
    ? failure(accountRejectionMessage(outcome.rejection))
    : { wrote: outcome.position }
}

async function adjustmentOf(
  deps: UserRouteDeps,
  user: User,
  { quota: after, quota_before: loaded }: QuotaForm,
): Promise<{ readonly before: number; readonly after: number } | null> {
  if (after === undefined) return null
  const before = loaded ?? (await deps.ledger.inspect(user.id, ({ posted }) => posted))
  return before === after ? null : { before, after }
}

/** Held quota may be idle: it is called back before a debit is refused (architecture 6, rule 11). */
async function debit(
  deps: UserRouteDeps,
  user: User,
  wanted: { readonly amount: Quota; readonly reason: string },
  cause: CommandCause,
  once: { readonly onlyOnceFrom?: OnlyOnce },
): Promise<CommandOutcome> {
  const command = { type: 'DebitQuota', ...wanted } as const
  const first = await deps.ledger.execute(user.id, command, cause, once)
  if (first.status === 'done' || first.rejection.reason !== 'insufficient-quota') return first
  await deps.recallIdleQuota(user.id)
  return deps.ledger.execute(user.id, command, cause, once)
}

/**
 * Whether this edit of a balance was posted before: the difference to what the form had loaded would be made twice. Such
 * a form is known by its key, or by coming again within seconds. Null when nothing can be made twice.
 */
export async function postedEdit(
  { postedRequests, store }: UserRouteDeps,
  { id }: User,
  { quota: after, quota_before: before }: QuotaForm,
  request: ApiRequest,
): Promise<TakenRequest | 'adjusted' | 'otherwise' | null> {
  const key = request.idempotencyKey
  if (after === undefined || (key === null && before === undefined)) return null
  const contents = `${id} from ${before ?? 'present'} to ${after}`
  const user = callerOf(request).userId
  const taken = await postedRequests.take({ user, operation: 'quota-edit', key, contents })
  if (taken === null) return 'otherwise'
  return taken.isRepeated && (await hasCaused(store, accountStream(id), taken)) ? 'adjusted' : taken
}
