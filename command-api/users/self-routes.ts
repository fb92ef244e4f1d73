import { z } from 'zod'
import {
  type ApiReply,
  type ApiRequest,
  type ApiRoute,
  callerOf,
  failure,
  route,
} from '../http-contract/api-route.ts'
import { type UserId, userId } from '@tollgate/domain/ids.ts'
import { type Quota, quota } from '@tollgate/domain/quota.ts'
import { notationOf, quotaText } from '@tollgate/domain/quota-text.ts'
import type { AccessTokens } from '../identity/access-tokens.ts'
import { type OwnPasswordDeps, refuseWrongPassword } from '../identity/own-password.ts'
import type { Passwords } from '../identity/passwords.ts'
import { UsernameTaken, usernameTakenMessage } from '../identity/name-conflicts.ts'
import type { User, UserChange } from '../identity/users.ts'
import { accountRejectionMessage } from '../http/account-messages.ts'
import { int, lenientBody, text } from '../http/body.ts'
import { causeOf, onceAs } from '../http/cause.ts'
import type { LiveOptions } from '../options/live-options.ts'
import type { Entropy } from '../secrets/entropy.ts'
import type { Vault } from '../secrets/vault.ts'
import { drawAffCode } from './aff-code.ts'
import type { AdjustmentNotes } from '../identity/adjustment-notes.ts'
import { changeUserStatus, type UserStatusDeps } from './user-status.ts'
import { type AccountFigures, userEntity } from './user-entity.ts'
import { EXAMPLE_USER, userAnswer } from './user-answer.ts'
import { invalidUserMessage, PASSWORD_CHARACTERS_MIN, USER_TEXT_MAX } from './validate.ts'

export interface UserRouteDeps extends UserStatusDeps, OwnPasswordDeps {
  /** Whether notices may be sent to an IP address (as text). */
  readonly mayReach: (ip: string) => boolean
  readonly passwords: Passwords
  readonly accessTokens: AccessTokens
  readonly vault: Vault
  readonly entropy: Entropy
  readonly options: LiveOptions
  readonly notes: AdjustmentNotes
  /** Balances and counters by user, as the read model `balances` has them. */
  readonly figures: (users: readonly number[]) => Promise<ReadonlyMap<number, AccountFigures>>
  /** Asks the relays for the unused quota of an account's holds; resolves when they had time to return it. */
  readonly recallIdleQuota: (account: UserId) => Promise<void>
  /** Users whose posted balance and request count are at least as high (decision 20). */
  readonly usersWithAtLeast: (least: {
    readonly posted?: number
    readonly requestCount?: number
  }) => Promise<readonly number[]>
}

/** One's own account (console-api 2.4). */
export const selfRoutes = (deps: UserRouteDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/user/self',
    access: 'user',
    reads: ['balances'],
    summary: 'The own user object, with balance and counters',
    answer: { data: userAnswer },
    example: { data: EXAMPLE_USER },
    handle: async (request) => {
      const user = await ownUser(deps, request)
      const figures = (await deps.figures([user.id])).get(user.id)
      return { data: userEntity(user, figures, accessTokenOf(deps, user)) }
    },
  }),
  route({
    method: 'PUT',
    path: '/api/user/self',
    access: 'user',
    summary: 'Change user name, display name or password; what is empty stays',
    body: lenientBody({
      username: text().describe(
        `User name; a new one has at most ${USER_TEXT_MAX.username} characters. Empty = unchanged`,
      ),
      display_name: text().describe(
        `Name that the user is shown by; a new one has at most ${USER_TEXT_MAX.display_name} characters. Empty = unchanged`,
      ),
      password: text().meta({
        description: `New password, of at least ${PASSWORD_CHARACTERS_MIN} characters; empty = unchanged. It ends the user’s other sessions`,
        maxLength: USER_TEXT_MAX.password,
      }),
      original_password: text().describe(
        'Present password; needed with a new one, unless the user has none yet',
      ),
    }),
    answer: {},
    example: {
      body: { display_name: 'Ann', original_password: 'correct horse', password: 'battery staple' },
    },
    handle: async (request) => updateSelf(deps, await ownUser(deps, request), request),
  }),
  route({
    method: 'DELETE',
    path: '/api/user/self',
    access: 'user',
    summary: 'Delete the own account; its ledger stays',
    // The sessions and the access token go with the account, so that the caller of a repetition is unknown. The first
    // answer could only be given to anybody who comes with its key, and keys may be guessable.
    details:
      'It ends the sessions and the access token of the account, so its answer is not repeated for the same Idempotency-Key: another call is refused like that of nobody (401, with an access token success=false).',
    answer: {},
    handle: async (request) => {
      const user = await ownUser(deps, request)
      const by = { role: user.role, isSelf: true }
      const deleted = await changeUserStatus(
        deps,
        { user, change: { type: 'DeleteUser' }, by },
        causeOf(request),
      )
      return deleted.status === 'rejected' ? failure(deleted.message) : { session: null }
    },
  }),
  route({
    method: 'GET',
    path: '/api/user/token',
    access: 'user',
    changesState: true,
    summary: 'Make a new system access token; the old one dies',
    answer: { data: z.string() },
    example: { data: 'VGhpcyBpcyBhbiBleGFtcGxlIQ==' },
    handle: async (request) => ({
      data: await deps.accessTokens.renew(callerOf(request).userId),
    }),
  }),
  route({
    method: 'GET',
    path: '/api/user/aff',
    access: 'user',
    changesState: true,
    summary: 'The own affiliate code, made at the first call',
    answer: { data: z.string() },
    example: { data: 'a1B2' },
    handle: async (request) => ({ data: await affCodeOf(deps, await ownUser(deps, request)) }),
  }),
  route({
    method: 'POST',
    path: '/api/user/aff_transfer',
    access: 'user',
    summary: 'Move affiliate quota into the balance',
    body: lenientBody({
      quota: int().meta({
        description: 'Quota to move; at least QuotaPerUnit, that is one US dollar',
        minimum: 1,
      }),
    }),
    answer: {},
    example: { body: { quota: 500_000 }, message: '划转成功' },
    handle: async (request) => {
      const options = deps.options.current()
      const least = options.number('QuotaPerUnit')
      const amount = request.body.quota
      if (amount < least) return failure(`划转金额最低为 ${quotaText(least, notationOf(options))}`)
      return transfer(deps, quota(amount), request)
    },
  }),
]

