import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { logCaughtUp } from '../support/books.ts'
import type { WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, ROOT, startGateway } from '../support/gateway.ts'
import { openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** The dashboard in a real browser: whose figures they are, where they lead, and what stands while nothing is known. */
let gateway: Gateway
let watched: WatchedPage
let page: Page
const t = textsOf('en')
const MODELS = ['gpt-4o', 'gpt-4o-mini'] as const
const BALANCE = 1_500_000
/** Each test opens several screens, and the machine may be busy. */
const BUSY_MS = 180_000

beforeAll(async () => {
  gateway = await startGateway({ models: MODELS })
  const ann = await gateway.root.addUser('ann', 'long-enough-2', BALANCE)
  for (const [client, model] of [
    [gateway.root, 'gpt-4o'],
    [ann, 'gpt-4o-mini'],
  ] as const) {
    const { key } = await client.createToken({ name: 'drawn' })
    await gateway
      .openai(key)
      .chat.completions.create({ model, messages: [{ role: 'user', content: 'hello' }] })
  }
  await logCaughtUp(gateway.product, gateway.root)
  await logCaughtUp(gateway.product, ann)
  watched = await openSignedIn(gateway, { language: 'en' })
  page = watched.page
})
afterAll(() => stopAll(page, gateway))

const account = (name: string) =>
  page.getByRole('region', { name: t('dashboard.accountOf', { name }) })
const usage = (name: string) =>
  page.getByRole('region', {
    name: t('dashboard.usageOf', { name, range: t('range.24h') }),
  })
const usageOfAll = () =>
  page.getByRole('region', { name: t('dashboard.usageOfAll', { range: t('range.24h') }) })
/** The value beside a figure's name. */
const figure = (strip: Locator, label: string) =>
  strip
    .locator('dl > div')
    .filter({ has: page.getByText(label, { exact: true }) })
    .locator('dd')

test(
  'given root and ann, when ann is chosen, then the figures are hers and each opens its rows',
  async () => {
    await page.goto('/detail')
    await account(ROOT.username).getByText(t('dashboard.available')).waitFor()
    await figure(usageOfAll(), t('dashboard.rangeCalls')).getByText('2').waitFor()

    await page.getByRole('button', { name: t('dashboard.username') }).click()
    await page.getByRole('option', { name: 'ann', exact: true }).click()
    await page.waitForURL('**/detail?username=ann')
    await figure(usage('ann'), t('dashboard.rangeCalls')).getByText('1').waitFor()
    expect(await account(ROOT.username).count()).toBe(0)
    // Three dollars but for one small call: cut, not rounded.
    await figure(account('ann'), t('dashboard.available'))
      .getByText(/^\$2\.99/u)
      .first()
      .waitFor()
    await watched.expectAccessible()

    await figure(account('ann'), t('dashboard.available')).getByRole('link').click()
    await page.waitForURL('**/user?row=*')
    await page.goBack()
    for (const label of ['balance', 'held'] as const) {
      await figure(account('ann'), t(`dashboard.${label}`))
        .getByRole('link')
        .click()
      await page.waitForURL('**/audit/statement?user=*')
      await page.goBack()
    }
    await figure(usage('ann'), t('dashboard.rpm')).getByRole('link').click()
    await page.waitForURL('**/log?*username=ann*')
    await page.goBack()
    await figure(usage('ann'), t('dashboard.rangeTokens')).getByRole('link').click()
    await page.waitForURL('**/log?*username=ann*')
    await page.getByRole('row').filter({ hasText: 'gpt-4o-mini' }).waitFor()
    expect(await page.getByRole('row').filter({ hasText: 'drawn' }).count()).toBe(1)

    await page.goto('/detail?username=nobody')
    await page.getByText(t('dashboard.noSuchUser', { name: 'nobody' })).waitFor()
    await page.getByRole('button', { name: t('dashboard.showAll') }).click()
    await account(ROOT.username).waitFor()
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given one model or two, when drawn, then a model has the same colour',
  async () => {
    const colour = () =>
      page
        .getByRole('listitem')
        .filter({ has: page.getByRole('link', { name: 'gpt-4o-mini', exact: true }) })
        .first()
        .locator('rect')
        .last()
        .getAttribute('fill')
    await page.goto('/detail')
    await page.getByRole('link', { name: 'gpt-4o', exact: true }).first().waitFor()
    const beside = await colour()
    expect(beside).toMatch(/^#/u)
    await page.goto('/detail?username=ann&range=1h')
    await page.getByRole('link', { name: 'gpt-4o-mini', exact: true }).first().waitFor()
    expect(await page.getByRole('link', { name: 'gpt-4o', exact: true }).count()).toBe(0)
    expect(await colour()).toBe(beside)
  },
  BUSY_MS,
)

test(
  'given the chart, when used by keyboard, then Enter opens a bar’s rows; its table has each model',
  async () => {
    await page.goto('/detail')
    const title = t('dashboard.quotaChart')
    const bars = page.getByRole('application', { name: t('chart.keys', { title }) })
    await bars.focus()
    // The first bar's details tell that the code for the keys is there, and that it has the focus now.
    await page.getByRole('status').getByText(t('dashboard.total')).waitFor()
    const shown = page.getByRole('status').getByText('gpt-4o-mini')
    // The calls are in the last bar, or in the one before it if an hour has begun since.
    for (let bar = 0; bar < 30 && !(await shown.isVisible()); bar += 1) {
      await page.keyboard.press('ArrowRight')
    }
    await shown.waitFor()
    await watched.expectAccessible()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/log?type=2&start=*')
    await page.getByRole('row').filter({ hasText: 'gpt-4o-mini' }).waitFor()

    await page.goBack()
    const part = bars.locator('path[d^=M]').first()
    const outline = (await part.getAttribute('d')) ?? ''
    const [x = 0, y = 0, width = 0, height = 0] = (outline.match(/[\d.]+/gu) ?? []).map(Number)
    await bars.click({ position: { x: x + width / 2, y: y + height / 2 } })
    await page.waitForURL('**/log?type=2&start=*&model=gpt-4o*')

    await page.goBack()
    const label = t('chart.showTable')
    await page.getByRole('button', { name: t('chart.toggleOf', { label, title }) }).click()
    const twin = page.getByRole('region', { name: title })
    for (const model of MODELS)
      await twin.getByRole('columnheader', { name: model, exact: true }).waitFor()
    const row = twin
      .getByRole('row')
      .filter({ has: page.getByRole('link') })
      .first()
    expect(await row.getByRole('link').count()).toBeGreaterThan(1)
    await watched.expectAccessible()
    await row.getByRole('link').last().click()
    await page.waitForURL('**/log?*model=gpt-4o*')
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a slow status and failing usage, when opened, then nothing is shown as zero',
  async () => {
    let answer: () => void = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/api/status', async (route) => {
      await held
      await route.continue()
    })
    await page.route('**/api/data/**', async (route) => {
      await held
      await route.fulfill({ status: 400, json: { success: false, message: 'the pen is empty' } })
    })
    await page.goto('/detail')
    await page.getByRole('heading', { level: 1, name: t('place.dashboard') }).waitFor()
    const spend = figure(usageOfAll(), t('dashboard.rangeQuota'))
    await spend.getByText('–').waitFor()
    const chart = page.getByRole('heading', { name: t('dashboard.quotaChart') }).locator('..')
    await chart.getByText(`${t('dashboard.total')} –`).waitFor()
    answer()
    await page.getByRole('alert').getByText('the pen is empty').waitFor()
    expect(await page.getByRole('main').getByRole('alert').count()).toBe(1)
    expect(await spend.textContent()).toBe('–')
    await page.unroute('**/api/data/**')
    await page.unroute('**/api/status')
    await page
      .getByRole('main')
      .getByRole('button', { name: t('action.retry') })
      .click()
    await page.getByRole('link', { name: 'gpt-4o', exact: true }).first().waitFor()
  },
  BUSY_MS,
)
