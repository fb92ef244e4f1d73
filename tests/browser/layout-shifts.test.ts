import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { logCaughtUp } from '../support/books.ts'
import { openChromium, openPage, type WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, ROOT, startGateway } from '../support/gateway.ts'
import { noteShifts, shiftsOn } from './layout-shifts.ts'
import { SCREENS, VISITOR_SCREENS } from './screens.ts'
import { signIn } from './sign-in.ts'

/** Nothing jumps: on no screen does anything move by itself once it is there, however late what belongs beside it. */
let gateway: Gateway
let browser: Browser

/** Chromium's cumulative layout shift; the console's own bar (design/console.md). */
const SHIFT_MAX = 0.02
const WIDTHS = [1440, 390] as const
/** Each answer is held back on purpose, on some twenty screens. */
const VIEW_TIMEOUT_MS = 240_000

const MODELS = ['gpt-4o-mini', 'gpt-4o', 'o3-mini', 'text-embedding-3-small', 'no-price-1']
/**
 * Settings that may push other things down when they come late: groups, foreign sign-ins, links and words of the
 * operator.
 */
const OPTIONS = {
  GroupRatio: '{"default":1,"vip":0.5,"partner":0.25}',
  UserUsableGroups: '{"default":"everybody","vip":"the best","partner":"the rest"}',
  'general_setting.docs_link': 'https://docs.test/tollgate',
  GitHubClientId: 'shifts',
  GitHubClientSecret: 'shifts-secret',
  GitHubOAuthEnabled: 'true',
  Footer: '<p>Run by the operator</p><p>in two lines</p>',
  TopUpLink: 'https://shop.test/codes',
} as const

beforeAll(async () => {
  gateway = await startGateway({ models: MODELS })
  await gateway.root.setOptions(OPTIONS)
  const token = await gateway.root.createToken({ name: 'seen' })
  for (const model of MODELS.slice(0, 3))
    for (let call = 0; call < 4; call += 1)
      await gateway
        .openai(token.key)
        .chat.completions.create({ model, messages: [{ role: 'user', content: 'hello' }] })
  await logCaughtUp(gateway.product, gateway.root)
  browser = await openChromium()
})
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})

test.each(WIDTHS)(
  'given a first visit, %d px wide, when visitors’ pages open on a slow line, then nothing moves',
  async (width) => {
    for (const screen of VISITOR_SCREENS) {
      const watched = await openPage(browser, gateway.product.url, view(width))
      const context = watched.page.context()
      await slowDown(context, width)
      await expectStill(watched, screen)
      await context.close()
    }
  },
  VIEW_TIMEOUT_MS,
)

test.each(WIDTHS)(
  'given a returning user, %d px wide, when each screen opens on a slow line, then nothing moves',
  async (width) => {
    const watched = await openPage(browser, gateway.product.url, view(width))
    const { page } = watched
    await signIn(page, ROOT, 'en')
    await slowDown(page.context(), width)
    await page.goto('/about')
    await page.waitForLoadState('networkidle')
    for (const screen of SCREENS) await expectStill(watched, screen)
    await page.context().close()
  },
  VIEW_TIMEOUT_MS,
)

test('given late scripts, when a page is opened, then the top bar’s outline has its place and theme', async () => {
  const { page } = await openPage(browser, gateway.product.url, view(1440))
  await page.goto('/about')
  const bar = await lookOf(page, 'header')

  // The window's own theme stays the light one.
  await page.addInitScript(() => localStorage.setItem('theme-mode', 'dark'))
  await page.route('**/assets/base-*', () => undefined)
  await page.goto('/about', { waitUntil: 'commit' })
  await page.locator('html.dark').waitFor()
  expect(await lookOf(page, '.first-look')).toEqual({ ...bar, color: DARK_PANEL })
  await page.context().close()
})

/** Where something stands, and its background. */
const lookOf = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect()
    const color = element.ownerDocument.defaultView?.getComputedStyle(element).backgroundColor
    return { x, y, width, height, color }
  })

/** The background of the bar in the dark theme. */
const DARK_PANEL = 'rgb(27, 26, 24)'

const view = (width: number) => ({ language: 'en', theme: 'light', width }) as const

/** Holds answers back, in another order for each width, and lets the server be a demonstration, which has a banner. */
const slowDown = (context: BrowserContext, order: number): Promise<void> =>
  noteShifts(context, order, async (route) => {
    if (!route.request().url().endsWith('/api/status')) return route.continue()
    const response = await route.fetch()
    const { data, ...envelope } = (await response.json()) as { data: object }
    return route.fulfill({ response, json: { ...envelope, data: { ...data, demo: true } } })
  })

async function expectStill(watched: WatchedPage, screen: string): Promise<void> {
  const { page } = watched
  await page.goto(screen)
  await page.waitForLoadState('networkidle')
  await page.locator('.chakra-skeleton').first().waitFor({ state: 'detached' })
  const shifts = await shiftsOn(page)
  const sum = shifts.reduce((total, { value }) => total + value, 0)
  // The list says what moved; the sum, whether that is too much.
  expect({ screen, shifts: sum > SHIFT_MAX ? shifts : [] }).toEqual({ screen, shifts: [] })
  watched.expectNoComplaint()
}
