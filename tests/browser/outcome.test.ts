import type { StandInUpstream } from '@tollgate/infra/demo/stand-in-upstream.ts'
import { startStandInUpstream } from '@tollgate/infra/demo/stand-in-upstream.ts'
import OpenAI from 'openai'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { WatchedPage } from '../support/browser/browser.ts'
import { openChromium, openPage } from '../support/browser/browser.ts'
import type { Product } from '../support/product-kinds.ts'
import { startProduct } from '../support/product.ts'
import { textsOf } from './texts.ts'

/**
 * The first day of a new user, in a real browser: set up, add a channel, create a token, call it from the official SDK,
 * and see the charge. One test per step, each going on from where the last one ended.
 */
let product: Product
let upstream: StandInUpstream
let browser: Browser
let watched: WatchedPage

const t = textsOf('en')
const USERNAME = 'founder'
const PASSWORD = 'long-enough-1'
const MODEL = 'gpt-4o-mini'

beforeAll(async () => {
  upstream = await startStandInUpstream()
  product = await startProduct()
  browser = await openChromium()
  watched = await openPage(browser, product.url, { language: 'en', theme: 'light', width: 1280 })
})
afterAll(async () => {
  await browser.close()
  await product.dispose()
  await upstream.stop()
})

test('given a new installation, when first visited, then the wizard sets it up, signs in and loads afresh', async () => {
  const { page } = watched
  await page.goto('/token')
  // Not its address alone: the sign-in page, which stands until the wizard is there, has fields of the same names.
  await page.getByRole('heading', { level: 1, name: t('setup.title') }).waitFor()
  await page.getByLabel(t('setup.username')).fill(USERNAME)
  await page.getByLabel(t('setup.password'), { exact: true }).fill(PASSWORD)
  await page.getByLabel(t('setup.confirmPassword')).fill(PASSWORD)
  await watched.expectAccessible()
  await page.getByRole('button', { name: t('setup.submit') }).click()
  await page.waitForURL(`${product.url}/`, { timeout: 60_000 })
  await page.getByRole('button', { name: t('frame.account', { name: USERNAME }) }).waitFor()
  await page.goto('/token')
  await page.getByText(t('tokens.emptyTitle')).waitFor()
  watched.expectNoComplaint()
})

test('given no channel, when one is added, then it is in the list', async () => {
  const { page } = watched
  await page.getByRole('link', { name: t('place.channels') }).click()
  await page.waitForURL('**/channel')
  await page
    .getByRole('button', { name: t('channels.add') })
    .first()
    .click()
  const drawer = page.getByRole('dialog')
  await drawer.getByLabel(t('channels.name')).fill('provider')
  await drawer.getByRole('textbox', { name: t('channels.key') }).fill('sk-provider')
  await drawer.getByLabel(t('channels.address_base')).fill(upstream.url)
  await drawer.getByRole('button', { name: t('channels.fetchModels') }).click()
  await drawer.getByText(MODEL, { exact: true }).filter({ visible: true }).first().waitFor()
  await watched.expectAccessible()
  await drawer.getByRole('button', { name: t('action.save') }).click()
  await drawer.waitFor({ state: 'hidden' })
  await page.getByRole('row').filter({ hasText: 'provider' }).waitFor()
  watched.expectNoComplaint()
})

let key = ''

test('given no token, when one is created, then its key can be shown', async () => {
  const { page } = watched
  await page.getByRole('link', { name: t('place.tokens') }).click()
  await page
    .getByRole('button', { name: t('tokens.create') })
    .first()
    .click()
  const drawer = page.getByRole('dialog')
  await drawer.getByLabel(t('tokens.name')).fill('first')
  await watched.expectAccessible()
  await drawer.getByRole('button', { name: t('action.save') }).click()
  await drawer.waitFor({ state: 'hidden' })
  const row = page.getByRole('row').filter({ hasText: 'first' })
  await row.getByRole('button', { name: t('tokens.showKey', { name: 'first' }) }).click()
  key = (await row.getByText(/sk-[0-9a-zA-Z]{48}/u).textContent()) ?? ''
  expect(key).toMatch(/sk-[0-9a-zA-Z]{48}/u)
  watched.expectNoComplaint()
})

test('given the token, when the SDK streams a chat, then the log and the balance show the charge', async () => {
  const { page } = watched
  const openai = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: key, maxRetries: 0 })
  const stream = openai.chat.completions.stream({
    model: MODEL,
    messages: [{ role: 'user', content: 'Is this thing on?' }],
  })
  await stream.finalChatCompletion()
  // How soon it is there, `npm run bench -- visibility` measures.
  await page.getByRole('link', { name: t('place.log') }).click()
  await page.getByRole('row').filter({ hasText: MODEL }).waitFor()
  await watched.expectAccessible()
  await page.getByRole('link', { name: t('place.dashboard') }).click()
  await page.getByText(t('dashboard.balance')).first().waitFor()
  await page.getByText(MODEL).filter({ visible: true }).first().waitFor()
  await watched.expectAccessible()
  watched.expectNoComplaint()
})
