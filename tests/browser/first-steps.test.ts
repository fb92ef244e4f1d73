import type { StandInUpstream } from '@tollgate/infra/demo/stand-in-upstream.ts'
import { startStandInUpstream } from '@tollgate/infra/demo/stand-in-upstream.ts'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { openChromium, openPage, type WatchedPage } from '../support/browser/browser.ts'
import { ConsoleClient } from '../support/console-client.ts'
import type { Product } from '../support/product-kinds.ts'
import { startSingleProduct } from '../support/product.ts'
import { signIn } from './sign-in.ts'
import { textsOf } from './texts.ts'

/** From fresh installations to their first charges, by the steps on the first page alone. */
const t = textsOf('en')
const FOUNDER = { username: 'founder', password: 'long-enough-1' } as const
/** From setup to the charge on show, with a look at another screen in between. */
const CLICKS_MAX = 6
const PATIENCE = { timeout: 60_000 } as const
/** Nothing built in says what it costs. */
const UNPRICED = 'house-chat-1'

/** A fresh installation, what it can reach, and somebody in front of it who counts their clicks. */
interface Installation {
  readonly product: Product
  readonly upstream: StandInUpstream
  readonly watched: WatchedPage
  clicks: number
}

let browser: Browser
let priced: Installation
let unpriced: Installation

beforeAll(async () => {
  browser = await openChromium()
  priced = await installed(['babbage-002', 'gpt-4o', 'gpt-4o-mini'])
  unpriced = await installed(['house-embed-1', UNPRICED])
}, 180_000)
afterAll(async () => {
  await browser.close()
  for (const { product, upstream } of [priced, unpriced]) {
    await product.dispose()
    await upstream.stop()
  }
}, 120_000)

async function installed(models: readonly string[]): Promise<Installation> {
  const upstream = await startStandInUpstream({ models: [...models] })
  const product = await startSingleProduct()
  const view = { language: 'en', theme: 'light', width: 1280 } as const
  const watched = await openPage(browser, product.url, view)
  return { product, upstream, watched, clicks: 0 }
}

const stepsOf = ({ watched }: Installation): Locator =>
  watched.page.getByRole('region', { name: t('firstSteps.title') })

async function click(by: Installation, target: Locator): Promise<void> {
  by.clicks += 1
  await target.click()
}

/** Sets the installation up and adds a channel. */
async function begin(by: Installation): Promise<void> {
  const { watched } = by
  const { page } = watched
  await page.goto('/setup')
  await page.getByLabel(t('setup.username')).fill(FOUNDER.username)
  await page.getByLabel(t('setup.password'), { exact: true }).fill(FOUNDER.password)
  await page.getByLabel(t('setup.confirmPassword')).fill(FOUNDER.password)
  await click(by, page.getByRole('button', { name: t('setup.submit') }))

  const steps = stepsOf(by)
  await steps.waitFor(PATIENCE)
  await watched.expectAccessible()
  await steps.getByLabel(t('firstSteps.key')).fill('sk-upstream')
  await steps.getByLabel(t('firstSteps.baseUrl')).fill(by.upstream.url)
  await click(by, steps.getByRole('button', { name: t('firstSteps.add') }))
}

/** Makes a token and the first call, until its charge is on show. */
async function end(by: Installation, model: string, done: 2 | 3 = 3): Promise<void> {
  const { watched } = by
  const { page } = watched
  const steps = stepsOf(by)
  await click(by, steps.getByRole('button', { name: t('firstSteps.createToken') }))
  await steps.getByText(t('firstSteps.waiting')).waitFor(PATIENCE)
  const snippet = (await steps.getByLabel('curl', { exact: true }).textContent()) ?? ''
  expect(snippet).toMatch(/Bearer sk-[0-9a-zA-Z]{48}/u)
  expect(snippet).toContain(`"model": "${model}"`)
  await watched.expectAccessible()

  // Until then every screen leads back to the steps.
  await page.goto('/token')
  await page.getByText(t('firstSteps.bar', { done: String(done), total: '4' })).waitFor(PATIENCE)
  await watched.expectAccessible()
  await click(by, page.getByRole('link', { name: t('firstSteps.continue') }))

  await click(by, steps.getByRole('button', { name: t('firstSteps.send') }))
  await page.waitForURL('**/log?row=*', PATIENCE)
  await page.getByRole('complementary').getByText(t('log.explain')).waitFor(PATIENCE)
  expect(by.clicks).toBeLessThanOrEqual(CLICKS_MAX)
  watched.expectNoComplaint()
}

