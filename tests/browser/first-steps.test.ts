import type { StandInUpstream } from '@tollgate/infra/demo/stand-in-upstream.ts'
import { startStandInUpstream } from '@tollgate/infra/demo/stand-in-upstream.ts'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openChromium, openPage, type WatchedPage } from '../support/browser/browser.ts'
import { ConsoleClient } from '../support/console-client.ts'
import type { Product } from '../support/product-kinds.ts'
import { startSingleProduct } from '../support/product.ts'
import { signIn } from './sign-in.ts'
import { textsOf } from './texts.ts'

/** From a fresh installation to its first charge, by the steps on the first page alone. Each test goes on from the last. */
let product: Product
let upstream: StandInUpstream
let browser: Browser
let watched: WatchedPage

const t = textsOf('en')
const FOUNDER = { username: 'founder', password: 'long-enough-1' } as const
/** From setup to the charge on show. */
const CLICKS_MAX = 6
const PATIENCE = { timeout: 60_000 } as const

beforeAll(async () => {
  upstream = await startStandInUpstream({ models: ['babbage-002', 'gpt-4o', 'gpt-4o-mini'] })
  product = await startSingleProduct()
  browser = await openChromium()
  watched = await openPage(browser, product.url, { language: 'en', theme: 'light', width: 1280 })
}, 120_000)
afterAll(async () => {
  await browser.close()
  await product.dispose()
  await upstream.stop()
}, 60_000)

let clicks = 0
const click = async (button: Locator): Promise<void> => {
  clicks++
  await button.click()
}

test('given a new installation, when its founder follows the steps, then the first charge is on show within six clicks', async () => {
  const { page } = watched
  await page.goto('/setup')
  await page.getByLabel(t('setup.username')).fill(FOUNDER.username)
  await page.getByLabel(t('setup.password'), { exact: true }).fill(FOUNDER.password)
  await page.getByLabel(t('setup.confirmPassword')).fill(FOUNDER.password)
  await click(page.getByRole('button', { name: t('setup.submit') }))

  const steps = page.getByRole('region', { name: t('firstSteps.title') })
  await steps.waitFor(PATIENCE)
  await watched.expectAccessible()
  await steps.getByLabel(t('firstSteps.key')).fill('sk-upstream')
  await steps.getByLabel(t('firstSteps.baseUrl')).fill(upstream.url)
  await click(steps.getByRole('button', { name: t('firstSteps.add') }))
  await steps.getByText(/^3 models fetched\. A test with gpt-4o-mini took/u).waitFor(PATIENCE)
  await click(steps.getByRole('button', { name: t('firstSteps.createToken') }))
  await steps.getByText(t('firstSteps.waiting')).waitFor(PATIENCE)
  const snippet = (await steps.getByLabel('curl', { exact: true }).textContent()) ?? ''
  expect(snippet).toMatch(/Bearer sk-[0-9a-zA-Z]{48}/u)
  expect(snippet).toContain('"model": "gpt-4o-mini"')
  await watched.expectAccessible()

  // Until then every screen leads back to the steps.
  await page.goto('/token')
  await page.getByText(t('firstSteps.bar', { done: '3', total: '4' })).waitFor(PATIENCE)
  await watched.expectAccessible()
  await page.getByRole('link', { name: t('firstSteps.continue') }).click()

  await click(steps.getByRole('button', { name: t('firstSteps.send') }))
  await page.waitForURL('**/log?row=*', PATIENCE)
  await page.getByRole('complementary').getByText(t('log.explain')).waitFor(PATIENCE)
  expect(clicks).toBeLessThanOrEqual(CLICKS_MAX)
  watched.expectNoComplaint()
})

test('given the first charge, when home and screens are opened, then the steps are gone', async () => {
  const { page } = watched
  for (const path of ['/', '/token']) {
    const asked = page.waitForResponse('**/api/log/?*', PATIENCE)
    await page.goto(path)
    await asked
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByText(t('firstSteps.title')).count()).toBe(0)
    expect(await page.getByRole('link', { name: t('firstSteps.continue') }).count()).toBe(0)
  }
  watched.expectNoComplaint()
})

test('given somebody who is no founder, when they open the console, then no step is asked of them', async () => {
  const root = new ConsoleClient(product.url)
  await root.logIn(FOUNDER.username, FOUNDER.password)
  await root.addUser('ann', 'long-enough-1', 0)
  const { page } = await openPage(browser, product.url, {
    language: 'zh',
    theme: 'dark',
    width: 390,
  })
  let isAsked = false
  page.on('request', (request) => {
    if (request.url().includes('models_enabled')) isAsked = true
  })
  await signIn(page, { username: 'ann', password: 'long-enough-1' })
  const zh = textsOf('zh')
  await page.getByText(zh('tokens.emptyTitle')).waitFor()
  expect(isAsked).toBe(false)
})
