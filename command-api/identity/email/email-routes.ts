import { z } from 'zod'
import {
  type ApiReply,
  type ApiRequest,
  type ApiRoute,
  failure,
  route,
} from '../../http-contract/api-route.ts'
import type { Language } from '../../http-contract/language.ts'
import { lenientBody, text } from '../../http/body.ts'
import { queryText } from '../../http/query.ts'
import { emailReplacedMail } from '../../mail/email-replaced-mail.ts'
import type { Entropy } from '../../secrets/entropy.ts'
import { DENIALS } from '../authenticate.ts'
import { refuseCookieOnly } from '../own-page.ts'
import { isEmailAddress, emailProblem } from './email-address.ts'
import { CODE_MINUTES } from './email-codes.ts'
import { type HumanCheck, humansOnly, queryTurnstile } from '../human-check.ts'
import { type OwnPasswordDeps, refuseWrongPassword } from '../own-password.ts'
import type { Passwords } from '../passwords.ts'
import { type CodeSenderDeps, sendCode, sendMail } from './send-code.ts'
import { EmailTaken } from '../name-conflicts.ts'
import type { User, UserStore } from '../users.ts'

export interface EmailRouteDeps extends CodeSenderDeps, OwnPasswordDeps {
  readonly users: UserStore
  readonly passwords: Pick<Passwords, 'hash' | 'verify'>
  readonly entropy: Entropy
  readonly humanCheck: HumanCheck
}

const TEXTS = {
  invalid: '无效的参数',
  emailMissing: '请输入邮箱！',
  codeMissing: '请输入邮箱验证码！',
  taken: '邮箱地址已被占用',
  unknown: '该邮箱地址未注册',
  linkInvalid: '重置链接非法或已过期',
  codeInvalid: '验证码错误或已过期',
  fromOtherSite: '无效的请求',
} as const

/** Twelve characters in lower-case hex (console-api 2.2). */
const NEW_PASSWORD_BYTES = 6
/** An e-mail that others vouch for may be that of several users; more than this share none. */
const USERS_OF_EMAIL_MAX = 100

/**
 * Routes that work by e-mail: showing that one is one's own, binding it, setting a new password (console-api 2.2 and
 * 2.3).
 */
export const emailRoutes = (deps: EmailRouteDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/verification',
    access: 'public',
    isCritical: true,
    changesState: true,
    summary: 'Send a code to an e-mail that nobody has yet, for signing up or binding it',
    query: z.object({
      email: queryText().describe('Address that the code is sent to; no user may have it yet'),
      turnstile: queryTurnstile(),
    }),
    answer: {},
    example: { query: { email: 'ann@example.com', turnstile: '' } },
    handle: humansOnly(deps.humanCheck, async ({ query, language }) => {
      const email = query.email.trim()
      const refusal = emailProblem(email, deps.options.current())
      if (refusal !== null) return failure(refusal)
      if (await deps.users.isEmailTaken(email)) return failure(TEXTS.taken)
      return sendCode(deps, { purpose: 'verification', email, to: email, language })
    }),
  }),
  route({
    method: 'GET',
    path: '/api/reset_password',
    access: 'public',
    isCritical: true,
    changesState: true,
    summary: 'Send a link that sets a new password',
    query: z.object({
      email: queryText().describe('Address of the user who has forgotten the password'),
      turnstile: queryTurnstile(),
    }),
    answer: {},
    example: { query: { email: 'ann@example.com', turnstile: '' } },
    handle: humansOnly(deps.humanCheck, async ({ query, language }) => {
      const email = query.email.trim()
      if (!isEmailAddress(email)) return failure(TEXTS.invalid)
      const [user] = await deps.users.byEmail(email, 1)
      if (user === undefined) return failure(TEXTS.unknown)
      return sendCode(deps, { purpose: 'password-reset', email, to: user.email, language })
    }),
  }),
  route({
    method: 'POST',
    path: '/api/user/reset',
    access: 'public',
    isCritical: true,
    summary: 'Set a new password by the link that was sent; works once, and ends all sessions',
    body: lenientBody({
      email: text().describe('Address that the link was sent to'),
      token: text().describe(
        `Token of the link, 32 hexadecimal digits, good for ${CODE_MINUTES} minutes`,
      ),
    }),
    answer: { data: z.string() },
    example: {
      body: { email: 'ann@example.com', token: '0123456789abcdef0123456789abcdef' },
      data: '4f2a90c1d7e8',
    },
    handle: ({ body }) => resetPassword(deps, body),
  }),
  route({
    method: 'GET',
    path: '/api/oauth/email/bind',
    access: 'visitor',
    isCritical: true,
    changesState: true,
    summary:
      'Bind an e-mail to the signed-in user by the code that was sent there; a password that comes along must be right',
    query: z.object({
      email: queryText().describe('Address to bind'),
      code: queryText().describe('The code that GET /api/verification sent to the address'),
      password: queryText().describe(
        'The user’s password: checked when another address is bound already; empty skips the check',
      ),
    }),
    answer: {},
    failureStatuses: [401, 403],
    example: { query: { email: 'ann@example.com', code: '3f9a1c', password: '' } },
    handle: (request) => bindEmail(deps, request),
  }),
]