test('given a new installation, when its founder follows the steps, then six clicks show a charge', async () => {
  await begin(priced)
  await stepsOf(priced)
    .getByText(/^3 models fetched\. A test with gpt-4o-mini took/u)
    .waitFor(PATIENCE)
  await end(priced, 'gpt-4o-mini')
})

test('given models without a price, when the steps are followed, then six clicks set the suggested one', async () => {
  await begin(unpriced)
  const steps = stepsOf(unpriced)
  const input = steps.getByLabel(t('pricing.inputPrice'))
  await input.waitFor(PATIENCE)
  expect(await steps.getByLabel(t('pricing.model'), { exact: true }).inputValue()).toBe(UNPRICED)
  expect(await input.inputValue()).toBe('2')
  await unpriced.watched.expectAccessible()

  // By Enter, nothing is sent: what is wrong stands at its field.
  await input.fill('a lot')
  await input.press('Enter')
  await steps.getByText(t('pricing.problem_number')).waitFor()
  await input.fill('3')
  await steps.getByLabel(t('pricing.outputPrice')).fill('6')
  await click(unpriced, steps.getByRole('button', { name: t('pricing.setPrice') }))
  // The other model still has none: the step is not done, and says so.
  await steps.getByText(/^1 model has no price yet.*: house-embed-1/u).waitFor(PATIENCE)
  await end(unpriced, UNPRICED, 2)

  const root = new ConsoleClient(unpriced.product.url)
  await root.logIn(FOUNDER.username, FOUNDER.password)
  const options = await root.ask('GET', '/api/option/', OPTIONS)
  const ratioOf = (key: string): unknown => {
    const text = options.find((option) => option.key === key)?.value ?? '{}'
    return z.record(z.string(), z.number()).parse(JSON.parse(text))[UNPRICED]
  }
  expect([ratioOf('ModelRatio'), ratioOf('CompletionRatio')]).toEqual([1.5, 2])
})

const OPTIONS = z.array(z.object({ key: z.string(), value: z.string() }))

test('given the first charge, when home and screens are opened, then the steps are gone', async () => {
  const { page } = priced.watched
  const paths: string[] = []
  page.on('request', (request) => paths.push(new URL(request.url()).pathname))
  // A browser that saw the steps keeps a place for their line, until it knows that they are taken.
  await page.evaluate(() => localStorage.setItem('first-steps', 'open'))
  for (const path of ['/', '/token']) {
    const asked = page.waitForResponse('**/api/log/?*', PATIENCE)
    await page.goto(path)
    await asked
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByText(t('firstSteps.title')).count()).toBe(0)
    expect(await page.getByRole('link', { name: t('firstSteps.continue') }).count()).toBe(0)
    await page.waitForLoadState('networkidle')
  }
  // Only who still has steps to take asks how far they are.
  expect(paths).toContain('/api/log/')
  expect(paths).not.toContain('/api/option/')
  expect(paths).not.toContain('/api/channel/models_enabled')
  expect(await page.evaluate(() => localStorage.getItem('first-steps'))).toBe('done')
  priced.watched.expectNoComplaint()
})

test('given somebody who is no founder, when they open the console, then no step is asked of them', async () => {
  const root = new ConsoleClient(priced.product.url)
  await root.logIn(FOUNDER.username, FOUNDER.password)
  await root.addUser('ann', 'long-enough-1', 0)
  const { page } = await openPage(browser, priced.product.url, {
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
