import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gateway, ROOT, startGateway } from '../support/gateway.ts'
import { openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Small rules of the seeds about screens, in a real browser. */
let gateway: Gateway
let page: Page
const t = textsOf('zh')

beforeAll(async () => {
  gateway = await startGateway({ models: ['gpt-4o-mini'] })
  ;({ page } = await openSignedIn(gateway, { width: 1280 }))
})
afterAll(() => stopAll(page, gateway))

test.each([
  [429, '请求次数过多，请稍后再试！', '错误：请求次数过多，请稍后再试！'],
  [429, '', '错误：请求次数过多，请稍后再试！'],
  [500, '服务器内部错误，请联系管理员！', '错误：服务器内部错误，请联系管理员！'],
  [503, '服务暂时不可用，请稍后重试', '错误：服务暂时不可用，请稍后重试'],
  [413, '', '错误：请求失败 (HTTP 413)'],
  [405, '本站仅作演示之用，无服务端！', '本站仅作演示之用，无服务端！'],
  [200, '生成失败', '生成失败'],
])(
  'given an answer of %i with %j, when something fails, then the message is %s',
  async (status, message, shown) => {
    await page.route('**/api/user/token', (route) =>
      route.fulfill({
        status,
        contentType: 'application/json',
        body: message === '' ? '' : JSON.stringify({ success: false, message }),
      }),
    )
    await page.goto('/personal')
    await page.getByRole('button', { name: t('personal.makeAccessToken') }).click()
    await page.getByText(shown, { exact: true }).waitFor()
    await page.unroute('**/api/user/token')
  },
)

test('given models that cannot be listed, when a channel is added, then the reason is said', async () => {
  await page.route('**/api/channel/models', (route) =>
    route.fulfill({ json: { success: false, message: 'no list today' } }),
  )
  await page.goto('/channel?add=true')
  const drawer = page.getByRole('dialog', { name: t('channels.title_add') })
  const failure = drawer.getByText('获取模型列表失败：no list today')
  const fillAll = drawer.getByRole('button', { name: t('channels.fillAll') })
  await failure.waitFor()
  expect(await fillAll.isDisabled()).toBe(true)
  await page.unroute('**/api/channel/models')
  await drawer.getByRole('button', { name: t('action.retry') }).click()
  await failure.waitFor({ state: 'hidden' })
  // The failure goes when the list is asked for again, before it has come.
  await expect.poll(() => fillAll.isEnabled()).toBe(true)
})

test('given enabled models that cannot be had, when those without a price open, then the reason is said', async () => {
  await page.route('**/api/pricing', (route) =>
    route.fulfill({ json: { success: false, message: 'no prices today' } }),
  )
  await page.goto('/setting?prices=unset')
  await page.getByText('获取启用模型失败', { exact: true }).waitFor()
  await page.getByText('no prices today').waitFor()
  await page.unroute('**/api/pricing')
  await page.getByRole('button', { name: t('action.retry') }).click()
  await page.getByText('获取启用模型失败').waitFor({ state: 'hidden' })
})

test('given a list in view, when it cannot be read again, then it says so and since when it is as it is', async () => {
  await page.goto('/channel')
  const refresh = page.getByRole('button', { name: t('action.refresh') })
  await page.getByText(/^更新于 /).waitFor()
  await page.route('**/api/channel/?*', (route) =>
    route.fulfill({ json: { success: false, message: 'no rows today' } }),
  )
  await refresh.click()
  await page.getByText(/^刷新失败 · 当前数据截至 \d/).waitFor()
  await page.unroute('**/api/channel/?*')
  await refresh.click()
  await page.getByText(/^更新于 /).waitFor()
})

test('given root, when the own account is opened, then the tag says administrator', async () => {
  await page.goto('/personal')
  const account = page.getByRole('region', { name: t('personal.account'), exact: true })
  await account.getByText('管理员', { exact: true }).waitFor()
  expect(await account.getByText('普通用户').count()).toBe(0)
})

test('given a bound e-mail, when another is bound, then the console sends the password along', async () => {
  await gateway.root.setOptions({ SMTPServer: 'mail.example.com', SMTPFrom: 'gate@example.com' })
  await gateway.product.query(
    "update identity.users set email = 'root@example.com' where role = 100",
  )
  await page.route('**/api/verification?*', (route) =>
    route.fulfill({ json: { success: true, message: '' } }),
  )
  await page.goto('/personal')
  const change = `${t('personal.change')}: ${t('personal.email')}`
  await page.getByRole('button', { name: change }).click()
  await page.getByLabel(t('personal.newEmail')).fill('new@example.com')
  await page.getByRole('button', { name: t('personal.sendCode') }).click()
  await page.getByText(t('personal.codeSent')).waitFor()
  await page.getByLabel(t('personal.emailCode')).fill('3f9a1c')
  await page.getByLabel(t('personal.originalPassword')).fill(ROOT.password)
  const asked = page.waitForRequest('**/api/oauth/email/bind?*')
  await page.getByRole('button', { name: t('personal.changeEmail') }).click()
  const query = new URL((await asked).url()).searchParams
  expect(Object.fromEntries(query)).toEqual({
    email: 'new@example.com',
    code: '3f9a1c',
    password: ROOT.password,
  })
})

test('given sign-in by Telegram, when it is bound, then the widget gets a state of one use in its address', async () => {
  await gateway.root.setOptions({
    TelegramBotToken: '1:x',
    TelegramBotName: 'my_bot',
    TelegramOAuthEnabled: 'true',
  })
  await page.route('https://telegram.org/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: 'window.isWidgetLoaded = true' }),
  )
  await page.goto('/personal')
  const begun = page.waitForResponse('**/api/oauth/state')
  const bind = `${t('personal.bind')}: ${t('personal.telegram')}`
  await page.getByRole('button', { name: bind }).click()
  const { data: state } = (await (await begun).json()) as { data: string }
  // Not by waitForFunction: where the page has to be asked again, that evaluates text, which the CSP forbids.
  await expect.poll(() => page.evaluate('window.isWidgetLoaded')).toBe(true)
  const script = page.locator('script[data-telegram-login=my_bot]')
  expect(await script.getAttribute('data-auth-url')).toBe(
    `${gateway.product.url}/api/oauth/telegram/bind?state=${state}`,
  )
})

test('given bars of weeks, when hours are chosen, then they are shown, over the hours’ own range', async () => {
  await page.goto('/detail?by=week')
  const hours = page.getByRole('button', { name: t('dashboard.by_hour'), exact: true })
  expect(await hours.isEnabled()).toBe(true)
  await hours.click()
  await expect.poll(() => hours.getAttribute('aria-pressed')).toBe('true')
  await page.goto('/detail?by=week&range=30d')
  await hours.waitFor()
  expect(await hours.isEnabled()).toBe(false)
})

test('given a channel that answers in 2.5 s, when listed, then it is lime; prices have pages of ten', async () => {
  await gateway.product.query(
    'update channels.channels set test_at = 1790000000000, test_ms = 2500',
  )
  await page.goto('/channel')
  const time = page.getByText(/^2\.5/).first()
  await time.waitFor()
  const colour = await time.evaluate(
    (tag) => tag.ownerDocument.defaultView?.getComputedStyle(tag).backgroundColor,
  )
  expect(colour).toBe('rgb(236, 252, 203)')
  await page.goto('/setting?prices=visual')
  await page
    .getByLabel(/^gpt-4o-mini: /)
    .first()
    .waitFor()
  const prices = page.getByRole('region', { name: t('pricing.editorTitle') })
  expect(await prices.locator('tbody tr').count()).toBe(10)
  expect(await page.getByRole('alert').count()).toBe(0)
})

test.each([
  [601, true],
  [599, false],
])(
  'given a window of %i px, when a screen is open, then the side bar is beside it: %s',
  async (width, isBeside) => {
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/token')
    const menu = page.getByRole('button', { name: t('frame.openMenu') })
    await page.getByRole('main').waitFor()
    expect(await menu.isVisible()).toBe(!isBeside)
  },
)

test('given late settings, when another page has written a footer, then it is drawn within a second', async () => {
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.route('**/api/status', () => new Promise(() => {}))
  await page.goto('/about')
  await page.getByRole('contentinfo').waitFor()
  await page.evaluate(
    'setTimeout(() => localStorage.setItem("footer_html", "<b>我们的页脚</b>"), 300)',
  )
  await page.getByRole('contentinfo').getByText('我们的页脚').waitFor()
  await page.unroute('**/api/status')
  await page.goto('/about')
  await page.getByText('我们的页脚').waitFor({ state: 'hidden' })
})

test('given no selectable group, when the wallet opens, then it says so before anything is paid', async () => {
  const text = page.getByText('管理员未设置用户可选分组', { exact: true })
  await page.goto('/topup')
  await page.getByRole('button', { name: t('wallet.redeemSubmit'), exact: true }).waitFor()
  expect(await text.count()).toBe(0)
  await gateway.root.setOption('GroupRatio', '{}')
  await page.goto('/topup')
  await text.waitFor()
  await gateway.root.setOption('GroupRatio', '{"default": 1, "vip": 1, "svip": 1}')
})
