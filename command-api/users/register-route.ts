import { z } from 'zod'
import {
  type ApiReply,
  type ApiRequest,
  type ApiRoute,
  failure,
  route,
} from '../http-contract/api-route.ts'
import type { OptionsView } from '@tollgate/domain/settings/options.ts'
import { lenientBody, optional, orNull, text } from '../http/body.ts'
import { causeOf } from '../http/cause.ts'
import type { EmailCodes } from '../identity/email/email-codes.ts'
import { type HumanCheck, humansOnly, queryTurnstile } from '../identity/human-check.ts'
import type { Passwords } from '../identity/passwords.ts'
import { EmailTaken, UsernameTaken, usernameTakenMessage } from '../identity/name-conflicts.ts'
import type { UserStore } from '../identity/users.ts'
import { type FirstTokenDeps, giveFirstToken } from './first-token.ts'
import { registrationProblem } from './registration.ts'
import { signUp, type SignUpDeps } from './sign-up.ts'
import { invalidUserMessage, PASSWORD_CHARACTERS_MIN, USER_TEXT_MAX } from './validate.ts'

export interface RegisterRouteDeps extends Omit<SignUpDeps, 'ledger'>, FirstTokenDeps {
  readonly users: UserStore
  readonly passwords: Pick<Passwords, 'hash'>
  readonly codes: Pick<EmailCodes, 'isRight'>
  readonly humanCheck: HumanCheck
  /** Whether every new user gets a token to begin with (GENERATE_DEFAULT_TOKEN). */
  readonly isTokenGiven: boolean
}

const TEXTS = {
  passwordClosed: '管理员关闭了通过密码进行注册，请使用第三方账户验证的形式进行注册',
  invalid: '无效的参数',
  passwordsDiffer: '两次输入的密码不一致',
  emailNeeded: '管理员开启了邮箱验证，请输入邮箱地址和验证码',
  codeInvalid: '验证码错误或已过期',
  taken: usernameTakenMessage({ why: 'taken' }),
  noToken: '创建默认令牌失败',
} as const

interface Form {
  readonly username: string
  readonly password: string
  readonly password2?: string | undefined
  readonly email: string
  readonly verification_code: string
  readonly aff_code: string
}

/** Signing up with a user name and a password (console-api 2.2). */
export const registerRoute = (deps: RegisterRouteDeps): ApiRoute =>
  route({
    method: 'POST',
    path: '/api/user/register',
    access: 'public',
    isCritical: true,
    summary: 'Sign up; signs nobody in',
    query: z.object({ turnstile: queryTurnstile() }),
    body: orNull(
      lenientBody({
        username: text().meta({
          description: 'Name to sign in with; nobody may have it, nor have had it',
          maxLength: USER_TEXT_MAX.username,
        }),
        password: text().meta({
          description: 'Password to sign in with',
          minLength: PASSWORD_CHARACTERS_MIN,
          maxLength: USER_TEXT_MAX.password,
        }),
        password2: optional(text()).describe(
          'The password typed a second time, to be the same; scripts leave it out',
        ),
        email: text().meta({
          description: 'E-mail; needed, and kept, only while EmailVerificationEnabled is on',
          maxLength: USER_TEXT_MAX.email,
        }),
        verification_code: text().describe(
          'The code that GET /api/verification sent to the e-mail; needed with it',
        ),
        aff_code: text().describe(
          'Affiliate code of the user who invited this one; an unknown one is ignored',
        ),
      }),
    ),
    answer: {},
    example: {
      query: { turnstile: '' },
      body: {
        username: 'ann',
        password: 'correct horse',
        email: 'ann@example.com',
        verification_code: '3f9a1c',
        aff_code: 'x7Qp',
      },
    },
    handle: humansOnly(deps.humanCheck, async (request) => {
      const { body } = request
      const closed = closedProblem(deps.options.current())
      if (closed !== null) return failure(closed)
      if (body === null) return failure(TEXTS.invalid)
      const form = { ...body, username: body.username.trim(), email: body.email.trim() }
      const refusal = await refusalProblem(deps, form)
      return refusal === null ? register(deps, form, request) : failure(refusal)
    }),
  })

function closedProblem(options: OptionsView): string | null {
  const closed = registrationProblem(options)
  if (closed !== null) return closed
  return options.flag('PasswordRegisterEnabled') ? null : TEXTS.passwordClosed
}

/** In the order of the contract. */
async function refusalProblem(deps: RegisterRouteDeps, form: Form): Promise<string | null> {
  const options = deps.options.current()
  const { username, password, email, verification_code: code } = form
  if (username === '') return TEXTS.invalid
  const invalid = invalidUserMessage({ username, password, email })
  if (invalid !== null) return invalid
  if ((form.password2 ?? password) !== password) return TEXTS.passwordsDiffer
  if (options.flag('EmailVerificationEnabled')) {
    if (email === '' || code === '') return TEXTS.emailNeeded
    if (!(await deps.codes.isRight('verification', email, code))) return TEXTS.codeInvalid
  }
  return null
}

/** A user called like another's e-mail would be taken for them where people sign in by either. */
const isTaken = async (users: UserStore, { username, email }: Form): Promise<boolean> =>
  (await users.isNameTaken(username, 0)) || (email !== '' && (await users.isEmailTaken(email)))

async function register(
  deps: RegisterRouteDeps,
  form: Form,
  request: ApiRequest,
): Promise<ApiReply> {
  const cause = causeOf(request)
  const { username, password, email, aff_code: inviterCode } = form
  const isEmailOwn = deps.options.current().flag('EmailVerificationEnabled')
  const passwordHash = await deps.passwords.hash(password)
  const signUpDetails = {
    username,
    displayName: username,
    passwordHash,
    inviterCode,
    isTokenOwed: deps.isTokenGiven,
    ...(isEmailOwn && { email, isEmailOwn }),
  }
  try {
    // A request repeated by the same key finds the row of the first time, whose name is not another's.
    const { user } = await signUp(deps, signUpDetails, cause, (insert) =>
      request.command.reserve(async () => {
        if (await isTaken(deps.users, form)) throw new UsernameTaken(username, 'taken')
        return insert()
      }),
    )
    const isGiven = !deps.isTokenGiven || (await giveFirstToken(deps, user.id, cause))
    return isGiven ? {} : failure(TEXTS.noToken)
  } catch (error) {
    if (error instanceof UsernameTaken) return failure(usernameTakenMessage(error))
    if (error instanceof EmailTaken) return failure(TEXTS.taken)
    throw error
  }
}
