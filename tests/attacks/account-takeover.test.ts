import {
  createServer,
  type IncomingHttpHeaders,
  request as httpRequest,
  type Server,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { emailCodeRows } from '@tollgate/command-api/identity/email/email-codes.ts'
import { openVault } from '@tollgate/command-api/secrets/vault.ts'
import { systemClock, systemEntropy } from '@tollgate/infra/processes/runtime.ts'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findChromium } from '../support/browser/chromium.ts'
import { signedByTelegram, TELEGRAM_BOT_TOKEN } from '../support/providers/telegram.ts'
import { startWeChat, WECHAT_TOKEN, type WeChatStandIn } from '../support/providers/wechat.ts'
import { PASSWORD, startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'

/**
 * Over plain HTTP a page of a sibling host (evil.example.test beside gate.example.test) makes the browser of the root
 * user bind an e-mail, WeChat and Telegram of the attacker, sign in as the attacker, and sign out. SameSite lets the
 * session cookie go along, and Chromium sends neither Sec-Fetch-Site nor Origin. Nothing of it may happen.
 */
let whole: WholeTollgate
let wechat: WeChatStandIn
let evil: Server
let proxy: Server
let browser: Browser
let context: BrowserContext
let page: Page
let gateUrl = ''
let evilUrl = ''
let rootId = 0
/** Requests that came from the browser, by path and query. */
const arrived = new Map<string, IncomingHttpHeaders>()

beforeAll(async () => {
  wechat = await startWeChat()
  whole = await startWholeTollgate({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  await whole.root.setOptions({
    'fetch_setting.allow_private_addresses': 'true',
    WeChatServerAddress: wechat.url,
    WeChatServerToken: WECHAT_TOKEN,
    WeChatAuthEnabled: 'true',
    TelegramBotToken: TELEGRAM_BOT_TOKEN,
    TelegramOAuthEnabled: 'true',
  })
  proxy = createServer((request, response) => {
    const { url = '', method, headers } = request
    arrived.set(url, headers)
    // An address of its own for each, so that no rate limit stands in for what is tested.
    const forwarded = `192.0.2.${arrived.size % 250}`
    const passedOn = httpRequest(
      new URL(url, whole.tollgate.url),
      { method, headers: { ...headers, 'x-forwarded-for': forwarded } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
        answer.pipe(response)
      },
    )
    passedOn.on('error', () => response.destroy())
    request.pipe(passedOn)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  gateUrl = `http://gate.example.test:${(proxy.address() as AddressInfo).port}`
  evil = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<title>win a prize</title>')
  })
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve))
  evilUrl = `http://evil.example.test:${(evil.address() as AddressInfo).port}`
  const executablePath = findChromium(process.env)
  if (executablePath === null) throw new Error('No Chromium found: install it or set CHROMIUM_PATH')
  browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--host-resolver-rules=MAP *.example.test 127.0.0.1'],
  })
}, 60_000)
afterAll(async () => {
  await browser?.close()
  evil?.close()
  proxy?.close()
  await whole?.stop()
  await wechat?.stop()
}, 30_000)

beforeEach(async () => {
  await whole.database.pool.query(
    `update identity.users set email = '', wechat_id = '', telegram_id = '' where role = 100`,
  )
  await context?.close()
  context = await browser.newContext({ baseURL: gateUrl })
  page = await context.newPage()
  await page.goto('/about')
  rootId = await page.evaluate(async (password) => {
    const body = JSON.stringify({ username: 'root', password })
    const answer = await fetch('/api/user/login', { method: 'POST', body })
    return ((await answer.json()) as { data: { id: number } }).data.id
  }, PASSWORD)
})

const ways = async () => {
  const { rows } = await whole.database.pool.query(
    'select email, wechat_id, telegram_id from identity.users where role = 100',
  )
  return rows[0] as Readonly<Record<'email' | 'wechat_id' | 'telegram_id', string>>
}
const NO_WAY_IN = { email: '', wechat_id: '', telegram_id: '' }
const isSignedIn = () =>
  page.evaluate(async (id) => {
    const headers = { 'New-Api-User': String(id) }
    return (await fetch('/api/user/self', { headers })).status === 200
  }, rootId)

let attempts = 0
function telegramQuery(id: string): string {
  const fields = {
    id,
    first_name: 'Te Le',
    photo_url: `${++attempts}.jpg`,
    auth_date: String(Math.floor(Date.now() / 1000)),
  }
  return new URLSearchParams(signedByTelegram(fields)).toString()
}
function wechatCode(): string {
  const code = `code-${++attempts}`
  wechat.sent(code, 'wx-of-the-attacker')
  return code
}
const EVIL_EMAIL = 'evil@example.org'
/** The attacker reads the code in a mail of their own; here it is made under the product's key. */
const codes = () =>
  emailCodeRows({
    db: whole.database.db,
    vault: openVault(Buffer.alloc(32, 1), systemEntropy),
    clock: systemClock,
    entropy: systemEntropy,
  })
