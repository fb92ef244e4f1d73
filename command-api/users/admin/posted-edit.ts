import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { accountStream } from '@tollgate/domain/event.ts'
import { type ApiRequest, callerOf } from '@tollgate/domain/ports/api-route.ts'
import type { User } from '../../identity/users.ts'
import type { PostedRequest, TakenRequest } from '../../ledger/posted-requests.ts'
import type { UserRouteDeps } from '../self-routes.ts'
import type { QuotaForm } from './adjust-quota.ts'

/**
 * Whether this edit of a balance was posted before: the difference to what the form had loaded would be made twice. Such
 * a form is known by its key, or by coming again within seconds.
 */
export type PostedEdit =
  /** Nothing can be made twice. */
  | { readonly status: 'unbound' }
  /** To be made once under this request's name. */
  | { readonly status: 'taken'; readonly posted: TakenRequest }
  /** Its difference has been made. */
  | { readonly status: 'adjusted' }
  /** Its key came before with another form. */
  | { readonly status: 'otherwise' }
  /** It may be a second click, or the same wish once more. */
  | { readonly status: 'unclear' }

type EditDeps = Pick<UserRouteDeps, 'postedRequests' | 'store' | 'ledger'>

/** Takes the edit (see PostedEdit); nothing of the account is changed by it. */
export async function takeEdit(
  deps: EditDeps,
  { id }: User,
  { quota: after, quota_before: before }: QuotaForm,
  request: ApiRequest,
): Promise<PostedEdit> {
  const key = request.idempotencyKey
  if (after === undefined || (key === null && before === undefined)) return { status: 'unbound' }
  const contents = `${id} from ${before ?? 'present'} to ${after}`
  const user = callerOf(request).userId
  const wanted = { user, operation: 'quota-edit', key, contents } as const
  for (;;) {
    const posted = await deps.postedRequests.take(wanted)
    if (posted === null) return { status: 'otherwise' }
    const edit = await judge(deps, id, { wanted, posted, before })
    if (edit.status !== 'unclear') return edit
    // What changed the balance may have been this same form, taken anew meanwhile: then it is judged by that.
    const newest = await deps.postedRequests.take(wanted)
    if (newest?.causationId === posted.causationId) return edit
  }
}

async function judge(
  { postedRequests, store, ledger }: EditDeps,
  account: User['id'],
  form: {
    readonly wanted: PostedRequest
    readonly posted: TakenRequest
    readonly before: number | undefined
  },
): Promise<PostedEdit> {
  const { wanted, posted, before } = form
  const trace = posted.isRepeated ? await traceOf(store, account, posted) : 'none'
  if (trace === 'none') return { status: 'taken', posted }
  if (wanted.key !== null) return { status: 'adjusted' }

  // Two signs of a new wish: something has changed the balance since, and it is again what the form had loaded.
  const isOvertaken = trace === 'overtaken'
  const isBack = before === (await ledger.inspect(account, (state) => state.posted))
  if (!isOvertaken && !isBack) return { status: 'adjusted' }
  if (!isOvertaken || !isBack) return { status: 'unclear' }
  const anew = await postedRequests.takeAnew(wanted, posted)
  return anew === null ? { status: 'otherwise' } : { status: 'taken', posted: anew }
}

/** What a request has left in the account's stream, and whether something else has changed the balance since. */
async function traceOf(
  store: UserRouteDeps['store'],
  user: User['id'],
  { causationId, position }: TakenRequest,
): Promise<'none' | 'newest' | 'overtaken'> {
  let isOvertaken = false
  for await (const event of store.readStream(accountStream(user), { direction: 'backwards' })) {
    if (event.position <= position) return 'none'
    if (event.metadata.causationId === causationId) return isOvertaken ? 'overtaken' : 'newest'
    isOvertaken ||= CHANGES_OF_BALANCE.has(event.type)
  }
  return 'none'
}

/** Charges are none: they go on all the time, and nobody means them by an edit. */
const CHANGES_OF_BALANCE: ReadonlySet<string> = new Set<AccountEvent['type']>([
  'QuotaCredited',
  'QuotaDebited',
  'AffiliateQuotaTransferred',
  'UsageRefunded',
])
