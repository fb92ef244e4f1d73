import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openChromium, openPage, type View } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { textsOf } from './texts.ts'

/** Words that the page shows before its scripts have come stand where the scripts put them, and are the right ones. */
let gateway: Gateway
let browser: Browser

const FIRST = ['.first-words p:first-child', '.first-words p + p', '.first-words pre']
const DRAWN = ['main h1', 'main h1 + p', 'main pre']

beforeAll(async () => {
  gateway = await startGateway({ models: ['gpt-4o-mini'] })
  browser = await openChromium()
}, 90_000)
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})

test.each<View>([
  { language: 'en', theme: 'light', width: 390 },
  { language: 'zh', theme: 'dark', width: 390 },
  { language: 'zh', theme: 'light', width: 700 },
  { language: 'en', theme: 'dark', width: 1280 },
])(
  'given slow scripts, $language $theme $width px, when home opens, then its words stay in place',
  async (view) => {
    const watched = await openPage(browser, gateway.product.url, view)
    const { page } = watched
    const release = await holdScripts(page)
    await page.goto('/', { waitUntil: 'commit' })
    await page.locator('.first-words pre').waitFor()
    const first = await placesOf(page, FIRST)
    release()
    await page.getByRole('heading', { name: textsOf(view.language)('home.headline') }).waitFor()
    await expect.poll(() => page.locator('.first-words').count()).toBe(0)
    const drawn = await placesOf(page, DRAWN)
    expect(first).toEqual(drawn)
    watched.expectNoComplaint()
    await page.context().close()
  },
)

test('given a demonstration seen before, when a page opens, then its banner is there before the scripts', async () => {
  const { page } = await openPage(browser, gateway.product.url, VIEW)
  await page.goto('/about')
  await expect.poll(() => page.evaluate('localStorage.status')).toContain('"demo":false')
  await page.evaluate(
    `localStorage.status = localStorage.status.replace('"demo":false', '"demo":true')`,
  )
  const release = await holdScripts(page)
  await page.goto('/about', { waitUntil: 'commit' })
  const banner = page.locator('.first-banner')
  await banner.waitFor()
  expect(await banner.textContent()).toBe(textsOf('en')('frame.demoBanner'))
  expect((await banner.boundingBox())?.y).toBe(0)
  release()
  await page.context().close()
})

test('given the operator’s own home page seen before, when opened again, then no other words come first', async () => {
  await gateway.root.setOption('HomePageContent', '# Our own')
  const { page } = await openPage(browser, gateway.product.url, VIEW)
  const own = page.getByRole('heading', { name: 'Our own' })
  await page.goto('/')
  await own.waitFor()
  await page.addInitScript(`
    window.drawn = []
    new MutationObserver(() => {
      const words = document.querySelector('.first-words, main h1')?.textContent
      if (words && words !== window.drawn.at(-1)) window.drawn.push(words)
    }).observe(document, { childList: true, subtree: true })`)
  // The server's answer comes late: the page begins with its last one.
  await page.route('**/api/home_page_content', async (route) => {
    await own.waitFor()
    await route.continue()
  })
  await page.goto('/')
  await own.waitFor()
  expect(await page.evaluate('window.drawn')).toEqual(['Our own'])
  await page.context().close()
})

test('given no room for the operator’s home page, when opened, then it is shown all the same', async () => {
  await gateway.root.setOption('HomePageContent', '# Our own')
  const { page } = await openPage(browser, gateway.product.url, VIEW)
  await page.addInitScript(`
    const { setItem } = Storage.prototype
    Storage.prototype.setItem = function (key, value) {
      if (key === 'home_page_content') throw new DOMException('full', 'QuotaExceededError')
      setItem.call(this, key, value)
    }`)
  await page.goto('/')
  await page.getByRole('heading', { name: 'Our own' }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.context().close()
})

const VIEW: View = { language: 'en', theme: 'light', width: 1280 }

/** Holds back the script that draws the page until the answer is called. */
async function holdScripts(page: Page): Promise<() => void> {
  const held = Promise.withResolvers<void>()
  await page.route('**/assets/index-*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  return held.resolve
}

/** Texts with their places, in whole pixels. */
const placesOf = (page: Page, selectors: readonly string[]) =>
  Promise.all(
    selectors.map(async (selector) => {
      const element = page.locator(selector)
      const { x = 0, y = 0, width = 0, height = 0 } = (await element.boundingBox()) ?? {}
      return {
        text: await element.textContent(),
        // A paragraph that ends early may be as wide as its line or as its box.
        place: [x, y, ...(selector.endsWith('pre') ? [width] : []), height].map(Math.round),
      }
    }),
  )
