import {
  type ApiReply,
  type ApiRequest,
  type ApiRoute,
  type Caller,
  failure,
  route,
} from '../http-contract/api-route.ts'
import { z } from 'zod'
import { queryText } from '../http/query.ts'
import { DENIALS } from '../identity/authenticate.ts'
import { EXAMPLE_SIGNED_IN, userAnswer } from '../users/user-answer.ts'
import { refuseCookieOnly, refuseSignInOver } from '../identity/own-page.ts'
import type { UsedSignatures } from '../identity/used-signatures.ts'
import { VISITOR_SECONDS, type Visitors } from '../identity/visitors.ts'
import { bind, type CallbackDeps, signIn, signInOrUp } from './callback.ts'
import { type ProviderRequestDeps, noteRefusal, type Profile } from './provider.ts'
import { TELEGRAM, telegramVoucherIn, telegramQuery } from './telegram.ts'
import { askWeChatServer, WECHAT } from './wechat.ts'

export type DirectRouteDeps = CallbackDeps &
  ProviderRequestDeps & {
    readonly usedSignatures: Pick<UsedSignatures, 'use'>
    readonly visitors: Pick<Visitors, 'take'>
  }

const INVALID = '无效的请求'
const WRONG_STATE = failure('state is empty or not same', 403)

const wechatQuery = z.object({
  code: queryText().describe('Code that the operator’s WeChat account sends to its followers'),
})

const TELEGRAM_EXAMPLE = {
  id: '123456789',
  first_name: 'Ann',
  auth_date: '1767225600',
  hash: 'c1c4f3f5cbb1d9a1b0a2f7c1d4e6a8b0c2d4e6f8a0b2c4d6e8f0a1b3c5d7e9f1',
}

/**
 * Providers whose proof arrives with the very first call. These calls come by GET with the session cookie (console-api
 * 2.3), which SameSite=Lax also sends along links of other sites and pictures of sibling hosts: an attacker could bind
 * their own WeChat or Telegram to somebody else's account, and then sign in with it. So these calls act only when the
 * request shows that a page of ours made it (decision 49), and what is opened as a page is turned away. Telegram's widget
 * moves the console's page to the binding and sends no header: there a state shows it, which one browser and user can use
 * once.
 */
export const directRoutes = (deps: DirectRouteDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/oauth/wechat',
    access: 'public',
    isCritical: true,
    changesState: false,
    summary: 'Sign in or up with a code of the WeChat account',
    query: wechatQuery,
    answer: { data: userAnswer },
    failureStatuses: [401, 403],
    example: { query: { code: '482916' }, data: EXAMPLE_SIGNED_IN },
    handle: signInFromPage(deps, async (request) => {
      const asked = await weChatUser(deps, request.query.code)
      return 'refusal' in asked
        ? asked.refusal
        : signInOrUp(deps, WECHAT, { profile: asked.profile, affCode: '' }, request)
    }),
  }),
  route({
    method: 'GET',
    path: '/api/oauth/wechat/bind',
    access: 'visitor',
    isCritical: true,
    changesState: true,
    summary: 'Bind WeChat to the signed-in user with a code of the WeChat account',
    query: wechatQuery,
    answer: {},
    failureStatuses: [401, 403],
    example: { query: { code: '482916' } },
    handle: fromWithinPage(
      signedIn(async (request, caller) => {
        const unproven = refuseCookieOnly(request, caller.userId)
        if (unproven !== null) return unproven
        const asked = await weChatUser(deps, request.query.code)
        if ('refusal' in asked) return asked.refusal
        return bind(deps, WECHAT, asked.profile, { userId: caller.userId, message: '' })
      }),
    ),
  }),
  route({
    method: 'GET',
    path: '/api/oauth/telegram/login',
    access: 'public',
    isCritical: true,
    changesState: false,
    summary:
      "Sign in with what Telegram's login widget has signed, once; who is not bound is not signed up",
    query: telegramQuery,
    answer: { data: userAnswer },
    failureStatuses: [401, 403],
    example: { query: TELEGRAM_EXAMPLE, data: EXAMPLE_SIGNED_IN },
    handle: signInFromPage(deps, async (request) => {
      const vouched = await telegramUser(deps, request.query)
      if ('refusal' in vouched) return vouched.refusal
      const user = await deps.externalIds.find({ kind: TELEGRAM.kind, id: vouched.id })
      return user === null ? failure('该 Telegram 账户未绑定') : signIn(deps, user, request)
    }),
  }),
  route({
    method: 'GET',
    path: '/api/oauth/telegram/bind',
    access: 'visitor',
    isCritical: true,
    changesState: true,
    summary:
      "Bind Telegram to the signed-in user, with a state of GET /api/oauth/state in the widget's address; its page goes on to /setting",
    query: telegramQuery,
    answer: { status: 302 },
    failureStatuses: [401, 403],
    example: { query: TELEGRAM_EXAMPLE },
    handle: signedIn((request, caller) => bindTelegram(deps, request, caller)),
  }),
]

