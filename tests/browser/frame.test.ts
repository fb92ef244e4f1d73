import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import {
  changeAnswers,
  openChromium,
  openPage,
  type WatchedPage,
} from '../support/browser/browser.ts'
import { type Gateway, ROOT, startGateway } from '../support/gateway.ts'
import { signIn } from './sign-in.ts'
import { openSignedInPage } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Tests of the frame around every screen: top bar, side bar, who may come where, and what the browser remembers. */
let gateway: Gateway
let browser: Browser
const t = textsOf('zh')
/** A busy machine takes its time. */
const PATIENCE = { timeout: 30_000 }
const USER = { username: 'walker', password: 'long-enough-2' } as const
const ADMIN_SCREENS = ['/channel', '/redemption', '/user', '/setting'] as const
const AUDIT_SCREENS = [
  '/audit/journal',
  '/audit/trial-balance',
  '/audit/balances',
  '/audit/orders',
  '/audit/prices',
  '/audit/events',
  '/replays',
] as const
const PERSONAL_SCREENS = ['/topup', '/statement', '/personal'] as const
const OWN_SCREENS = ['/detail', '/token', '/log', '/replays', ...PERSONAL_SCREENS] as const

beforeAll(async () => {
  gateway = await startGateway({ models: ['gpt-4o-mini'] })
  await gateway.root.addUser(USER.username, USER.password, 1_000_000)
  browser = await openChromium()
}, 90_000)
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})

const open = (): Promise<WatchedPage> =>
  openPage(browser, gateway.product.url, { language: 'zh', theme: 'light', width: 1280 })
const openAs = (who: typeof ROOT | typeof USER): Promise<WatchedPage> =>
  openSignedInPage(browser, gateway.product.url, { width: 1280, who })
const places = (page: Page) => page.getByRole('navigation', { name: t('frame.places') })
const sideBar = (page: Page) => page.getByRole('navigation', { name: t('frame.navigation') })
const stored = (page: Page, key: string): Promise<unknown> =>
  page.evaluate(`localStorage.getItem(${JSON.stringify(key)})`)
const linksOf = async (page: Page) => {
  await sideBar(page).getByRole('link').first().waitFor()
  const links = await sideBar(page).getByRole('link').all()
  return Promise.all(links.map((link) => link.getAttribute('href')))
}

test('given a visitor, when the options change, then the top bar has its places, badges and ways in', async () => {
  const watched = await open()
  const { page } = watched
  await page.goto('/about')
  const banner = page.getByRole('banner')
  await places(page)
    .getByRole('link', { name: t('place.pricing') })
    .waitFor()
  expect(
    await places(page)
      .getByRole('link', { name: t('frame.docs') })
      .count(),
  ).toBe(0)
  expect(
    await places(page)
      .getByRole('link', { name: t('frame.console') })
      .count(),
  ).toBe(0)
  expect(await sideBar(page).count()).toBe(0)
  await banner.getByRole('link', { name: t('login.submit'), exact: true }).waitFor()
  await banner.getByRole('link', { name: t('login.signUp'), exact: true }).click()
  await page.waitForURL('**/register')
  await places(page)
    .getByRole('link', { name: t('frame.home'), exact: true })
    .click()
  await page.waitForURL(`${gateway.product.url}/`)

  await gateway.root.setOption('general_setting.docs_link', 'https://docs.example.com/')
  await gateway.root.setOption('SelfUseModeEnabled', 'true')
  await page.goto('/about')
  await banner.getByText(t('frame.selfUse')).waitFor()
  const docs = places(page).getByRole('link', { name: t('frame.docs') })
  expect(await docs.getAttribute('href')).toBe('https://docs.example.com/')
  expect(await docs.getAttribute('target')).toBe('_blank')
  await banner.getByRole('link', { name: t('login.submit'), exact: true }).waitFor()
  expect(await banner.getByRole('link', { name: t('login.signUp'), exact: true }).count()).toBe(0)
  await gateway.root.setOption('SelfUseModeEnabled', 'false')

  // A demo site answers no calls that change something, these tests' own neither: only what it says of itself is changed.
  const stopChanging = await changeAnswers(page, '**/api/status', (text) => {
    const body = JSON.parse(text) as { data: object }
    return JSON.stringify({ ...body, data: { ...body.data, demo_site_enabled: true } })
  })
  await page.reload()
  await banner.getByText(t('frame.demoSite')).waitFor()
  await stopChanging()
  watched.expectNoComplaint()
  await page.context().close()
})