async function transfer(
  { ledger }: UserRouteDeps,
  amount: Quota,
  request: ApiRequest,
): Promise<ApiReply> {
  const moved = await ledger.execute(
    userId(callerOf(request).userId),
    { type: 'TransferAffiliateQuota', amount },
    causeOf(request),
    await onceAs(request.command),
  )
  return moved.status === 'rejected'
    ? failure(accountRejectionMessage(moved.rejection))
    : { message: '划转成功', wrote: moved.position }
}

async function ownUser(
  deps: Pick<UserRouteDeps, 'users'>,
  request: Parameters<typeof callerOf>[0],
): Promise<User> {
  const user = await deps.users.byId(callerOf(request).userId)
  // The caller was read from this row a moment ago; only a deletion in between can have taken it.
  if (user === null) throw new TypeError('the caller has no row')
  return user
}

const accessTokenOf = (deps: UserRouteDeps, user: User): string | null =>
  user.accessTokenCiphertext === null
    ? null
    : deps.vault.open('access-token', user.accessTokenCiphertext)

async function updateSelf(
  deps: UserRouteDeps,
  user: User,
  request: {
    readonly body: {
      readonly username: string
      readonly display_name: string
      readonly password: string
      readonly original_password: string
    }
    readonly caller: { readonly sessionId: string | null } | null
  },
): Promise<ApiReply> {
  const { body } = request
  const username = body.username.trim()
  const invalid = invalidUserMessage({
    // A name that was longer before the rule (or came from a sign-in with others) may stay.
    ...(username !== '' && username !== user.username && { username }),
    ...(body.password !== '' && { password: body.password }),
    ...(body.display_name !== user.displayName && { display_name: body.display_name }),
  })
  if (invalid !== null) return failure(invalid)
  if (body.password === '' && body.original_password !== '') return failure('请输入新密码')
  if (body.password !== '') {
    const refusal = await refuseNewPassword(deps, user, body)
    if (refusal !== null) return refusal
  }
  const change: UserChange = {
    ...(username !== '' && { username }),
    ...(body.display_name !== '' && { displayName: body.display_name }),
    ...(body.password !== '' && {
      passwordHash: await deps.passwords.hash(body.password),
      sessionKept: request.caller?.sessionId ?? null,
    }),
  }
  return (await updateRow(deps, user, change)) ?? {}
}

/** Decision 16: the old password is needed, but for an account that has none yet. */
async function refuseNewPassword(
  deps: OwnPasswordDeps,
  user: User,
  body: { readonly password: string; readonly original_password: string },
): Promise<ApiReply | null> {
  if (user.passwordHash === null) return null
  if (body.original_password === '') return failure('请输入原密码')
  const refusal = await refuseWrongPassword(deps, user, body.original_password)
  if (refusal !== null) return refusal
  return body.password === body.original_password ? failure('新密码不能与原密码相同') : null
}

/** Writes the row; the failure to answer when the name is taken, else null. */
export async function updateRow(
  deps: Pick<UserRouteDeps, 'users'>,
  user: User,
  change: UserChange,
): Promise<ApiReply | null> {
  try {
    await deps.users.update(user.id, change)
    return null
  } catch (error) {
    if (error instanceof UsernameTaken) return failure(usernameTakenMessage(error))
    throw error
  }
}

async function affCodeOf(deps: UserRouteDeps, user: User): Promise<string> {
  if (user.affCode !== null) return user.affCode
  return drawAffCode(deps.entropy, (drawn) => deps.users.giveAffCode(user.id, drawn))
}
