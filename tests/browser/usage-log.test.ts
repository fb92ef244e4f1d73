import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { logCaughtUp } from '../support/books.ts'
import type { WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'
import { openBeside, openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** The usage log in a real browser: filters, rows and their panel, in the reader's language. */
let gateway: Gateway
let watched: WatchedPage
let page: Page
const t = textsOf('en')
const MODEL = 'gpt-4o-mini'
const ANN = { username: 'ann', password: 'long-enough-2' } as const
const CALLS = 12
/** Failures reach the log in batches, and a busy machine takes its time. */
const PATIENCE_MS = 60_000
/** Each test opens several screens, and the machine may be busy. */
const BUSY_MS = 180_000

beforeAll(async () => {
  gateway = await startGateway({ models: [MODEL] })
  const ann = await gateway.root.addUser(ANN.username, ANN.password, 1_500_000)
  const call = async (key: string, model: string): Promise<unknown> =>
    gateway
      .openai(key)
      .chat.completions.create({ model, messages: [{ role: 'user', content: 'hello' }] })
  const own = await gateway.root.createToken({ name: 'spender-of-the-night' })
  for (let n = 0; n < CALLS; n += 1) await call(own.key, MODEL)
  const hers = await ann.createToken({ name: 'notebook' })
  await call(hers.key, MODEL)
  await call(hers.key, 'no-such-model').catch(() => null)
  await logCaughtUp(gateway.product, gateway.root)
  await logCaughtUp(gateway.product, ann)
  await until(
    'the failure is logged',
    async () => (await ann.logs({ type: '5' })).length === 1,
    PATIENCE_MS,
  )
  watched = await openSignedIn(gateway, { language: 'en' })
  page = watched.page
})
afterAll(() => stopAll(page, gateway))

const rows = () => page.locator('tbody tr[data-row]')
const panel = () => page.getByRole('complementary')
const rowIn = (url: URL): string => url.searchParams.get('row') ?? ''
const chip = (name: string) => page.getByRole('button', { name, exact: true })
/** CSS pixels that a box would have to be scrolled sideways by. */
const hidden = (box: Locator) => box.evaluate((node) => node.scrollWidth - node.clientWidth)

test(
  'given the log of all, when filtered by chips, then the address says it, each with its name',
  async () => {
    await page.goto('/log')
    await rows().first().waitFor()
    for (const label of [
      'type',
      'token',
      'model',
      'group',
      'channel',
      'username',
      'dataType',
    ] as const)
      await page.getByRole('group', { name: t(`log.${label}`), exact: true }).waitFor()
    await chip(t('log.type')).click()
    const choices = page.getByRole('dialog', { name: t('log.type') }).getByRole('button')
    await choices.first().waitFor()
    expect(await choices.allTextContents()).toEqual(
      (['all', 'topUp', 'consumption', 'management', 'system', 'error'] as const).map((type) =>
        t(`log.type_${type}`),
      ),
    )
    await choices.getByText(t('log.type_consumption')).click()
    await page.waitForURL('**/log?type=2')
    await chip(t('log.username')).click()
    await page.getByRole('option', { name: ANN.username, exact: true }).click()
    await page.waitForURL('**/log?type=2&username=ann')
    await expect.poll(() => rows().count()).toBe(1)
    await chip(t('log.dataType')).click()
    const asked = page.waitForRequest('**/api/log/?*is_distance=true*')
    await page.getByRole('dialog').getByText(t('log.dataDistinct')).click()
    await asked
    await watched.expectAccessible()
    await page.getByRole('button', { name: t('action.reset') }).click()
    await page.waitForURL('**/log')
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a row, when opened, then its charge is explained beside it; j goes on over pages',
  async () => {
    await page.goto('/log?type=2')
    await rows().nth(9).click()
    await panel().getByText(t('log.explain')).waitFor()
    await panel().getByText(t('log.fromHold')).waitFor()
    await panel().getByText('1 steady').first().waitFor()
    await panel()
      .getByText(/model ratio 0\.075 · completion ratio 4 · group ratio 1/u)
      .waitFor()
    expect(await panel().getByText(t('log.upstreamStatus')).count()).toBe(0)
    await watched.expectAccessible()
    const last = rowIn(new URL(page.url()))
    await page.keyboard.press('j')
    await page.waitForURL(
      (url) => url.searchParams.get('p') === '2' && /^[\da-f-]{36}$/u.test(rowIn(url)),
    )
    await page.keyboard.press('k')
    await page.waitForURL((url) => rowIn(url) === last)
    await page.keyboard.press('Escape')
    await panel().waitFor({ state: 'hidden' })
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a row’s address, when on another page or under a filter, then it opens, else that is said',
  async () => {
    await page.goto('/log?type=2')
    await rows().nth(9).click()
    await page.waitForURL('**/log?*row=*')
    const last = rowIn(new URL(page.url()))
    const shared = await panel().getByRole('link', { name: last }).getAttribute('href')
    const charge = panel().getByText(t('log.explain'))
    for (const address of [`${shared}&p=2`, `/log?type=3&row=${last}`]) {
      await page.goto(address)
      await charge.waitFor()
    }
    for (const address of [
      '/log?row=00000000-0000-4000-8000-000000000000',
      '/log?row=nothing&at=5',
    ]) {
      await page.goto(address)
      await panel().getByText(t('list.rowGone')).waitFor()
    }
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given rows of all kinds in English, when read, then nothing of ours is Chinese',
  async () => {
    await page.goto('/log?size=50')
    await expect.poll(() => rows().count()).toBeGreaterThan(CALLS + 2)
    const said = await page.locator('tbody').innerText()
    expect(said.match(/\p{Script=Han}+/gu)).toBeNull()
    await page.goto('/log?type=5')
    await rows().first().click()
    await panel().getByText(t('log.ownStatus')).waitFor()
    await panel().getByText('No channel lists the model no-such-model.').waitFor()
    await panel().getByRole('button', { name: ANN.username }).click()
    const dialog = page.getByRole('dialog', { name: ANN.username, exact: true })
    await dialog.getByText(t('user.balance')).waitFor()
    await watched.expectAccessible()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await rows().getByRole('button', { name: ANN.username }).click()
    await dialog.getByRole('link', { name: t('log.openUser') }).click()
    await page.waitForURL('**/user?row=*')
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given rows in view, when they cannot be read again, then they stay and that is said',
  async () => {
    await page.goto('/log')
    await rows().first().waitFor()
    await page.route('**/api/log/?*', (route) =>
      route.fulfill({ status: 400, json: { success: false, message: 'no' } }),
    )
    await page.getByRole('button', { name: t('action.refresh') }).click()
    await page
      .getByRole('alert')
      .getByText(/^Could not refresh/u)
      .waitFor()
    expect(await rows().count()).toBe(10)
    await page.unroute('**/api/log/?*')
  },
  BUSY_MS,
)

test(
  'given a browser without a network, when rows are read again, then it is said that they are old',
  async () => {
    await page.goto('/log')
    await rows().first().waitFor()
    await page.context().setOffline(true)
    try {
      await page.getByRole('button', { name: t('action.refresh') }).click()
      await page
        .getByRole('alert')
        .getByText(/^Could not refresh/u)
        .waitFor()
    } finally {
      await page.context().setOffline(false)
    }
    // It is read again with the network, without anybody asking.
    await page
      .getByRole('alert')
      .getByText(/^Could not refresh/u)
      .waitFor({ state: 'hidden' })
    expect(await rows().count()).toBe(10)
    await page.getByText(/^Items 1 - 10 of \d+$/u).waitFor()
  },
  BUSY_MS,
)

test(
  'given the choices of a time range, when opened, then they begin where their button does',
  async () => {
    await page.goto('/log')
    await rows().first().waitFor()
    const button = page.getByRole('button', { name: t('range.label') })
    await button.click()
    const choices = page.getByRole('dialog', { name: t('range.label') })
    const leftOf = async (one: Locator) => (await one.boundingBox())?.x ?? Number.NaN
    await expect
      .poll(async () => Math.round((await leftOf(choices)) - (await leftOf(button))))
      .toBe(0)
    await page.keyboard.press('Escape')
  },
  BUSY_MS,
)

test.each([1366, 1920])(
  'given a window of %i px, when the log is open, then table, card and window fit',
  async (width) => {
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/log')
    await rows().first().waitFor()
    const table = page.getByRole('region', { name: t('place.log'), exact: true })
    expect(await hidden(table)).toBe(0)
    // A figure that is cut is a wrong one.
    for (const figure of await rows().locator('td[data-align=end]').all()) {
      expect(await hidden(figure)).toBe(0)
    }
    // Times and names are whole, in two lines if need be.
    const cut = await rows().evaluateAll((lines) =>
      lines
        .flatMap((line) => [...line.querySelectorAll('[data-lines]')].slice(0, 3))
        .filter(
          (cell) => cell.scrollHeight > cell.clientHeight || cell.scrollWidth > cell.clientWidth,
        )
        .map((cell) => cell.textContent),
    )
    expect(cut).toEqual([])
    const details = await page.getByRole('columnheader', { name: t('log.details') }).boundingBox()
    expect(details?.width).toBeGreaterThanOrEqual(100)
    const main = await page.getByRole('main').boundingBox()
    const card = await table.boundingBox()
    expect((main?.width ?? 0) - (card?.width ?? 0)).toBeLessThan(60)
    await page.setViewportSize({ width: 1366, height: 900 })
  },
)

test(
  'given ann, when she opens her log, then channels, users and retries are not hers to see',
  async () => {
    const { page: own } = await openBeside(page, gateway, {
      language: 'en',
      theme: 'dark',
      who: ANN,
    })
    await own.goto('/log?type=2')
    await own.locator('tbody tr[data-row]').first().click()
    const aside = own.getByRole('complementary')
    await aside.getByText(t('log.explain')).waitFor()
    const heads = await own.getByRole('columnheader').allInnerTexts()
    for (const name of ['channel', 'username', 'retry'] as const) {
      expect(heads).not.toContain(t(`log.${name}`))
      expect(await own.getByRole('group', { name: t(`log.${name}`), exact: true }).count()).toBe(0)
    }
    expect(await aside.getByText(t('log.channel'), { exact: true }).count()).toBe(0)
    await aside.getByRole('link', { name: 'notebook' }).click()
    await own.waitForURL('**/token?keyword=notebook')
    await own.context().close()
  },
  BUSY_MS,
)