type TelegramRequest = ApiRequest<unknown, Readonly<Record<string, unknown>>>

async function bindTelegram(
  deps: DirectRouteDeps,
  request: TelegramRequest,
  caller: Caller,
): Promise<ApiReply> {
  const { state, ...query } = request.query
  if (state === undefined) {
    if (request.sentFrom === 'other-site') return failure(INVALID, 403)
    const unproven = refuseWithoutState(request, caller.userId)
    return unproven ?? bindVouched(deps, query, caller)
  }
  const attempt =
    typeof state === 'string' ? await deps.visitors.take(request.visitorToken, state) : null
  if (attempt === null || attempt.userId !== caller.userId) return WRONG_STATE
  const visitor =
    attempt.token === null ? null : { token: attempt.token, maxAgeSeconds: VISITOR_SECONDS }
  return { ...(await bindVouched(deps, query, caller)), visitor }
}

/** The widget's page is of our own host: a link in a mail or another application is none. */
const refuseWithoutState = (request: TelegramRequest, userId: number): ApiReply | null =>
  request.sentFrom === 'address-bar'
    ? refuseCookieOnly({ ...request, sentFrom: 'unknown' }, userId)
    : refuseCookieOnly(request, userId)

async function bindVouched(
  deps: DirectRouteDeps,
  query: Readonly<Record<string, unknown>>,
  { userId }: Caller,
): Promise<ApiReply> {
  const vouched = await telegramUser(deps, query)
  if ('refusal' in vouched) return vouched.refusal
  const reply = await bind(deps, TELEGRAM, vouched, { userId, message: '' })
  if (reply.success === false) return reply
  return { ...reply, status: 302, headers: { location: '/setting' } }
}

async function weChatUser(
  deps: DirectRouteDeps,
  code: string,
): Promise<{ readonly profile: Profile } | { readonly refusal: ApiReply }> {
  if (!deps.options.current().flag(WECHAT.option)) return { refusal: failure(WECHAT.offText) }
  const vouching = await askWeChatServer(deps, code)
  if (vouching.status === 'vouched') return vouching
  noteRefusal(deps, WECHAT, vouching)
  return { refusal: failure(vouching.message) }
}

/**
 * A signature is used up by the call that brings it, also when that fails: a copy in a history or a log must not be
 * good for another call.
 */
async function telegramUser(
  deps: DirectRouteDeps,
  query: Readonly<Record<string, unknown>>,
): Promise<{ readonly id: string } | { readonly refusal: ApiReply }> {
  if (!deps.options.current().flag(TELEGRAM.option)) return { refusal: failure(TELEGRAM.offText) }
  const voucher = telegramVoucherIn(deps, query)
  if (voucher === null) return { refusal: failure(INVALID) }
  const { id, signature, goodUntil } = voucher
  const isFirst = await deps.usedSignatures.use(signature, goodUntil)
  return isFirst ? { id } : { refusal: failure(INVALID) }
}

type Handle<Query> = (request: ApiRequest<unknown, Query>) => Promise<ApiReply>

const fromOwnSite =
  <Query>(handle: Handle<Query>): Handle<Query> =>
  async (request) =>
    request.sentFrom === 'other-site' ? failure(INVALID, 403) : handle(request)

const fromWithinPage = <Query>(handle: Handle<Query>): Handle<Query> =>
  fromOwnSite(async (request) => (request.isNavigation ? failure(INVALID, 403) : handle(request)))

/** A page of another host must not replace the session of somebody who is signed in by one of its own choice. */
const signInFromPage = <Query>(deps: DirectRouteDeps, handle: Handle<Query>): Handle<Query> =>
  fromWithinPage(async (request) => {
    const session =
      request.sessionToken === null ? null : await deps.sessions.find(request.sessionToken)
    return (session === null ? null : refuseSignInOver(request)) ?? handle(request)
  })

/** These routes know the session alone, and no access tokens. */
const signedIn =
  <Query>(
    handle: (request: ApiRequest<unknown, Query>, caller: Caller) => Promise<ApiReply>,
  ): Handle<Query> =>
  async (request) =>
    request.caller === null ? failure(DENIALS.notSignedIn, 401) : handle(request, request.caller)
