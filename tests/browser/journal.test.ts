import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { logCaughtUp } from '../support/books.ts'
import type { WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { unzip } from '../support/unzip.ts'
import { spaceAfter } from './hands.ts'
import { bytesOf } from './sign-in.ts'
import { openBeside, openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** The journal in a real browser: filtered by clicks, opened as T-accounts, exported. */
let gateway: Gateway
let watched: WatchedPage
let page: Page
const t = textsOf('en')
const MODEL = 'gpt-4o-mini'
const ANN = { username: 'ann', password: 'long-enough-2' } as const
const CALLS = 8
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

const rows = () => page.locator('tbody tr[data-row]')
const figure = (label: string) =>
  page.locator('dl div').filter({ hasText: label }).locator('dd').first()

test(
  'given the journal, when cells are clicked, then rows and totals are filtered by them',
  async () => {
    await page.goto('/detail')
    await page.getByRole('link', { name: t('place.journal') }).click()
    await page.waitForURL('**/audit/journal')
    await rows().first().waitFor()
    const charge = rows().filter({ hasText: t('audit.type_UsageCharged') })
    await charge.first().getByRole('button', { name: MODEL }).click()
    await page.waitForURL(`**/audit/journal?model=${MODEL}`)
    await expect.poll(() => rows().count()).toBe(CALLS)
    const amounts = await page.locator('tbody td[data-align=end]:nth-child(5)').allTextContents()
    const sum = amounts.reduce((total, text) => total + Number(text), 0)
    await expect
      .poll(async () => Number((await figure(t('audit.total')).textContent())?.slice(1)))
      .toBeCloseTo(sum, 6)
    expect(await figure(t('audit.postings')).textContent()).toBe(String(CALLS))
    await rows()
      .first()
      .getByRole('button', { name: t('audit.account_usage-revenue') })
      .click()
    await page.waitForURL('**/audit/journal?*account=usage-revenue*')
    await expect.poll(() => figure(t('audit.debited')).textContent()).toContain('$0.00')
    await watched.expectAccessible()
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a charge, when its row is opened, then a T-account pair tells the balances before and after',
  async () => {
    await page.goto('/audit/journal?type=UsageCharged')
    await rows().first().getByText(t('audit.type_UsageCharged')).click()
    const panel = page.getByRole('complementary')
    const held = panel.getByRole('table').filter({
      hasText: t('audit.accountOf', { account: t('audit.account_held'), name: 'ann' }),
    })
    await held.waitFor()
    const cells = (await held.locator('td').allTextContents()).map((text) => Number(text.slice(1)))
    const [before = 0, amount = 0, after = 0] = cells
    expect(amount).toBeGreaterThan(0)
    expect(before - amount).toBeCloseTo(after, 6)
    await panel.getByText(t('audit.sharedAccount')).waitFor()
    const request = panel.locator('a[href^="/audit/charges/"]')
    expect(await spaceAfter(request, 'aside')).toBeGreaterThan(0)
    await watched.expectAccessible()
    const shared = page.url()
    await page.goto('/audit/journal')
    await page.goto(shared)
    await held.waitFor()
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given more postings than a page has, when gone on, then pages connect and files hold all',
  async () => {
    await page.goto('/audit/journal?size=10')
    await expect.poll(() => rows().count()).toBe(10)
    const last = await rows().last().getAttribute('data-row')
    await page.getByRole('button', { name: t('table.next') }).click()
    await page.waitForURL('**after=*')
    await expect
      .poll(async () => Number((await rows().first().getAttribute('data-row'))?.split(':')[0]))
      .toBeLessThanOrEqual(Number(last?.split(':')[0]))
    await page.getByRole('button', { name: t('table.newest') }).click()
    await expect.poll(() => rows().last().getAttribute('data-row')).toBe(last)

    await page.goto('/audit/journal?type=UsageCharged')
    await rows().first().waitFor()
    await page.getByRole('button', { name: t('list.archive'), exact: true }).click()
    await page.getByRole('menuitem', { name: t('list.archive_csv') }).waitFor()
    await watched.expectAccessible()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: t('list.archive_all') }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^journal-\d{4}-\d\d-\d\d\.zip$/)
    const files = await unzip(await bytesOf(download))
    expect([...files.keys()]).toEqual(['journal.csv', 'journal.jsonl', 'manifest.json'])
    expect(JSON.parse(files.get('manifest.json') ?? '')).toMatchObject({
      filter: { type: 'UsageCharged' },
      totals: { postings: CALLS },
    })
    const linesOf = (name: string) => (files.get(name) ?? '').trim().split('\n')
    const [csv, lines] = [linesOf('journal.csv'), linesOf('journal.jsonl')]
    expect(csv[0]).toContain('position,line,time')
    expect(csv).toHaveLength(CALLS + 1)
    expect(lines).toHaveLength(CALLS)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ event_type: 'UsageCharged', model: MODEL })
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a phone in Chinese, when the journal is opened, then its rows fit without complaint',
  async () => {
    const phone = await openBeside(page, gateway, { language: 'zh', theme: 'dark', width: 390 })
    const zh = textsOf('zh')
    await phone.page.goto('/audit/journal?type=UsageCharged')
    await phone.page
      .getByRole('listitem')
      .filter({ hasText: zh('audit.type_UsageCharged') })
      .first()
      .waitFor()
    const sideways = await phone.page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    expect(sideways).toBe(0)
    await phone.expectAccessible()
    phone.expectNoComplaint()
    await phone.page.context().close()
  },
  BUSY_MS,
)

test('given 1440 px or 1366 px, when a charge is listed, then its reference and the reset button fit', async () => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/audit/journal?type=UsageCharged')
  const reference = rows().first().locator('td').last().locator('[data-lines]')
  for (const named of ['notebook', MODEL])
    await reference.getByRole('button', { name: named }).waitFor()
  expect(await reference.evaluate((box) => box.scrollHeight - box.clientHeight)).toBe(0)

  const user = 'user=1&model=gpt-4o-mini&min=1&max=2&token=3&from=1'
  for (const filters of ['type=UsageCharged', user, `${user}&fromPosition=1&toPosition=9000000`]) {
    await page.setViewportSize({ width: 1366, height: 900 })
    await page.goto(`/audit/journal?${filters}`)
    const bar = page.getByRole('search', { name: t('list.filters') })
    const reset = await bar.getByRole('button', { name: t('action.reset') }).boundingBox()
    const last = await bar
      .getByRole('button', { name: new RegExp(t('audit.toPosition')) })
      .first()
      .boundingBox()
    const middle = (box: typeof reset) => (box ? box.y + box.height / 2 : Number.NaN)
    expect(Math.abs(middle(reset) - middle(last))).toBeLessThan(8)
  }
})

test('given a user of role 1, when the journal is opened, then neither page nor call shows it', async () => {
  const hers = await openBeside(page, gateway, { language: 'en', who: ANN })
  await hers.page.goto('/audit/journal')
  await hers.page.getByText(t('place.forbidden')).waitFor()
  expect(await hers.page.getByRole('link', { name: t('place.journal') }).count()).toBe(0)
  await hers.page.context().close()
})
