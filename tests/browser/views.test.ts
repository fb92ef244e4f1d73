import type { Browser, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openChromium } from '../support/browser/browser.ts'
import type { View } from '../support/browser/browser.ts'
import type { Gateway } from '../support/gateway.ts'
import { startGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'
import { untilQuiet } from '../support/until-quiet.ts'
import { SCREENS } from './screens.ts'
import { openSignedInPage } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Every screen in both languages, both themes, on a desk and on a phone: nothing breaks, nothing is out of reach. */
let gateway: Gateway
let browser: Browser

/** So many screens with axe on each take their time on a busy machine. */
const VIEW_TIMEOUT_MS = 360_000
/** How long a screen's data may take on a busy machine. */
const ANSWER_MS = 60_000

const VIEWS: readonly View[] = [
  { language: 'en', theme: 'light', width: 1280 },
  { language: 'zh', theme: 'dark', width: 1280 },
  { language: 'zh', theme: 'light', width: 360 },
  { language: 'en', theme: 'dark', width: 360 },
]

beforeAll(async () => {
  gateway = await startGateway({ models: ['gpt-4o-mini', 'gpt-4o'] })
  const token = await gateway.root.createToken({ name: 'seen' })
  const openai = gateway.openai(token.key)
  for (const model of ['gpt-4o-mini', 'gpt-4o']) {
    await openai.chat.completions.create({ model, messages: [{ role: 'user', content: 'hello' }] })
  }
  await until(
    'the charges are logged',
    async () => (await gateway.root.logs({ type: '2' })).length === 2,
  )
  browser = await openChromium()
})
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})

test.each(VIEWS)(
  'given $language, $theme, $width px, when every screen is opened, then browser and axe find nothing',
  async (view) => {
    const watched = await openSignedInPage(browser, gateway.product.url, view)
    const { page } = watched
    const open = view === VIEWS[0] ? loadsOf(page) : await stepsFrom(page, '/token')
    for (const screen of SCREENS) {
      await open(screen)
      await page.getByRole('main').waitFor()
      watched.expectNoComplaint()
      await watched.expectAccessible()
      expect({ screen, overflow: await overflow(page) }).toEqual({ screen, overflow: 0 })
      expect({ screen, repeated: await repeatedTitles(page) }).toEqual({ screen, repeated: [] })
    }
    await page.context().close()
  },
  VIEW_TIMEOUT_MS,
)

test('given a wrong value out of sight on a phone, when saved, then it is in view and focused', async () => {
  const view: View = { language: 'en', theme: 'light', width: 360 }
  const t = textsOf('en')
  const { page } = await openSignedInPage(browser, gateway.product.url, view)
  await page.goto('/setting')
  const retries = page.getByLabel(t('settings.field_RetryTimes'), { exact: true })
  await retries.fill('99')
  await page.setViewportSize({ width: 360, height: 500 })
  const title = t('settings.section_general')
  await page.getByRole('button', { name: t('settings.saveOf', { title }) }).click()
  await expect.poll(() => page.evaluate('document.activeElement?.value')).toBe('99')
  expect(await retries.getAttribute('aria-invalid')).toBe('true')
  const box = await retries.boundingBox()
  expect(box?.y).toBeGreaterThan(0)
  expect(box?.y).toBeLessThan(500)
  await page.context().close()
}, 60_000)

test('given prices on a phone, when scrolled to the side, then the names of the models stay in front', async () => {
  const view: View = { language: 'en', theme: 'dark', width: 360 }
  const t = textsOf('en')
  const { page } = await openSignedInPage(browser, gateway.product.url, view)
  await page.goto('/pricing')
  await page.getByText(t('pricing.editPrices')).click()
  const prices = page.getByRole('region', { name: t('pricing.editorTitle') })
  const row = prices.getByRole('row').nth(2)
  await row.getByRole('textbox').last().scrollIntoViewIfNeeded()
  const name = row.getByRole('cell').nth(1)
  const box = await name.boundingBox()
  expect(box?.x).toBeGreaterThanOrEqual(0)
  const isInFront = await name.evaluate((cell) => {
    const { left, right, top, bottom } = cell.getBoundingClientRect()
    const shown = cell.ownerDocument.elementFromPoint(right - 4, (top + bottom) / 2)
    return left >= 0 && cell.contains(shown)
  })
  expect(isInFront).toBe(true)
  await page.context().close()
}, 60_000)

/** Opens a screen by its address, as from a bookmark. */
const loadsOf = (page: Page) => async (screen: string) => {
  await page.goto(screen)
  await page.waitForLoadState('networkidle')
}

/**
 * Loads a screen and goes to others within the console, as by their links, until nothing is asked any more: a load takes three times the
 * processor time. layout-shifts.test.ts loads each screen at both widths.
 */
async function stepsFrom(page: Page, first: string): Promise<(screen: string) => Promise<void>> {
  let asked = 0
  const open = new Set<Request>()
  page.on('request', (request) => {
    asked += 1
    open.add(request)
  })
  const close = (request: Request): void => void open.delete(request)
  page.on('requestfinished', close).on('requestfailed', close)
  await page.goto(first)
  await page.getByRole('main').waitFor()
  return async (screen) => {
    await page.evaluate(`__TSR_ROUTER__.navigate({ href: ${JSON.stringify(screen)} })`)
    for (let before = -1; before !== asked;) {
      before = asked
      await until(`${screen} has its answers`, () => open.size === 0, ANSWER_MS)
      await untilQuiet(() => asked)
    }
  }
}

/** CSS pixels by which the page is wider than the window: people would have to scroll sideways to read. */
const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** Headings whose words another heading or the name of a field says again. */
async function repeatedTitles(page: Page): Promise<readonly string[]> {
  const wordsOf = (selector: string) =>
    page.getByRole('main').locator(selector).filter({ visible: true }).allTextContents()
  const titles = await wordsOf('h1, h2, h3, h4')
  const names = [...titles, ...(await wordsOf('label, legend, dt'))]
  return titles.filter((title) => names.filter((name) => name === title).length > 1)
}
