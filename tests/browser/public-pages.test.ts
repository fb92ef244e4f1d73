import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { WatchedPage } from '../support/browser/browser.ts'
import { openChromium, openPage } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { textsOf } from './texts.ts'

/**
 * Tests of the pages of a visitor who is not signed in: home, about, prices, and the frame around them, as the operator
 * has them.
 */
let gateway: Gateway
let browser: Browser
let watched: WatchedPage
let page: Page
const t = textsOf('zh')
const PATIENCE = { timeout: 30_000 } as const

/** Whether its middle is within the window. */
const isInView = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    const middle = (top + bottom) / 2
    return middle >= 0 && middle <= (element.ownerDocument.defaultView?.innerHeight ?? 0)
  })

beforeAll(async () => {
  gateway = await startGateway({ models: ['gpt-4o-mini', 'o1-mini'] })
  browser = await openChromium()
  const view = { language: 'zh', theme: 'light', width: 1280 } as const
  watched = await openPage(browser, gateway.product.url, view)
  page = watched.page
}, 90_000)
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})

test('given no texts of the operator, when home and about open, then they say what they are', async () => {
  await page.goto('/')
  await page.getByRole('heading', { name: t('home.headline') }).waitFor()
  const places = page.getByRole('navigation', { name: t('frame.places') })
  await places.getByRole('link', { name: t('place.about') }).click()
  await page.getByText('可在设置页面设置关于内容，支持 HTML & Markdown').waitFor()
  expect(await page.getByRole('link', { name: t('about.set') }).count()).toBe(0)
  await watched.expectAccessible()
  const flags = await page.evaluate('({ ...localStorage })')
  expect(flags).toMatchObject({
    system_name: 'Tollgate',
    quota_per_unit: '500000',
    display_in_currency: 'true',
    enable_data_export: 'true',
    enable_drawing: 'true',
    enable_task: 'true',
    mj_notify_enabled: 'false',
    default_collapse_sidebar: 'false',
    data_export_default_time: 'hour',
    chats: expect.stringMatching(/^\[/u) as string,
  })
  expect(JSON.parse((flags as { status: string }).status)).toMatchObject({ setup: true })
  const footer = page.getByRole('contentinfo')
  await footer.getByRole('link', { name: t('place.pricing') }).waitFor()
  watched.expectNoComplaint()
})

test('given HTML of the operator, when shown, then harmful parts are gone; an address becomes a frame', async () => {
  await gateway.root.setOption(
    'About',
    '# Who we are\n\n<b>us</b><script>window.isHarmed = 1</script>',
  )
  await gateway.root.setOption(
    'Footer',
    '<a href="https://example.com/terms" onclick="x()">Terms</a>',
  )
  await page.goto('/about')
  await page.getByRole('heading', { name: 'Who we are' }).waitFor()
  expect(await page.evaluate('window.isHarmed')).toBeUndefined()
  const terms = page.getByRole('contentinfo').getByRole('link', { name: 'Terms' })
  await terms.waitFor()
  expect(await terms.getAttribute('onclick')).toBeNull()
  expect(await page.evaluate('localStorage.footer_html')).toContain('example.com/terms')
  await page.route('https://pages.example.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>a</title><p>framed page</p>' }),
  )
  await gateway.root.setOption('About', 'https://pages.example.com/about')
  await gateway.root.setOption('HomePageContent', 'https://pages.example.com/home')
  for (const path of ['/about', '/']) {
    await page.goto(path)
    await page.frameLocator('iframe').getByText('framed page').waitFor()
  }
})

test('given a table in the operator’s Markdown, when opened on a phone, then the page is no wider', async () => {
  const table = `# Plans\n\n| Plan | Price | ${'x'.repeat(80)} |\n| --- | ---: | --- |\n| Basic | $1 | – |`
  await gateway.root.setOption('About', table)
  await gateway.root.setOption('HomePageContent', table)
  await page.setViewportSize({ width: 390, height: 800 })
  for (const path of ['/about', '/']) {
    await page.goto(path)
    await page.getByRole('columnheader', { name: 'Price' }).waitFor()
    await page.getByRole('cell', { name: '$1' }).waitFor()
    const isWider = 'document.documentElement.scrollWidth > innerWidth'
    expect({ path, isWider: await page.evaluate(isWider) }).toEqual({ path, isWider: false })
    await watched.expectAccessible()
  }
  watched.expectNoComplaint()
})

test('given footnotes in the operator’s texts, when followed, then each leads there and back', async () => {
  const text = (note: string) =>
    `# Terms\n\nPaid in advance[^1].\n\n${'line\n\n'.repeat(60)}[^1]: ${note}`
  await gateway.root.setOption('About', text('of the page'))
  await gateway.root.setOption('Footer', 'Ours[^1]\n\n[^1]: of the footer')
  await page.goto('/about')
  for (const [place, note] of [
    ['main', 'of the page'],
    ['contentinfo', 'of the footer'],
  ] as const) {
    const within = page.getByRole(place)
    const reference = within.getByRole('link', { name: '1', exact: true })
    await reference.click()
    const target = page.locator(':target')
    await expect.poll(() => target.textContent(), PATIENCE).toContain(note)
    await target.getByRole('link', { name: t('markdown.backTo', { number: '1' }) }).click()
    await expect.poll(() => target.textContent(), PATIENCE).toBe('1')
    await expect.poll(() => isInView(target), PATIENCE).toBe(true)
  }
  await watched.expectAccessible()
  watched.expectNoComplaint()
  await gateway.root.setOption('Footer', '')
})

test('given a phone, when prices are opened, then each model stands beside what it costs', async () => {
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto('/pricing')
  await page.getByText('gpt-4o-mini', { exact: true }).first().waitFor()
  // The header, which names the unit, is not there: each price carries its sign.
  for (const price of ['$0.15', '$0.60']) {
    const box = await page.getByText(price, { exact: true }).first().boundingBox()
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: t('pricing.ratiosHelp') }).click()
  const picture = page.getByRole('dialog').getByRole('img')
  await picture.waitFor()
  expect(
    await picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
  ).toBeGreaterThan(0)
  await watched.expectAccessible()
  watched.expectNoComplaint()
})

test('given the first of January, when a page is opened, then it greets', async () => {
  const { page: newYear } = await openPage(browser, gateway.product.url, {
    language: 'zh',
    theme: 'dark',
    width: 1280,
  })
  await newYear.clock.setFixedTime(new Date(2027, 0, 1, 12))
  await newYear.goto('/pricing')
  await newYear.getByRole('button', { name: '新年快乐！' }).click()
  await newYear.getByText('🎉 新年快乐！').waitFor()
  await newYear.context().close()
})