/** Addresses that the attacker has prepared: each call is their own proof for the victim's account. */
const lures = async (): Promise<readonly string[]> => [
  `/api/oauth/email/bind?email=${EVIL_EMAIL}&code=${await codes().issue('verification', EVIL_EMAIL)}`,
  `/api/oauth/wechat/bind?code=${wechatCode()}`,
  `/api/oauth/telegram/bind?${telegramQuery('666')}`,
  `/api/oauth/wechat?code=${wechatCode()}`,
  `/api/oauth/telegram/login?${telegramQuery('666')}`,
  '/api/user/logout',
]

/** How a page makes its visitor's browser send a GET; run in the page. */
const MEANS = {
  picture: `(url) => new Promise((resolve) => {
    const image = new Image()
    image.onload = image.onerror = resolve
    image.src = url
  })`,
  'fetch without CORS': `(url) => fetch(url, { mode: 'no-cors', credentials: 'include' }).catch(() => undefined)`,
  'fetch with CORS': `(url) => fetch(url, { credentials: 'include' }).catch(() => undefined)`,
} as const

const leadTo = (url: string) => `location.assign(${JSON.stringify(url)})`

test.each(Object.keys(MEANS) as readonly (keyof typeof MEANS)[])(
  'given a sibling host’s page over plain HTTP, when it calls by %s, then the session stays unbound',
  async (means) => {
    const attack = await context.newPage()
    await attack.goto(`${evilUrl}/`)
    for (const path of await lures()) {
      await attack.evaluate(`(${MEANS[means]})(${JSON.stringify(gateUrl + path)}).then(() => null)`)
      // The premise: the cookie goes along, and nothing says whose page it is (but for CORS, which names it).
      const headers = arrived.get(path)
      expect(headers).toMatchObject({ cookie: expect.stringContaining('session=') as string })
      expect(headers?.['sec-fetch-site']).toBeUndefined()
      expect(headers?.origin !== undefined).toBe(means === 'fetch with CORS')
      expect([path, await isSignedIn(), await ways()]).toEqual([path, true, NO_WAY_IN])
    }
  },
)

test('given a sibling host’s page over plain HTTP, when it leads the browser there, then nothing is bound', async () => {
  for (const path of await lures()) {
    const attack = await context.newPage()
    await attack.goto(`${evilUrl}/`)
    await attack.evaluate(leadTo(gateUrl + path))
    await attack.waitForURL((url) => url.href.startsWith(gateUrl))
    await attack.close()
    expect([path, await isSignedIn(), await ways()]).toEqual([path, true, NO_WAY_IN])
  }
})

test('given a planted visitor cookie, when Telegram’s binding comes with its state, then nothing is bound', async () => {
  const begun = await fetch(`${whole.tollgate.url}/api/oauth/state`)
  const { data: state } = (await begun.json()) as { data: string }
  const [visitor = ''] = (begun.headers.getSetCookie()[0] ?? '').split(';')
  const [name = '', value = ''] = visitor.split('=')
  await context.addCookies([{ name, value, domain: '.example.test', path: '/api' }])
  const attack = await context.newPage()
  await attack.goto(`${evilUrl}/`)
  const path = `/api/oauth/telegram/bind?state=${state}&${telegramQuery('666')}`
  const answered = attack.waitForResponse(gateUrl + path)
  await attack.evaluate(leadTo(gateUrl + path))
  expect((await answered).status()).toBe(403)
  expect(await ways()).toEqual(NO_WAY_IN)
})

test('given our own page over plain HTTP, when it binds and signs out as consoles do, then it is done', async () => {
  const own = (path: string) =>
    page.evaluate(
      async ([url, id]) => {
        const answer = await fetch(url, { headers: { 'New-Api-User': String(id) } })
        return answer.json() as Promise<{ success: boolean; data?: string }>
      },
      [path, rootId] as const,
    )
  expect(await own(`/api/oauth/wechat/bind?code=${wechatCode()}`)).toMatchObject({ success: true })
  const code = await codes().issue('verification', 'root@example.org')
  expect(await own(`/api/oauth/email/bind?email=root@example.org&code=${code}`)).toMatchObject({
    success: true,
  })
  const { data: state } = await own('/api/oauth/state')
  // Telegram's widget moves the page to the address that the console gave it, with what it has signed.
  await page.evaluate(leadTo(`/api/oauth/telegram/bind?state=${state}&${telegramQuery('42')}`))
  await page.waitForURL('**/setting**')
  expect(await ways()).toEqual({
    email: 'root@example.org',
    wechat_id: 'wx-of-the-attacker',
    telegram_id: '42',
  })
  expect(await own('/api/user/logout')).toMatchObject({ success: true })
  expect(await isSignedIn()).toBe(false)
})
