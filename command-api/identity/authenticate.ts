import type { Position } from '@tollgate/domain/event.ts'
import type { Access, Caller } from '../http-contract/api-route.ts'
import type { Role } from '@tollgate/domain/user/events.ts'
import type { AccessTokens } from './access-tokens.ts'
import type { Sessions } from './sessions.ts'

/** The credentials that a console request carries of its sender. */
export interface Credentials {
  /** The session cookie's value; null without one. */
  readonly sessionToken: string | null
  /** The Authorization header; null without one. */
  readonly authorization: string | null
  /** The New-Api-User header; null without one. */
  readonly newApiUser: string | null
}

/** `anonymous` only where the route lets visitors in. `http` is the status to answer with the failure envelope. */
export type Authentication =
  | { readonly status: 'signed-in'; readonly caller: Caller; readonly lastPosition: Position }
  | { readonly status: 'anonymous' }
  | { readonly status: 'denied'; readonly http: 200 | 401; readonly message: string }

export type Authenticate = (credentials: Credentials, access: Access) => Promise<Authentication>

/** Texts of console-api 1.4. */
export const DENIALS = {
  notSignedIn: '无权进行此操作，未登录且未提供 access token',
  accessTokenUnknown: '无权进行此操作，access token 无效',
  userHeaderMissing: '无权进行此操作，未提供 New-Api-User',
  userHeaderMalformed: '无权进行此操作，New-Api-User 格式错误',
  userHeaderDiffers: '无权进行此操作，New-Api-User 与登录用户不匹配',
  banned: '用户已被封禁',
  roleTooLow: '无权进行此操作，权限不足',
} as const

const ROLE_NEEDED = { user: 1, admin: 10, root: 100 } as const satisfies Partial<
  Record<Access, Role>
>

/**
 * Says who sends a request and whether the route lets them in, in the order of console-api 1.4. The user is read anew
 * for each request, so a ban or another role holds from the next one on.
 */
export function authenticator(deps: {
  readonly sessions: Sessions
  readonly accessTokens: AccessTokens
}): Authenticate {
  return async (credentials, access) => {
    if (access === 'public') return { status: 'anonymous' }
    const session =
      credentials.sessionToken === null ? null : await deps.sessions.find(credentials.sessionToken)
    if (access === 'visitor') {
      return session === null || session.isBanned ? { status: 'anonymous' } : signedIn(session)
    }
    let user: KnownUser | null = session
    if (user === null) {
      const token = accessTokenIn(credentials.authorization)
      if (token === '') return denied(401, DENIALS.notSignedIn)
      user = await deps.accessTokens.find(token)
      if (user === null) return denied(200, DENIALS.accessTokenUnknown)
    }
    const denial = userHeaderDenial(credentials.newApiUser, user.userId)
    if (denial !== null) return denied(401, denial)
    if (user.isBanned) return denied(200, DENIALS.banned)
    if (user.role < ROLE_NEEDED[access]) return denied(200, DENIALS.roleTooLow)
    return signedIn(user)
  }
}

/** The access token of an Authorization header, with or without `Bearer` before it; '' without one. */
export const accessTokenIn = (authorization: string | null): string =>
  (authorization ?? '').trim().replace(/^Bearer /i, '')

/** Why the header New-Api-User does not name this user; null when it does. */
export function userHeaderDenial(newApiUser: string | null, userId: number): string | null {
  if (newApiUser === null || newApiUser === '') return DENIALS.userHeaderMissing
  if (!/^[+-]?\d+$/.test(newApiUser)) return DENIALS.userHeaderMalformed
  return Number(newApiUser) === userId ? null : DENIALS.userHeaderDiffers
}

interface KnownUser {
  readonly userId: number
  readonly username: string
  readonly role: Role
  readonly group: string
  readonly isBanned: boolean
  readonly lastPosition: Position
  readonly sessionId?: string
}

const signedIn = (user: KnownUser): Authentication => ({
  status: 'signed-in',
  caller: {
    userId: user.userId,
    username: user.username,
    role: user.role,
    group: user.group,
    sessionId: user.sessionId ?? null,
  },
  lastPosition: user.lastPosition,
})

const denied = (http: 200 | 401, message: string): Authentication => ({
  status: 'denied',
  http,
  message,
})

/** Notes a caller's write where its later reads look for it: the session row, or the user of an access token. */
export async function rememberWrite(
  deps: { readonly sessions: Sessions; readonly accessTokens: AccessTokens },
  caller: Caller,
  position: Position,
): Promise<void> {
  if (caller.sessionId === null) await deps.accessTokens.rememberPosition(caller.userId, position)
  else await deps.sessions.rememberPosition(caller.sessionId, position)
}
