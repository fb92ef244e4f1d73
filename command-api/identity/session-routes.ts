import { z } from 'zod'
import {
  type ApiReply,
  type ApiRequest,
  type ApiRoute,
  failure,
  route,
} from '../http-contract/api-route.ts'
import { lenientBody, orNull, text } from '../http/body.ts'
import { tooManyRequests } from '../http/too-many.ts'
import type { LiveOptions } from '../options/live-options.ts'
import { EXAMPLE_SIGNED_IN, userAnswer } from '../users/user-answer.ts'
import { type HumanCheck, humansOnly, queryTurnstile } from './human-check.ts'
import { digest } from './digest.ts'
import type { KnownBrowsers } from './known-browsers.ts'
import type { Passwords } from './passwords.ts'
import type { FailureLimiter, RateLimiter } from './rate-limiter.ts'
import { openSession } from './open-session.ts'
import { refuseCookieOnly } from './own-page.ts'
import type { Sessions } from './sessions.ts'
import type { UserStore } from './users.ts'

export interface SessionRouteDeps {
  readonly users: UserStore
  readonly sessions: Sessions
  readonly passwords: Passwords
  readonly options: LiveOptions
  readonly humanCheck: HumanCheck
  /** Wrong passwords by name or e-mail and address, or by known browser. */
  readonly failures: FailureLimiter
  /** Passwords tried by name or e-mail, from wherever but browsers that are known under it. */
  readonly nameLimit: RateLimiter
  readonly knownBrowsers: KnownBrowsers
}

/** Sign-in and sign-out. */
export const sessionRoutes = (deps: SessionRouteDeps): readonly ApiRoute[] => [
  route({
    method: 'POST',
    path: '/api/user/login',
    access: 'public',
    changesState: false,
    isCritical: true,
    summary: 'Sign in with user name or e-mail and password',
    query: z.object({ turnstile: queryTurnstile() }),
    body: orNull(
      lenientBody({
        username: text().describe('User name or e-mail; spaces around it do not count'),
        password: text().describe('Password of the user'),
      }),
    ),
    answer: { data: userAnswer },
    example: { body: { username: 'ann', password: 'correct horse' }, data: EXAMPLE_SIGNED_IN },
    handle: humansOnly(deps.humanCheck, (request) => signIn(deps, request)),
  }),
  route({
    method: 'GET',
    path: '/api/user/logout',
    access: 'public',
    summary: 'Sign out: revokes the session',
    answer: {},
    handle: (request) => signOut(deps, request),
  }),
]

async function signOut(
  { sessions }: SessionRouteDeps,
  request: Pick<ApiRequest, 'sessionToken' | 'sentFrom' | 'newApiUser'>,
): Promise<ApiReply> {
  const { sessionToken } = request
  // A link on a page of another site must not sign people out.
  if (request.sentFrom === 'other-site') return {}
  const session = sessionToken === null ? null : await sessions.find(sessionToken)
  if (sessionToken === null || session === null) return { session: null }
  const refusal = refuseCookieOnly(request, session.userId)
  if (refusal !== null) return refusal
  await sessions.close(sessionToken)
  return { session: null }
}

const WRONG = '用户名或密码错误，或用户已被封禁'

async function signIn(
  deps: SessionRouteDeps,
  request: {
    readonly body: { readonly username: string; readonly password: string } | null
    readonly sessionToken: string | null
    readonly knownBrowserToken: string | null
    readonly ip: string
    readonly userAgent: string
  },
): Promise<ApiReply> {
  const { body, knownBrowserToken, ip } = request
  if (!deps.options.current().flag('PasswordLoginEnabled')) {
    return failure('管理员关闭了密码登录')
  }
  if (body === null) return failure('无效的参数')
  const login = body.username.trim()
  if (login === '' || body.password === '') return failure('请输入用户名和密码！')
  // Keyed by the typed name, known or not: the limit discloses no user.
  const name = digest(login.toLowerCase())
  const attempt = `sign-in:${name}:${ip}`
  const verdict = await deps.failures.take(attempt)
  if (!verdict.isAllowed) return tooManyRequests(verdict.retryAfterSeconds)
  // Second, so that an address that is turned away adds nothing to the count that keeps the owner out.
  const browser = deps.knownBrowsers.recognise(knownBrowserToken, name)
  const ofBrowser = `sign-in-browser:${browser}`
  const further =
    browser === null
      ? await deps.nameLimit.take(`sign-in-name:${name}`)
      : await deps.failures.take(ofBrowser)
  if (!further.isAllowed) return tooManyRequests(further.retryAfterSeconds)
  const user = await deps.users.byLogin(login)
  const isRight = await deps.passwords.verify(body.password, user?.passwordHash ?? null)
  // One text for every cause: it must not disclose who exists and who is banned.
  if (user === null || !isRight || user.isBanned) return failure(WRONG)
  await deps.failures.forget(attempt)
  if (browser !== null) await deps.failures.forget(ofBrowser)
  const signedIn = await openSession(deps.sessions, user, request)
  const present = await deps.users.byId(user.id)
  if (present?.passwordHash === user.passwordHash) {
    return { ...signedIn, knownBrowser: deps.knownBrowsers.remember(name) }
  }
  // A password that was set while this one was being checked has ended every session but this one.
  const token = signedIn.session?.token
  if (token !== undefined) await deps.sessions.close(token)
  return failure(WRONG)
}
