import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { openChromium, openPage, type View, type WatchedPage } from '../support/browser/browser.ts'
import { GITHUB_CLIENT, type GitHubStandIn, startGitHub } from '../support/providers/github.ts'
import {
  LINUX_DO_CLIENT,
  type LinuxDoStandIn,
  startLinuxDo,
} from '../support/providers/linux-do.ts'
import { OIDC_CLIENT, type OidcStandIn, startOidc } from '../support/providers/oidc.ts'
import { signedByTelegram, TELEGRAM_BOT_TOKEN } from '../support/providers/telegram.ts'
import { startWeChat, WECHAT_TOKEN, type WeChatStandIn } from '../support/providers/wechat.ts'
import { PASSWORD, startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'
import { signIn } from './sign-in.ts'
import { textsOf } from './texts.ts'

/** Signing in, signing up and binding through others, from the button to the provider's page and back, in a real browser. */
let whole: WholeTollgate
let github: GitHubStandIn
let linuxDo: LinuxDoStandIn
let oidc: OidcStandIn
let wechat: WeChatStandIn
let browser: Browser

const t = textsOf('en')
const DESKTOP: View = { language: 'en', theme: 'light', width: 1280 }

beforeAll(async () => {
  github = await startGitHub()
  linuxDo = await startLinuxDo(() => whole.tollgate.url)
  oidc = await startOidc()
  wechat = await startWeChat()
  whole = await startWholeTollgate({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  await whole.root.setOptions({
    'fetch_setting.allow_private_addresses': 'true',
    ServerAddress: whole.tollgate.url,
    GitHubServerAddress: `${github.url}/`,
    GitHubClientId: GITHUB_CLIENT.id,
    GitHubClientSecret: GITHUB_CLIENT.secret,
    GitHubOAuthEnabled: 'true',
    LinuxDOServerAddress: linuxDo.url,
    LinuxDOClientId: LINUX_DO_CLIENT.id,
    LinuxDOClientSecret: LINUX_DO_CLIENT.secret,
    LinuxDOOAuthEnabled: 'true',
    'oidc.client_id': OIDC_CLIENT.id,
    'oidc.client_secret': OIDC_CLIENT.secret,
    'oidc.well_known': oidc.wellKnown,
    'oidc.enabled': 'true',
    WeChatServerAddress: wechat.url,
    WeChatServerToken: WECHAT_TOKEN,
    WeChatAuthEnabled: 'true',
    TelegramBotToken: TELEGRAM_BOT_TOKEN,
    TelegramBotName: 'my_bot',
    TelegramOAuthEnabled: 'true',
  })
  browser = await openChromium()
}, 120_000)
afterAll(async () => {
  await browser.close()
  await whole.stop()
  await Promise.all([github, linuxDo, oidc, wechat].map((one) => one.stop()))
}, 60_000)

let visitors = 0

/** A page of a visitor with an address of their own: signing in is limited by address. Telegram's script stays away. */
async function open(view = DESKTOP): Promise<WatchedPage> {
  const watched = await openPage(browser, whole.tollgate.url, view)
  await watched.page.route('https://telegram.org/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: '' }),
  )
  await watched.page.setExtraHTTPHeaders({ 'x-forwarded-for': `192.0.2.${++visitors}` })
  return watched
}

const callback = (provider: string): string => `${whole.tollgate.url}/oauth/${provider}`
const go = (page: Page, name: string) =>
  page.getByRole('button', { name: t('provider.continue', { name }) }).click()

/** Waits for a failure's message, which stands in a notice and nowhere else. */
async function saidOnce(page: Page, message: string): Promise<void> {
  await page.locator('[data-scope=toast]').getByText(message).first().waitFor()
  expect(await page.getByText(message).count()).toBe(1)
}

const known = z.object({
  username: z.string(),
  github_id: z.string(),
  linux_do_id: z.string(),
  oidc_id: z.string(),
  wechat_id: z.string(),
  inviter_id: z.number(),
})
/** The user who is signed in, as the server says it to this page. */
const self = async (page: Page) => {
  const answer: unknown = await page.evaluate(async () => {
    const user = JSON.parse(localStorage.getItem('user') ?? '{}') as { id?: number }
    const headers = { 'New-Api-User': String(user.id) }
    return ((await (await fetch('/api/user/self', { headers })).json()) as { data: unknown }).data
  })
  return known.parse(answer)
}

test('given GitHub at its own address, when an invited newcomer signs in there, then they are a user', async () => {
  const affCode = await whole.root.ask('GET', '/api/user/aff', z.string())
  const watched = await open()
  const { page } = watched
  github.visitedBy({ login: 'octo', id: 7, name: 'Octo Cat' }, callback('github'))
  await page.goto(`/login?aff=${affCode}`)
  await go(page, 'GitHub')
  await page.waitForURL('**/token')
  expect(await self(page)).toMatchObject({ github_id: 'octo', inviter_id: whole.root.userId })
  expect(github.refusals).toEqual([])
  watched.expectNoComplaint()
  await page.context().close()
})

test('given Linux DO, when a newcomer signs up there and comes again, then it is the same user', async () => {
  linuxDo.visitedBy({ id: 42, username: 'neo', name: 'Neo' }, callback('linuxdo'))
  const names = []
  for (const path of ['/register', '/login']) {
    const watched = await open()
    const { page } = watched
    await page.goto(path)
    await go(page, 'Linux DO')
    await page.waitForURL('**/token')
    const { username, linux_do_id: id } = await self(page)
    expect(id).toBe('42')
    names.push(username)
    watched.expectNoComplaint()
    await page.context().close()
  }
  expect(new Set(names).size).toBe(1)
  expect(linuxDo.refusals).toEqual([])
})

test('given a discovered OpenID provider, when somebody signs in for the log, then they are led there', async () => {
  oidc.visitedBy({ sub: 'olive-1', email: 'olive@example.com', preferred_username: 'olive' })
  const watched = await open()
  const { page } = watched
  await page.goto('/log?type=2')
  await page.waitForURL('**/login?*')
  await go(page, 'OIDC')
  await page.waitForURL('**/log?type=2')
  expect(await self(page)).toMatchObject({ username: 'olive', oidc_id: 'olive-1' })
  expect(oidc.refusals).toEqual([])
  watched.expectNoComplaint()
  await page.context().close()
})

test('given somebody who is signed in, when each provider returns them, then it is bound', async () => {
  const watched = await open()
  const { page } = watched
  await signIn(page, { username: 'root', password: PASSWORD }, 'en')
  github.visitedBy({ login: 'root-cat', id: 8 }, callback('github'))
  linuxDo.visitedBy({ id: 43, username: 'root' }, callback('linuxdo'))
  for (const name of ['GitHub', 'Linux DO']) {
    await page.goto('/login')
    await go(page, name)
    await page.waitForURL('**/setting')
    await page.getByText(t('provider.bound')).waitFor()
  }
  expect(await self(page)).toMatchObject({ github_id: 'root-cat', linux_do_id: '43' })

  // Somebody else has this one already: the settings again, with the reason.
  github.visitedBy({ login: 'octo', id: 7 }, callback('github'))
  await page.goto('/login')
  await go(page, 'GitHub')
  await saidOnce(page, 'This GitHub account is linked to another user.')
  await page.getByText(t('provider.failed')).waitFor()
  await page.waitForURL('**/setting')
  expect(await self(page)).toMatchObject({ github_id: 'root-cat' })
  watched.expectNoComplaint()
  await page.context().close()
})

test('given a refusal or a foreign state, when people return, then they read why at the sign-in', async () => {
  const watched = await open()
  const { page } = watched
  linuxDo.visitedBy(null, callback('linuxdo'))
  await page.goto('/login')
  await go(page, 'Linux DO')
  await saidOnce(page, 'The person said no')
  await watched.expectAccessible()
  await page.waitForURL('**/login')
  await page.goto('/oauth/github?code=123e4567&state=made-up')
  await saidOnce(page, 'This sign-in has expired')
  await page.waitForURL('**/login')
  await page.goto('/oauth/elsewhere?code=1')
  await page.getByRole('heading', { name: t('notFound.title') }).waitFor()
  await page.context().close()
})

test('given WeChat, when its code is entered, then the dialog says what is wrong and leads home', async () => {
  wechat.sent('135790', 'wx-ann')
  const watched = await open()
  const { page } = watched
  await page.goto('/login')
  await page.getByRole('button', { name: t('provider.wechatTitle') }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/three minutes/u).waitFor()
  const submit = dialog.getByRole('button', { name: t('login.submit') })
  await submit.click()
  await dialog.getByText(t('provider.wechatCodeMissing')).waitFor()
  await watched.expectAccessible()
  await dialog.getByLabel(t('provider.wechatCode')).fill('000000')
  await submit.click()
  await dialog.getByText('The code is wrong or has expired.').waitFor()
  await dialog.getByLabel(t('provider.wechatCode')).fill('135790')
  await submit.click()
  await page.waitForURL(`${whole.tollgate.url}/`)
  expect(await self(page)).toMatchObject({ wechat_id: 'wx-ann' })
  watched.expectNoComplaint()
  await page.context().close()
})

test('given Telegram, when its button leads back, then only who is linked is signed in', async () => {
  const { page } = await open()
  await page.goto('/login')
  const script = page.locator('script[data-telegram-login=my_bot]')
  await script.waitFor({ state: 'attached' })
  const address = (await script.getAttribute('data-auth-url')) ?? ''
  expect(address).toBe(callback('telegram'))
  const comeBack = (at: Page, id: string) => {
    const authDate = String(Math.floor(Date.now() / 1000))
    const signed = signedByTelegram({ id, first_name: '"Te" & Le', auth_date: authDate })
    return at.goto(`${address}?${new URLSearchParams(signed).toString()}`)
  }
  await comeBack(page, '98')
  await saidOnce(page, 'No user is linked to this Telegram account.')
  await page.waitForURL('**/login')
  await whole.database.pool.query(
    "update identity.users set telegram_id = '99' where github_id = 'octo'",
  )
  await comeBack(page, '99')
  await page.waitForURL(`${whole.tollgate.url}/`)
  expect(await self(page)).toMatchObject({ github_id: 'octo' })
  await page.context().close()

  // The page that was wanted before the sign-in, as other ways lead to it.
  const { page: another } = await open()
  await another.goto('/log?type=2')
  await another.waitForURL('**/login?**')
  await another.locator('script[data-telegram-login=my_bot]').waitFor({ state: 'attached' })
  await comeBack(another, '99')
  await another.waitForURL('**/log?type=2**')
  await another.context().close()
})

test.each<View>([
  { language: 'zh', theme: 'dark', width: 360 },
  { language: 'en', theme: 'light', width: 360 },
])(
  'given $language, $theme, $width px, when all ways to sign in are offered, then axe finds nothing',
  async (view) => {
    const watched = await open(view)
    const { page } = watched
    for (const path of ['/login', '/register']) {
      await page.goto(path)
      await page.getByRole('button', { name: /Linux DO/u }).waitFor()
      await watched.expectAccessible()
      expect(
        await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        ),
      ).toBe(0)
    }
    watched.expectNoComplaint()
    await page.context().close()
  },
  60_000,
)
