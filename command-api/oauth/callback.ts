import type { Position } from '@tollgate/domain/event.ts'
import type { ApiReply, ApiRequest } from '../http-contract/api-route.ts'
import { failure } from '../http-contract/api-route.ts'
import { DEMO_SITE_REFUSAL } from '../http/demo-site.ts'
import { causeOf } from '../http/cause.ts'
import type { ExternalIdStore } from '../identity/external-ids.ts'
import { openSession } from '../identity/open-session.ts'
import type { Sessions } from '../identity/sessions.ts'
import type { User } from '../identity/users.ts'
import type { LiveOptions } from '../options/live-options.ts'
import { registerUser } from '../users/project-user.ts'
import { registrationProblem } from '../users/registration.ts'
import { type MakeUserDeps, makeUser } from './make-user.ts'
import type { Profile, Provider, SignUpProvider } from './provider.ts'

export interface CallbackDeps extends MakeUserDeps {
  readonly externalIds: ExternalIdStore
  readonly sessions: Pick<Sessions, 'open' | 'close' | 'find' | 'rememberPosition'>
  readonly options: Pick<LiveOptions, 'current' | 'secret'>
}

/** Texts of console-api 2.3 that all providers share. */
const TEXTS = {
  deleted: '用户已注销',
  banned: '用户已被封禁',
  passedOn: '该账户名在第三方平台上已换了主人，请联系管理员',
} as const

type Request = Pick<
  ApiRequest,
  'caller' | 'command' | 'requestId' | 'sessionToken' | 'ip' | 'userAgent'
>

/** Gives the signed-in user this id with the provider; `message` says that it was done. */
export async function bind(
  deps: Pick<CallbackDeps, 'externalIds' | 'options'>,
  provider: Provider,
  { id, holder = '' }: Pick<Profile, 'id' | 'holder'>,
  { userId, message }: { readonly userId: number; readonly message: string },
): Promise<ApiReply> {
  if (deps.options.current().flag('DemoSiteEnabled')) return DEMO_SITE_REFUSAL
  const outcome = await deps.externalIds.bind(userId, { kind: provider.kind, id, holder })
  switch (outcome) {
    case 'bound':
      return { message }
    case 'taken':
      return failure(provider.takenText)
    case 'gone':
      return failure(TEXTS.deleted)
    default:
      return outcome satisfies never
  }
}

/** Signs in the person that a provider vouches for; a new person becomes a user, where signing up is open. */
export async function signInOrUp(
  deps: CallbackDeps,
  provider: SignUpProvider,
  { profile, affCode }: { readonly profile: Profile; readonly affCode: string },
  request: Request,
): Promise<ApiReply> {
  const { id, holder = '' } = profile
  const externalId = { kind: provider.kind, id, holder }
  const known = await deps.externalIds.find(externalId)
  if (known !== null) {
    if (!(await deps.externalIds.isStillOf(known.id, externalId))) return failure(TEXTS.passedOn)
    // The process that signed them up may have died before their account was open.
    if (known.isOpened) return signIn(deps, known, request)
    const { user, position } = await registerUser(deps, known.id, causeOf(request))
    return signIn(deps, user, request, position)
  }
  const options = deps.options.current()
  if (options.flag('DemoSiteEnabled')) return DEMO_SITE_REFUSAL
  const closed = registrationProblem(options)
  if (closed !== null) return failure(closed)
  const { user, position } = await makeUser(deps, provider, { profile, affCode }, causeOf(request))
  if (!(await deps.externalIds.isStillOf(user.id, externalId))) return failure(TEXTS.passedOn)
  return signIn(deps, user, request, position)
}

/** Signs in the user of an external id, unless they are banned or deleted. */
export async function signIn(
  deps: Pick<CallbackDeps, 'sessions'>,
  user: User,
  request: Request,
  wrote?: Position,
): Promise<ApiReply> {
  if (user.deletedAt !== null) return failure(TEXTS.deleted)
  if (user.isBanned) return failure(TEXTS.banned)
  return openSession(deps.sessions, user, request, wrote)
}