test('given a browser that has chosen nothing, when theme and language are switched, then both are kept', async () => {
  const context = await browser.newContext({ baseURL: gateway.product.url, colorScheme: 'light' })
  const page = await context.newPage()
  await page.goto('/')
  await page.getByRole('heading', { name: t('home.headline') }).waitFor()
  await page.getByRole('button', { name: t('frame.darkTheme') }).click()
  await expect.poll(() => stored(page, 'theme-mode'), PATIENCE).toBe('dark')
  await page.getByRole('button', { name: t('frame.language') }).click()
  const en = textsOf('en')
  await page.getByRole('heading', { name: en('home.headline') }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: en('home.headline') }).waitFor()
  expect(await page.evaluate('document.documentElement.classList.contains("dark")')).toBe(true)
  await page.getByRole('button', { name: en('frame.lightTheme') }).click()
  await expect.poll(() => stored(page, 'theme-mode'), PATIENCE).toBe('light')
  await context.close()
})

test('given a first page, when it loads, then each font is found in a task of its own, and no probe stays', async () => {
  const { page } = await open()
  // As text: what runs in the page before its scripts notes each probe that is laid out.
  await page.addInitScript({
    content: `window.probes = []
      new MutationObserver((records) => {
        for (const { addedNodes } of records)
          for (const node of addedNodes)
            if (node.ariaHidden === 'true' && node.style.visibility === 'hidden')
              window.probes.push(node.style.fontWeight + node.textContent)
      }).observe(document, { childList: true, subtree: true })`,
  })
  await page.goto('/login')
  await expect
    .poll(() => page.evaluate<string[]>('window.probes'), PATIENCE)
    .toEqual(['400a', '400文', '500a', '500文', '600a', '600文', '650a', '650文'])
  await expect
    .poll(() => page.evaluate<number>(`document.querySelectorAll('body > span').length`), PATIENCE)
    .toBe(0)
  await page.close()
})

test('given nobody signed in, when a protected screen is opened, then /login is; unknown addresses say so', async () => {
  const { page } = await open()
  for (const screen of [...OWN_SCREENS, ...ADMIN_SCREENS]) {
    await page.goto(screen)
    await page.waitForURL((url) => url.pathname === '/login')
    await page.getByLabel(t('login.username')).waitFor()
  }
  await page.getByRole('button', { name: t('login.submit'), exact: true }).click()
  await page.getByText('请输入用户名和密码！').first().waitFor()
  await page.goto('/no-such-page')
  await page.getByRole('heading', { name: '页面不存在' }).waitFor()
  await page.getByText('/no-such-page').waitFor()
  await page.getByText('请检查浏览器地址是否正确').waitFor()
  await page.context().close()
})

