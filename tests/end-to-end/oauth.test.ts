import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { CookieJar } from '../support/browser/cookie-jar.ts'
import { GITHUB_CLIENT, type GitHubStandIn, startGitHub } from '../support/providers/github.ts'
import {
  LINUX_DO_CLIENT,
  type LinuxDoStandIn,
  startLinuxDo,
} from '../support/providers/linux-do.ts'
import {
  OIDC_CLIENT,
  type OidcPerson,
  type OidcStandIn,
  startOidc,
} from '../support/providers/oidc.ts'
import { signedByTelegram, TELEGRAM_BOT_TOKEN } from '../support/providers/telegram.ts'
import {
  startTurnstile,
  TURNSTILE_SECRET,
  type TurnstileStandIn,
} from '../support/providers/turnstile.ts'
import { startWeChat, WECHAT_TOKEN, type WeChatStandIn } from '../support/providers/wechat.ts'
import { PASSWORD, startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'

/** Signing in through others on the composed product, over HTTP and with cookies, as browsers do. */
let whole: WholeTollgate
let oidc: OidcStandIn
let github: GitHubStandIn
let linuxDo: LinuxDoStandIn
let wechat: WeChatStandIn
let turnstile: TurnstileStandIn

beforeAll(async () => {
  oidc = await startOidc()
  github = await startGitHub()
  linuxDo = await startLinuxDo(() => 'https://gate.example.com')
  wechat = await startWeChat()
  turnstile = await startTurnstile()
  whole = await startWholeTollgate({
    env: { TRUSTED_PROXIES: '127.0.0.1' },
    runtime: {
      providers: { turnstile: turnstile.verifyUrl },
    },
  })
  await set({
    'fetch_setting.allow_private_addresses': 'true',
    QuotaForNewUser: '500',
    'oidc.client_id': OIDC_CLIENT.id,
    'oidc.client_secret': OIDC_CLIENT.secret,
    'oidc.well_known': oidc.wellKnown,
    'oidc.enabled': 'true',
    GitHubServerAddress: github.url,
    LinuxDOServerAddress: linuxDo.url,
    GitHubClientId: GITHUB_CLIENT.id,
    GitHubClientSecret: GITHUB_CLIENT.secret,
    GitHubOAuthEnabled: 'true',
    LinuxDOClientId: LINUX_DO_CLIENT.id,
    LinuxDOClientSecret: LINUX_DO_CLIENT.secret,
    LinuxDOOAuthEnabled: 'true',
    WeChatServerAddress: wechat.url,
    WeChatServerToken: WECHAT_TOKEN,
    WeChatAuthEnabled: 'true',
    TelegramBotToken: TELEGRAM_BOT_TOKEN,
    TelegramOAuthEnabled: 'true',
    TurnstileSiteKey: 'site',
    TurnstileSecretKey: TURNSTILE_SECRET,
  })
}, 60_000)
afterAll(async () => {
  await whole.stop()
  await Promise.all([oidc, github, linuxDo, wechat, turnstile].map((one) => one.stop()))
}, 30_000)

async function set(options: Readonly<Record<string, string>>): Promise<void> {
  await whole.root.setOptions(options)
}

let browsers = 0
const newBrowser = () => new CookieJar(whole.tollgate.url, `192.0.2.${++browsers}`)

const envelope = z.looseObject({
  success: z.boolean(),
  message: z.string(),
  data: z.unknown().optional(),
})
const ask = async (browser: CookieJar, path: string, init?: RequestInit) => {
  const answer = await browser.send(path, init)
  return { status: answer.status, ...envelope.parse(await answer.json()) }
}
const begun = z.object({ data: z.string(), nonce: z.string(), code_challenge: z.string() })

async function begin(browser: CookieJar, person: OidcPerson): Promise<string> {
  const state = begun.parse(await ask(browser, '/api/oauth/state?provider=oidc'))
  const code = oidc.authorize(person, {
    redirectUri: `${whole.tollgate.url}/oauth/oidc`,
    nonce: state.nonce,
    codeChallenge: state.code_challenge,
  })
  return `/api/oauth/oidc?code=${code}&state=${state.data}`
}
const olive: OidcPerson = {
  sub: 'olive-1',
  email: 'olive@example.com',
  preferred_username: 'olive',
}
const idOf = (answer: { readonly data?: unknown }) =>
  z.object({ id: z.number() }).parse(answer.data).id

test('given an OpenID provider, when a new person signs in, then they have quota and safe cookies', async () => {
  const browser = newBrowser()
  const back = await begin(browser, olive)
  expect(browser.received.at(-1)).toMatch(
    /^visitor=[\w-]{43}; Max-Age=1200; Path=\/api; HttpOnly; SameSite=Lax$/,
  )
  const signedIn = await ask(browser, back)
  expect(signedIn).toMatchObject({ success: true, message: '', data: { username: 'olive' } })
  expect(browser.has('visitor')).toBe(false)
  expect(browser.received.find((line) => line.startsWith('session='))).toMatch(
    /^session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  const id = idOf(signedIn)
  const self = await ask(browser, '/api/user/self', { headers: { 'new-api-user': String(id) } })
  expect(self.data).toMatchObject({
    id,
    quota: 500,
    oidc_id: 'olive-1',
    email: 'olive@example.com',
  })
  expect(oidc.refusals).toEqual([])
})

test('given a sign-in that one browser began, when another brings it back or it comes twice, then 403', async () => {
  const [own, other] = [newBrowser(), newBrowser()]
  const back = await begin(own, olive)
  const refused = { status: 403, success: false, message: 'state is empty or not same' }
  expect(await ask(other, back)).toMatchObject(refused)
  expect(await ask(own, back)).toMatchObject({ success: true })
  expect(await ask(own, back)).toMatchObject(refused)
  expect(await ask(other, '/api/oauth/oidc?code=x&state=')).toMatchObject(refused)
})

test('given a signed-in browser, when each provider returns it, then that is bound and signs in', async () => {
  const browser = newBrowser()
  const id = idOf(
    await ask(
      browser,
      await begin(browser, { ...olive, sub: 'binder', preferred_username: 'binder' }),
    ),
  )
  const state = async (at: CookieJar) => String((await ask(at, '/api/oauth/state')).data)
  const behindTls = {
    headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'gate.example.com' },
  }
  const viaGitHub = async (at: CookieJar) =>
    ask(at, `/api/oauth/github?code=${github.codeFor({ login: 'octo' })}&state=${await state(at)}`)
  const viaLinuxDo = async (at: CookieJar) => {
    const code = linuxDo.codeFor({ id: 42, username: 'neo' })
    return ask(at, `/api/oauth/linuxdo?code=${code}&state=${await state(at)}`, behindTls)
  }
  expect(await viaGitHub(browser)).toMatchObject({ success: true, message: 'bind' })
  expect(await viaLinuxDo(browser)).toMatchObject({ success: true, message: 'bind' })
  wechat.sent('123456', 'wx-1')
  const asOwner = { headers: { 'new-api-user': String(id) } }
  expect(await ask(browser, '/api/oauth/wechat/bind?code=123456')).toMatchObject({ status: 401 })
  expect(await ask(browser, '/api/oauth/wechat/bind?code=123456', asOwner)).toMatchObject({
    success: true,
    message: '',
  })
  const byTelegram = (fields = {}) =>
    new URLSearchParams(
      signedByTelegram({
        id: '99',
        first_name: 'Te & Le',
        auth_date: String(Math.floor(Date.now() / 1000)),
        ...fields,
      }),
    ).toString()
  const signed = byTelegram()
  const bound = await browser.send(`/api/oauth/telegram/bind?${signed}`, asOwner)
  expect([bound.status, bound.headers.get('location')]).toEqual([302, '/setting'])

  expect(idOf(await viaGitHub(newBrowser()))).toBe(id)
  const elsewhere = newBrowser()
  expect(idOf(await viaLinuxDo(elsewhere))).toBe(id)
  expect(elsewhere.received.at(-1)).toContain('; Secure')
  wechat.sent('654321', 'wx-1')
  expect(idOf(await ask(newBrowser(), '/api/oauth/wechat?code=654321'))).toBe(id)
  const inTelegram = (query: string) => ask(newBrowser(), `/api/oauth/telegram/login?${query}`)
  expect(await inTelegram(signed)).toMatchObject({ success: false, message: '无效的请求' })
  expect(idOf(await inTelegram(byTelegram({ username: 'tele' })))).toBe(id)
  expect([github, linuxDo, wechat].flatMap(({ refusals }) => refusals)).toEqual([])
})

test('given a link on another site, when a signed-in browser follows it, then nothing is bound', async () => {
  const browser = newBrowser()
  const id = idOf(await ask(browser, await begin(browser, olive)))
  wechat.sent('777777', 'wx-of-the-attacker')
  const followed = { headers: { 'sec-fetch-site': 'cross-site' } }
  expect(await ask(browser, '/api/oauth/wechat/bind?code=777777', followed)).toMatchObject({
    status: 403,
    success: false,
  })
  const self = await ask(browser, '/api/user/self', { headers: { 'new-api-user': String(id) } })
  expect(self.data).toMatchObject({ wechat_id: '' })
})

test('given no private addresses, when somebody returns, then the provider beside is not asked', async () => {
  // Under another name: a connection that is still open has been let through before.
  const wellKnown = oidc.wellKnown.replace('127.0.0.1', 'localhost')
  await set({ 'fetch_setting.allow_private_addresses': 'false', 'oidc.well_known': wellKnown })
  const browser = newBrowser()
  const back = await begin(browser, olive)
  const before = new Map(oidc.calls)
  expect(await ask(browser, back)).toMatchObject({
    success: false,
    message: '无法连接至 OIDC 服务器，请稍后重试！',
  })
  expect(oidc.calls).toEqual(before)
  await set({
    'fetch_setting.allow_private_addresses': 'true',
    'oidc.well_known': oidc.wellKnown,
  })
})

test('given Turnstile, when a human has passed it once, then only their further calls pass', async () => {
  await set({ TurnstileCheckEnabled: 'true' })
  const logIn = (browser: CookieJar, password: string, query = '') =>
    ask(browser, `/api/user/login${query}`, {
      method: 'POST',
      body: JSON.stringify({ username: 'root', password }),
    })
  const browser = newBrowser()
  expect(await logIn(browser, PASSWORD)).toMatchObject({ message: 'Turnstile token 为空' })
  expect(await logIn(browser, PASSWORD, '?turnstile=made-up')).toMatchObject({
    message: 'Turnstile 校验失败，请刷新重试！',
  })
  turnstile.solved('t1')
  expect(await logIn(browser, 'wrong-password', '?turnstile=t1')).toMatchObject({
    message: '用户名或密码错误，或用户已被封禁',
  })
  expect(await logIn(browser, PASSWORD, '?turnstile=t1')).toMatchObject({ success: true })
  expect(turnstile.calls.get('POST /siteverify')).toBe(2)
  expect(await logIn(newBrowser(), PASSWORD, '?turnstile=t1')).toMatchObject({ success: false })
  expect(turnstile.refusals).toEqual([])
  await set({ TurnstileCheckEnabled: 'false' })
})
