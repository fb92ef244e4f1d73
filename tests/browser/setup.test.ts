import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openChromium, openPage, type WatchedPage } from '../support/browser/browser.ts'
import { startSingleProduct } from '../support/product.ts'
import type { Product } from '../support/product-kinds.ts'
import { ASKS_ON_LEAVING } from './leaving.ts'
import { textsOf } from './texts.ts'

/** The first-run wizard by the seeds: what it shows when, and what it says when something is wrong. Chinese, its first language. */
let product: Product
let browser: Browser
let watched: WatchedPage

const t = textsOf('zh')
const MODES = ['operation', 'selfUse', 'demo'] as const

beforeAll(async () => {
  product = await startSingleProduct()
  browser = await openChromium()
}, 120_000)
afterAll(async () => {
  await browser.close()
  await product.dispose()
}, 60_000)
beforeEach(async () => {
  await watched?.page.context().close()
  watched = await openPage(browser, product.url, { language: 'zh', theme: 'dark', width: 390 })
})

/** Pretends that the server is in another state than this fresh one. */
const pretend = (data: object) =>
  watched.page.route('**/api/setup', async (route) => {
    if (route.request().method() !== 'GET') return route.fallback()
    const fresh = { status: false, root_init: false, database_type: 'postgres' }
    return route.fulfill({ json: { success: true, message: '', data: { ...fresh, ...data } } })
  })

async function fillIn(username: string, password: string, confirmation = password) {
  const { page } = watched
  await page.getByLabel(t('setup.username')).fill(username)
  await page.getByLabel(t('setup.password'), { exact: true }).fill(password)
  await page.getByLabel(t('setup.confirmPassword')).fill(confirmation)
}
const submit = () => watched.page.getByRole('button', { name: t('setup.submit') }).click()

test('given a form that is not filled in right, when it is sent, then each field says what the seeds say', async () => {
  const { page } = watched
  await page.goto('/pricing')
  await page.waitForURL('**/setup')
  await expect.poll(() => page.evaluate('document.activeElement?.autocomplete')).toBe('username')
  // Every place in the top bar would lead straight back here.
  expect(await page.getByRole('banner').getByRole('link').count()).toBe(1)
  await fillIn('  ', 'short', 'other')
  await submit()
  await page.getByText('请输入管理员用户名', { exact: true }).waitFor()
  await page.getByText('密码长度至少为8个字符', { exact: true }).waitFor()
  await page.getByText('两次输入的密码不一致', { exact: true }).waitFor()
  await watched.expectAccessible()
  watched.expectNoComplaint()
})

test('given a wizard, when it is left, then the browser asks only if something was typed', async () => {
  const { page } = watched
  await page.goto('/setup')
  const name = page.getByLabel(t('setup.username'))
  await name.waitFor()
  await page.getByRole('radio', { name: t('setup.selfUse') }).check()
  expect(await page.evaluate(ASKS_ON_LEAVING)).toBe(false)
  await name.fill('root')
  await expect.poll(() => page.evaluate(ASKS_ON_LEAVING)).toBe(true)
  await name.fill('')
  await expect.poll(() => page.evaluate(ASKS_ON_LEAVING)).toBe(false)
})

test('given the usage modes, when explained, then all three are, and Esc closes it', async () => {
  const { page } = watched
  await page.goto('/setup')
  await page.getByRole('button', { name: t('setup.explain') }).click()
  expect(await page.locator('input[type=radio]').count()).toBe(MODES.length)
  const dialog = page.getByRole('dialog')
  for (const mode of MODES) await dialog.getByText(t(`setup.${mode}Long`)).waitFor()
  await watched.expectAccessible()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  expect(await page.getByText(t('setup.sqliteTitle')).count()).toBe(0)
  watched.expectNoComplaint()
})

test('given SQLite or an existing administrator, when opened, then it warns or asks for no account', async () => {
  const { page } = watched
  await pretend({ database_type: 'sqlite' })
  await page.goto('/setup')
  await page.getByText(t('setup.sqliteTitle')).waitFor()
  await watched.expectAccessible()
  await page.unroute('**/api/setup')
  await pretend({ root_init: true })
  await page.reload()
  await page.getByText(t('setup.rootExists')).waitFor()
  expect(await page.getByLabel(t('setup.username')).count()).toBe(0)
})

test.each([
  [400, '请求参数有误', '错误：请求参数有误'],
  [200, '', '初始化失败，请重试'],
  [500, '系统错误', t('setup.systemFailed')],
])(
  'given a server that answers %i with %j, when set up, then the form says %s and keeps what was typed',
  async (status, message, said) => {
    const { page } = watched
    await page.route('**/api/setup', (route) =>
      route.request().method() === 'POST'
        ? // A refusal of ours has a code beside its words.
          route.fulfill({ status, json: { success: false, message, code: message && 'a_code' } })
        : route.fallback(),
    )
    await page.goto('/setup')
    await fillIn('root', 'long-enough-1')
    await submit()
    await page.getByRole('main').getByRole('alert').getByText(said).waitFor()
    expect(await page.getByLabel(t('setup.username')).inputValue()).toBe('root')
  },
)

test('given a button without its form, when set up, then the visitor is asked to refresh and retry', async () => {
  const { page } = watched
  await page.goto('/setup')
  await fillIn('root', 'long-enough-1')
  await page.locator('form').evaluate((form) => form.removeAttribute('id'))
  await submit()
  await page.getByRole('main').getByRole('alert').getByText(t('setup.formLost')).waitFor()
})

test('given a server that tells no progress, when opened, then that is said, and trying again helps', async () => {
  const { page } = watched
  await page.route('**/api/setup', (route) => route.fulfill({ status: 400, body: '' }))
  await page.goto('/setup')
  await page.getByText(t('setup.statusFailed')).waitFor()
  await page.unroute('**/api/setup')
  await page.getByRole('button', { name: t('action.retry') }).click()
  await page.getByLabel(t('setup.username')).waitFor()
})

test('given self-use, when set up, then the founder is signed in and /setup is closed', async () => {
  const { page } = watched
  await page.goto('/setup')
  await fillIn('founder', 'long-enough-1')
  await page.getByRole('radio', { name: t('setup.selfUse') }).check()
  const signedIn = page.waitForRequest('**/api/user/login')
  const reloaded = page.waitForRequest((request) => request.isNavigationRequest(), {
    timeout: 60_000,
  })
  await submit()
  const login = await signedIn
  expect(login.postDataJSON()).toEqual({ username: 'founder', password: 'long-enough-1' })
  await page.getByText(t('setup.done')).waitFor()
  const reload = await reloaded
  await reload.response()
  // By the browser's own clock, which a busy machine does not stretch; its timers may be a little early.
  const { startTime, responseEnd } = login.timing()
  expect(reload.timing().startTime - (startTime + responseEnd)).toBeGreaterThan(1_450)
  await page.waitForURL(`${product.url}/`, { timeout: 60_000 })
  await page.getByRole('button', { name: t('frame.account', { name: 'founder' }) }).waitFor()
  await page.goto('/setup')
  await page.waitForURL(`${product.url}/`, { timeout: 60_000 })
  watched.expectNoComplaint()
})