test('given root, when signed in, then the side bar has every place, and signing out forgets who it was', async () => {
  const { page } = await open()
  await signIn(page)
  expect(JSON.parse(String(await stored(page, 'user')))).toMatchObject({
    username: ROOT.username,
    group: 'default',
  })
  await expect
    .poll(() => linksOf(page), PATIENCE)
    .toEqual(['/detail', '/token', '/log', ...ADMIN_SCREENS, ...AUDIT_SCREENS, ...PERSONAL_SCREENS])
  await places(page)
    .getByRole('link', { name: t('frame.console') })
    .click()
  await page.waitForURL('**/detail')
  await places(page)
    .getByRole('link', { name: t('place.about') })
    .click()
  await page.getByRole('link', { name: t('about.set') }).click()
  await page.waitForURL('**/setting?tab=other')
  await places(page)
    .getByRole('link', { name: t('frame.home'), exact: true })
    .click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await sideBar(page).waitFor({ state: 'detached' })

  await gateway.root.setOption('DataExportEnabled', 'false')
  await gateway.root.setOption('DefaultCollapseSidebar', 'true')
  await page.goto('/token')
  const expand = page.getByRole('button', { name: t('frame.expand') })
  await expand.waitFor()
  await expect.poll(() => linksOf(page), PATIENCE).not.toContain('/detail')
  await expand.click()
  await page.getByRole('button', { name: t('frame.collapse') }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: t('frame.collapse') }).waitFor()
  await gateway.root.setOption('DataExportEnabled', 'true')
  await gateway.root.setOption('DefaultCollapseSidebar', 'false')

  await page.getByRole('button', { name: t('frame.account', { name: ROOT.username }) }).click()
  await page.getByRole('menuitem', { name: t('frame.signOut') }).click()
  await page.waitForURL('**/login')
  expect(await stored(page, 'user')).toBeNull()
  await page.context().close()
})

test('given a user, when signed in, then nothing leads to administrators’ screens, which say whom to ask', async () => {
  const { page } = await open()
  await signIn(page, USER)
  await expect.poll(() => linksOf(page), PATIENCE).toEqual([...OWN_SCREENS])
  for (const screen of ADMIN_SCREENS) {
    await page.goto(screen)
    await page.getByText(t('place.forbidden')).waitFor()
  }
  await page.context().close()
})

test('given a signed-in user, when a page loads, then the side bar is whole with the top bar', async () => {
  const { page } = await openAs(USER)
  await page.addInitScript(noteFirstLinks(t('frame.navigation')))
  await page.goto('/token')
  await expect.poll(() => page.evaluate('window.firstLinks'), PATIENCE).toBe(OWN_SCREENS.length)
  await page.context().close()
})

test('given somebody who wants less motion, when a list waits for its lines, then nothing goes on moving', async () => {
  const { page } = await openAs(USER)
  await page.route('**/api/log/self**', () => undefined)
  await page.goto('/log')
  await page.locator('.chakra-skeleton').first().waitFor()
  const moving = () => page.evaluate<number>('document.getAnimations().length')
  await expect.poll(moving, PATIENCE).toBe(0)
  await page.context().close()
})

test('given amounts, when the option asks for raw quota, then they are shown raw', async () => {
  const { page } = await openAs(USER)
  const account = page.getByRole('region', { name: t('wallet.account'), exact: true })
  await page.goto('/topup')
  await account.getByText('$2.00').first().waitFor()
  await gateway.root.setOption('DisplayInCurrencyEnabled', 'false')
  await page.reload()
  await account.getByText('1.0M').first().waitFor()
  expect(await account.getByText('$2.00').count()).toBe(0)
  await gateway.root.setOption('DisplayInCurrencyEnabled', 'true')
  await page.context().close()
})

test('given a list, when a page size is chosen, then the browser keeps it for every list', async () => {
  const { page } = await openAs(ROOT)
  await gateway.root.ask('POST', '/api/redemption/', anything, { name: 'x', quota: 1, count: 12 })
  await page.goto('/redemption')
  const rows = page.locator('tbody tr[data-row]')
  await expect.poll(() => rows.count(), PATIENCE).toBe(10)
  const size = page.getByRole('combobox', { name: t('table.pageSize') })
  expect(
    await size.locator('option').evaluateAll((all) => all.map((one) => one.getAttribute('value'))),
  ).toEqual(['10', '20', '50', '100'])
  await size.selectOption('20')
  await expect.poll(() => rows.count(), PATIENCE).toBe(12)
  expect(await stored(page, 'page-size')).toBe('20')
  await page.goto('/user')
  await expect.poll(() => size.inputValue(), PATIENCE).toBe('20')
  await page.context().close()
})

