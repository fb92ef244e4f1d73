import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hledgerProblems } from '../support/accounting/check-book.ts'
import { logCaughtUp } from '../support/books.ts'
import type { WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { unzip } from '../support/unzip.ts'
import { bytesOf } from './sign-in.ts'
import { openBeside, openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Figures that open the statement they stand in, in a real browser; and a statement saved as files. */
let gateway: Gateway
let watched: WatchedPage
let page: Page
const t = textsOf('en')
const MODEL = 'gpt-4o-mini'
const ANN = { username: 'ann', password: 'long-enough-2' } as const
const CALLS = 3
const BUSY_MS = 180_000

beforeAll(async () => {
  gateway = await startGateway({ models: [MODEL] })
  const ann = await gateway.root.addUser(ANN.username, ANN.password, 1_500_000)
  const { key } = await ann.createToken({ name: 'notebook' })
  for (let call = 0; call < CALLS; call += 1)
    await gateway
      .openai(key)
      .chat.completions.create({ model: MODEL, messages: [{ role: 'user', content: 'hello' }] })
  await logCaughtUp(gateway.product, ann)
  watched = await openSignedIn(gateway, { language: 'en' })
  page = watched.page
})
afterAll(() => stopAll(page, gateway))

test(
  'given the list of users, when a balance is clicked, then the user’s statement closes with it',
  async () => {
    await page.goto('/user')
    const row = page.locator('tbody tr').filter({ hasText: 'ann' })
    const balance = row.getByRole('link').filter({ hasText: /\d/ }).first()
    const shown = await balance.textContent()
    await balance.click()
    await page.waitForURL('**/audit/statement?user=*')
    const closing = page
      .getByRole('group', { name: t('statement.sum') })
      .locator('> div')
      .last()
    await expect
      .poll(async () => Number((await closing.textContent())?.split('$')[1]))
      .toBeCloseTo(Number(shown?.replace('$', '')), 2)
    await watched.expectAccessible()
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a user’s wallet and token, when what was spent is clicked, then its charges are in the statement',
  async () => {
    const own = await openBeside(page, gateway, { who: ANN, language: 'en' })
    const wallet = own.page
    await wallet.goto('/topup')
    const used = wallet.locator('dl div').filter({ hasText: t('wallet.used') })
    await used.getByRole('link').click()
    await wallet.waitForURL('**/statement?*term=charges*')
    await wallet.getByText(t('statement.requests', { count: String(CALLS) })).waitFor()
    await wallet.goto('/token')
    await wallet.locator('tbody tr').filter({ hasText: 'notebook' }).first().click()
    await wallet
      .getByRole('complementary')
      .getByRole('link', { name: t('place.statement') })
      .click()
    await wallet.waitForURL('**/statement?*token=*')
    await wallet.getByText(t('statement.requests', { count: String(CALLS) })).waitFor()
    own.expectNoComplaint()
    await wallet.context().close()
  },
  BUSY_MS,
)

test(
  'given a statement, when it is exported as a book, then the file is a ZIP whose journal hledger takes',
  async () => {
    await page.goto('/statement')
    await page.getByRole('button', { name: t('statement.export'), exact: true }).click()
    await page.getByRole('menuitem').first().waitFor()
    await watched.expectAccessible()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: t('statement.export_hledger') }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^statement-\d{4}-\d\d-\d\d\.zip$/)
    const files = await unzip(await bytesOf(download))
    expect([...files.keys()]).toEqual(['statement.journal', 'manifest.json'])
    expect(await hledgerProblems(files.get('statement.journal') ?? '')).toBe('')
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a statement that is being exported, when its button is pressed by key, then no menu opens until it is there',
  async () => {
    const held = Promise.withResolvers<void>()
    await page.route(/statement.*export/u, async (route) => {
      await held.promise
      await route.continue()
    })
    const button = page.getByRole('button', { name: t('statement.export'), exact: true })
    await button.click()
    const asked = page.waitForRequest(/statement.*export/u)
    await page.getByRole('menuitem', { name: t('statement.export_csv') }).click()
    await asked
    await button.press('ArrowDown')
    const saved = page.waitForEvent('download')
    held.resolve()
    await saved
    expect(await page.getByRole('menuitem').count()).toBe(0)
    await page.unroute(/statement.*export/u)
    await button.press('ArrowDown')
    await page.getByRole('menuitem').first().waitFor()
    watched.expectNoComplaint()
  },
  BUSY_MS,
)