async function resetPassword(
  deps: EmailRouteDeps,
  { email, token }: { readonly email: string; readonly token: string },
): Promise<ApiReply> {
  if (email.trim() === '' || token === '') return failure(TEXTS.invalid)
  const password = deps.entropy(NEW_PASSWORD_BYTES).toString('hex')
  const passwordHash = await deps.passwords.hash(password)
  // Used up first: of two who come with one link, one sets the password. After a crash in between one asks for another.
  if (!(await deps.codes.take('password-reset', email, token))) return failure(TEXTS.linkInvalid)
  const users = await deps.users.byEmail(email.trim(), USERS_OF_EMAIL_MAX)
  // The user whose e-mail it was has another by now, or is gone.
  if (users.length === 0) return failure(TEXTS.linkInvalid)
  for (const user of users) await deps.users.update(user.id, { passwordHash })
  return { data: password }
}

/**
 * By the session cookie and GET, as the contract has it. A request must show that a page of ours made it (decision 49):
 * no attacker may bind their own e-mail, and with it a way to a new password, to another user's account.
 */
async function bindEmail(
  deps: EmailRouteDeps,
  request: ApiRequest<
    unknown,
    { readonly email: string; readonly code: string; readonly password: string }
  >,
): Promise<ApiReply> {
  const { caller, query, sentFrom, isNavigation } = request
  // Consoles call it behind a form; a link to it is a trap of another site, which only https browsers name.
  if (sentFrom === 'other-site' || isNavigation) return failure(TEXTS.fromOtherSite, 403)
  if (caller === null) return failure(DENIALS.notSignedIn, 401)
  const unproven = refuseCookieOnly(request, caller.userId)
  if (unproven !== null) return unproven
  const email = query.email.trim()
  if (email === '') return failure(TEXTS.emailMissing)
  if (query.code.trim() === '') return failure(TEXTS.codeMissing)
  if (!(await deps.codes.isRight('verification', email, query.code)))
    return failure(TEXTS.codeInvalid)
  if (await deps.users.isEmailTaken(email, caller.userId)) return failure(TEXTS.taken)
  const user = await deps.users.byId(caller.userId)
  if (user === null) return failure(DENIALS.notSignedIn, 401)
  const isReplaced = user.email !== '' && user.email.toLowerCase() !== email.toLowerCase()
  if (isReplaced && query.password !== '' && user.passwordHash !== null) {
    const refusal = await refuseWrongPassword(deps, user, query.password)
    if (refusal !== null) return refusal
  }
  try {
    await deps.users.update(user.id, { ownEmail: email })
  } catch (error) {
    if (error instanceof EmailTaken) return failure(TEXTS.taken)
    throw error
  }
  if (isReplaced) await tellFormer(deps, user, request.language)
  return {}
}

/** Tells an owner who has not made the change. The e-mail is bound, whether or not the mail goes out. */
async function tellFormer(deps: EmailRouteDeps, user: User, language: Language): Promise<void> {
  const systemName = deps.options.current().text('SystemName')
  const content = emailReplacedMail({ systemName, language, username: user.username })
  await sendMail(deps, { ...content, to: user.email })
}