test('given a browser without a clipboard, when something is copied, then a dialog has it to copy by hand', async () => {
  const { page } = await open()
  await page.addInitScript({ content: NOTHING_IS_COPIED })
  await page.goto('/pricing')
  await page.getByRole('button', { name: `${t('pricing.copyName')}: gpt-4o-mini` }).click()
  const dialog = page.getByRole('dialog', { name: '无法复制到剪贴板，请手动复制' })
  expect(await dialog.getByRole('textbox').inputValue()).toBe('gpt-4o-mini')
  await page.context().close()
})

test('given a server without a status, when a page is opened, then that is said, and trying again helps', async () => {
  const { page } = await open()
  await page.route('**/api/status', (route) => route.abort())
  await page.goto('/about')
  await page.getByText(t('failure.status')).waitFor({ timeout: 30_000 })
  await page.unroute('**/api/status')
  await page.getByRole('button', { name: t('action.retry') }).click()
  await page.getByText('可在设置页面设置关于内容，支持 HTML & Markdown').waitFor()
  await page.context().close()
})

test('given an address with words that nobody knows, when opened, then they count as left out', async () => {
  const watched = await openAs(ROOT)
  const { page } = watched
  await page.goto('/setting?tab=unheard-of')
  await page.getByRole('link', { name: t('settings.tab_operation'), exact: true }).waitFor()
  await page
    .locator('[aria-current=page]')
    .getByText(t('settings.tab_operation'), { exact: true })
    .waitFor()
  // A statement of one's own is nobody else's.
  await page.goto('/statement?user=2&group=unheard-of')
  await page.getByRole('heading', { level: 1, name: t('place.statement'), exact: true }).waitFor()
  watched.expectNoComplaint()
  await page.context().close()
})

test('given a screen that breaks, when opened, then the frame stays and leads elsewhere', async () => {
  const { page } = await openAs(ROOT)
  const stopChanging = await changeAnswers(page, '**/api/ledger/statement/self?*', (text) => {
    const body = JSON.parse(text) as { data: object }
    return JSON.stringify({ ...body, data: { ...body.data, lines: null } })
  })
  await page.goto('/statement')
  await page.getByRole('alert').getByText(t('failure.screen')).waitFor()
  await stopChanging()
  await page.getByRole('button', { name: t('action.retry') }).click()
  await page.getByText(t('failure.screen')).waitFor({ state: 'hidden' })
  await places(page)
    .getByRole('link', { name: t('place.about'), exact: true })
    .click()
  await page.waitForURL('**/about')
  await page.context().close()
})

test('given a file that an upgrade took away, when missed, then the page reloads, but not twice at once', async () => {
  const { page } = await open()
  await page.goto('/about')
  await places(page).waitFor()
  const miss = () =>
    page.evaluate(`window.dispatchEvent(new Event('vite:preloadError', { cancelable: true }))`)
  await Promise.all([page.waitForEvent('load', PATIENCE), miss()])
  await places(page).waitFor()
  // True = nobody has taken the failure, so that it is said.
  expect(await miss()).toBe(true)
  await page.context().close()
})

const anything = z.unknown()

const NOTHING_IS_COPIED = `
  document.execCommand = () => false
  Object.defineProperty(navigator, 'clipboard', {
    value: { writeText: () => Promise.reject(new Error('refused')) },
  })`

/** Keeps how many links the side bar has when the top bar is first drawn. */
const noteFirstLinks = (label: string): string => `
  new MutationObserver((_, observer) => {
    if (!document.querySelector('header')) return
    observer.disconnect()
    window.firstLinks = document.querySelectorAll('nav[aria-label="${label}"] a').length
  }).observe(document, { childList: true, subtree: true })`
