import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openChromium } from '../support/browser/browser.ts'
import { signedByTelegram, TELEGRAM_BOT_TOKEN } from '../support/providers/telegram.ts'
import { startWeChat, WECHAT_TOKEN, type WeChatStandIn } from '../support/providers/wechat.ts'
import { PASSWORD, startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'

/**
 * Requests of a real browser when it binds, and when a page of another site would have it bind. Tollgate is at
 * 127.0.0.1; the other site at localhost, which to a browser is another.
 */
let whole: WholeTollgate
let wechat: WeChatStandIn
let otherSite: Server
let browser: Browser
let context: BrowserContext
let page: Page
/** The address that the other site's page links to. */
let trap = ''

beforeAll(async () => {
  wechat = await startWeChat()
  whole = await startWholeTollgate()
  await whole.root.setOptions({
    'fetch_setting.allow_private_addresses': 'true',
    WeChatServerAddress: wechat.url,
    WeChatServerToken: WECHAT_TOKEN,
    WeChatAuthEnabled: 'true',
    TelegramBotToken: TELEGRAM_BOT_TOKEN,
    TelegramOAuthEnabled: 'true',
  })
  otherSite = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<a href="${trap.replaceAll('&', '&amp;')}">win a prize</a>`)
  })
  await new Promise<void>((resolve) => otherSite.listen(0, 'localhost', resolve))
  browser = await openChromium()
}, 60_000)
afterAll(async () => {
  await browser.close()
  otherSite.close()
  await whole.stop()
  await wechat.stop()
}, 30_000)

beforeEach(async () => {
  await context?.close()
  context = await browser.newContext({ baseURL: whole.tollgate.url })
  page = await context.newPage()
  await page.goto('/about')
  const status = await page.evaluate(async (password) => {
    const body = JSON.stringify({ username: 'root', password })
    return (await fetch('/api/user/login', { method: 'POST', body })).status
  }, PASSWORD)
  if (status !== 200) throw new Error(`signing in was answered ${status}`)
})

const bound = async () => {
  const { rows } = await whole.database.pool.query(
    'select wechat_id, telegram_id from identity.users where role = 100',
  )
  return rows[0] as { readonly wechat_id: string; readonly telegram_id: string }
}
const telegramBind = (id: string): string => {
  const authDate = String(Math.floor(Date.now() / 1000))
  const signed = signedByTelegram({ id, first_name: 'Te Le', auth_date: authDate })
  return `/api/oauth/telegram/bind?${new URLSearchParams(signed).toString()}`
}
async function followLinkTo(path: string): Promise<number> {
  trap = whole.tollgate.url + path
  const { port } = otherSite.address() as AddressInfo
  await page.goto(`http://localhost:${port}/`)
  const answered = page.waitForResponse(trap)
  await page.click('a')
  return (await answered).status()
}

test('given another site’s link, when a signed-in browser follows it, then nothing is bound', async () => {
  wechat.sent('111111', 'wx-of-the-attacker')
  expect(await followLinkTo('/api/oauth/wechat/bind?code=111111')).toBe(403)
  expect(await followLinkTo(telegramBind('666'))).toBe(403)
  expect(await bound()).toEqual({ wechat_id: '', telegram_id: '' })
})

test('given our own page, when it binds as consoles and Telegram’s widget do, then both are bound', async () => {
  wechat.sent('222222', 'wx-own')
  const status = await page.evaluate(
    async () => (await fetch('/api/oauth/wechat/bind?code=222222')).status,
  )
  expect(status).toBe(200)
  await page.evaluate(`location.assign(${JSON.stringify(telegramBind('42'))})`)
  await page.waitForURL('**/setting')
  expect(await bound()).toEqual({ wechat_id: 'wx-own', telegram_id: '42' })
})
