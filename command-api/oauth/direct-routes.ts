import {
  type ApiReply,
  type ApiRequest,
  type ApiRoute,
  type Caller,
  failure,
  route,
} from '@tollgate/domain/ports/api-route.ts'
import { z } from 'zod'
import { queryText } from '../http/query.ts'
import { DENIALS } from '../identity/authenticate.ts'
import { EXAMPLE_SIGNED_IN, userAnswer } from '../users/user-answer.ts'
import type { UsedSignatures } from '../identity/used-signatures.ts'
import { bind, type CallbackDeps, signIn, signInOrUp } from './callback.ts'
import { type AskingDeps, noteRefusal, type Profile } from './provider.ts'
import { TELEGRAM, telegramVoucherIn, telegramQuery } from './telegram.ts'
import { askWeChatServer, WECHAT } from './wechat.ts'

export type DirectRouteDeps = CallbackDeps &
  AskingDeps & { readonly usedSignatures: Pick<UsedSignatures, 'use'> }

const UNFIT = '无效的请求'

const wechatQuery = z.object({ code: queryText() })

const TELEGRAM_EXAMPLE = {
  id: '123456789',
  first_name: 'Ann',
  auth_date: '1767225600',
  hash: 'c1c4f3f5cbb1d9a1b0a2f7c1d4e6a8b0c2d4e6f8a0b2c4d6e8f0a1b3c5d7e9f1',
}

/**
 * Providers whose proof arrives with the very first call, so that no state can tie it to a browser. These calls come by
 * GET with the session cookie alone (console-api 2.3), which SameSite=Lax also sends along links of other sites: somebody
 * could bind their own WeChat or Telegram to the account of whoever follows one, and then sign in with it. So what a
 * page of another site makes a browser send is turned away: browsers say so in Sec-Fetch-Site, which no page can change,
 * though only over https or to this machine. Over plain HTTP what is left are links, and consoles make these calls from
 * within a page, so whatever is opened as a page is turned away as well; but for Telegram's binding, to which the widget
 * moves the console's own page (Telegram serves https sites alone). Scripts and old clients send none of this and go on
 * working.
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
    example: { query: { code: '482916' }, data: EXAMPLE_SIGNED_IN },
    handle: fromWithinPage(async (request) => {
      const asked = await weChatUser(deps, request.query.code)
      return 'refusal' in asked
        ? asked.refusal
        : signInOrUp(deps, WECHAT, asked.profile, '', request)
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
    example: { query: { code: '482916' } },
    handle: fromWithinPage(
      signedIn(async (request, caller) => {
        const asked = await weChatUser(deps, request.query.code)
        if ('refusal' in asked) return asked.refusal
        return bind(deps, WECHAT, asked.profile, caller.userId, '')
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
    example: { query: TELEGRAM_EXAMPLE, data: EXAMPLE_SIGNED_IN },
    handle: fromWithinPage(async (request) => {
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
    summary: "Bind Telegram to the signed-in user; the widget's page goes on to /setting",
    query: telegramQuery,
    answer: {},
    example: { query: TELEGRAM_EXAMPLE },
    handle: fromOwnSite(
      signedIn(async (request, caller) => {
        const vouched = await telegramUser(deps, request.query)
        if ('refusal' in vouched) return vouched.refusal
        const reply = await bind(deps, TELEGRAM, vouched, caller.userId, '')
        if (reply.success === false) return reply
        return { ...reply, status: 302, headers: { location: '/setting' } }
      }),
    ),
  }),
]

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
 * Whoever comes with a signature has used it up, also when nothing comes of it: what a history or a log keeps of this
 * call must not be good for another one.
 */
async function telegramUser(
  deps: DirectRouteDeps,
  query: Readonly<Record<string, unknown>>,
): Promise<{ readonly id: string } | { readonly refusal: ApiReply }> {
  if (!deps.options.current().flag(TELEGRAM.option)) return { refusal: failure(TELEGRAM.offText) }
  const voucher = telegramVoucherIn(deps, query)
  if (voucher === null) return { refusal: failure(UNFIT) }
  const { id, signature, goodUntil } = voucher
  const isFirst = await deps.usedSignatures.use(signature, goodUntil)
  return isFirst ? { id } : { refusal: failure(UNFIT) }
}

type Handle<Query> = (request: ApiRequest<unknown, Query>) => Promise<ApiReply>

const fromOwnSite =
  <Query>(handle: Handle<Query>): Handle<Query> =>
  async (request) =>
    request.isFromOtherSite ? failure(UNFIT, 403) : handle(request)

const fromWithinPage = <Query>(handle: Handle<Query>): Handle<Query> =>
  fromOwnSite(async (request) => (request.isNavigation ? failure(UNFIT, 403) : handle(request)))

/** These routes know the session alone: neither access tokens nor the header New-Api-User. */
const signedIn =
  <Query>(
    handle: (request: ApiRequest<unknown, Query>, caller: Caller) => Promise<ApiReply>,
  ): Handle<Query> =>
  async (request) =>
    request.caller === null ? failure(DENIALS.notSignedIn, 401) : handle(request, request.caller)
