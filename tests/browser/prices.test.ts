import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { spaceAfter } from './hands.ts'
import { openBeside, openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Prices through time in a real browser: changed with a preview, listed as revisions, planned and withdrawn. */
let gateway: Gateway
let page: Page
const t = textsOf('en')
const zh = textsOf('zh')
const MODEL = 'gpt-4o-mini'
const BUSY_MS = 180_000

beforeAll(async () => {
  gateway = await startGateway({ models: [MODEL] })
  const ann = await gateway.root.addUser('ann', 'long-enough-2', 1_500_000)
  const { key } = await ann.createToken({ name: 'notebook' })
  await gateway
    .openai(key)
    .chat.completions.create({ model: MODEL, messages: [{ role: 'user', content: 'hello' }] })
  page = (await openSignedIn(gateway, { language: 'en' })).page
}, 120_000)
afterAll(() => stopAll(page, gateway))

const revisions = () =>
  gateway.root.ask(
    'GET',
    '/api/ledger/prices',
    z.object({
      in_force: z.number(),
      items: z.array(z.object({ revision: z.number(), number: z.number(), charges: z.number() })),
    }),
  )

const ratioField = (on: Page): Locator =>
  on.getByLabel(`${MODEL}: ${t('pricing.modelRatio')}`, { exact: true })

/** Types a ratio for the model into the table of prices and asks to save it. */
async function type(on: Page, ratio: string): Promise<void> {
  await on.goto('/setting?prices=visual')
  await on.getByRole('searchbox', { name: t('pricing.search') }).fill(MODEL)
  await on.keyboard.press('Enter')
  await ratioField(on).fill(ratio)
  await on.getByRole('button', { name: t('pricing.saveChanges', { n: '1' }) }).click()
}

/** Types a ratio for the model into the table of prices and opens the dialog that saves it. */
async function change(ratio: string): Promise<void> {
  await type(page, ratio)
  await page.getByRole('region', { name: t('pricing.previewTitle') }).waitFor()
}

test(
  'given changed prices, when saved, then the effect was shown, and the list says who and what',
  async () => {
    await change('40')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('row', { name: new RegExp(t('pricing.previewTotal')) }).waitFor()
    await dialog.getByRole('row', { name: new RegExp(t('pricing.previewYesterday')) }).waitFor()
    await dialog.getByLabel(t('pricing.note')).fill('dearer upstream')
    await page.keyboard.press('Escape')
    const question = page.getByRole('alertdialog', { name: t('form.unsavedTitle') })
    await question.getByRole('button', { name: t('action.cancel') }).click()
    await question.waitFor({ state: 'hidden' })
    await dialog.getByRole('button', { name: t('action.save') }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.goto('/audit/prices')
    const row = page.getByRole('row', { name: /dearer upstream/ })
    await row.getByText(t('prices.status_in-force')).waitFor()
    await row.getByText('root').waitFor()
    const list = page.getByRole('region', { name: t('place.prices'), exact: true })
    expect(
      await list.evaluate((box) => (box.firstElementChild?.scrollWidth ?? 0) - box.clientWidth),
    ).toBe(0)
    const times = await page.locator('td time').all()
    expect(times.length).toBeGreaterThan(0)
    for (const time of times) expect(await spaceAfter(time, 'td')).toBeGreaterThanOrEqual(10)
    await row.click()
    await page.getByRole('row', { name: new RegExp(`^${MODEL}.*40 \\$80\\.00 / 1M`) }).waitFor()
  },
  BUSY_MS,
)

test(
  'given the event of a price change, when opened, then it counts the charges priced by it',
  async () => {
    const [{ revision, charges } = { revision: 0, charges: -1 }] = (await revisions()).items
    await page.goto(`/audit/events/${revision}`)
    const n = String(charges)
    await page.getByRole('link', { name: t('events.pricedCharges', { n }), exact: true }).click()
    await page.waitForURL('**/audit/prices?row=*')
    await page
      .getByRole('complementary')
      .getByRole('link', { name: t('prices.replay') })
      .waitFor()
  },
  BUSY_MS,
)

test(
  'given revisions with charges, when a count is clicked, then the log lists as many',
  async () => {
    const items = (await revisions()).items
    for (const { revision, number, charges } of items) {
      await page.goto('/audit/prices')
      const name =
        number === 0 ? t('prices.defaults') : t('prices.numbered', { number: `${number}` })
      const row = page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) })
      if (charges === 0) {
        await row.waitFor()
        expect(await row.getByRole('link').count()).toBe(0)
        continue
      }
      await row.getByRole('link', { name: String(charges), exact: true }).click()
      await page.waitForURL(`**/log?revision=${number}`)
      await page.getByRole('button', { name: new RegExp(`^${t('log.priceRevision')}`) }).waitFor()
      await expect
        .poll(() => page.locator('tbody tr').filter({ hasText: MODEL }).count())
        .toBe(charges)
      await page.getByRole('button', { name: new RegExp(`^${t('log.priceRevision')}`) }).waitFor()
      await page.goto(`/audit/prices?row=${revision}`)
      await page
        .getByRole('complementary')
        .getByRole('link', { name: String(charges), exact: true })
        .waitFor()
    }
    expect(items.map(({ charges }) => charges)).toEqual([0, 1])
  },
  BUSY_MS,
)

test(
  'given a revision, when replayed from its panel, then the form asks for its prices, in Chinese',
  async () => {
    const own = await openBeside(page, gateway, { language: 'zh' })
    const [{ revision } = { revision: 0 }] = (await revisions()).items
    await own.page.goto(`/audit/prices?row=${revision}`)
    await own.page.getByRole('link', { name: zh('prices.replay') }).click()
    const form = own.page.getByRole('dialog')
    expect(await form.getByLabel(zh('replays.revision')).inputValue()).toBe(String(revision))
    await form.getByLabel(zh('replays.name')).fill('at 40')
    await form.getByRole('combobox', { name: zh('replays.users') }).fill('ann')
    await form.getByRole('option', { name: /^\d+ ann$/ }).click()
    await own.expectAccessible()
    await form.getByRole('button', { name: zh('replays.start') }).click()
    await own.page.getByText(zh('replays.status_done')).first().waitFor()
    own.expectNoComplaint()
    await own.page.context().close()
  },
  BUSY_MS,
)

test(
  'given prices that another saved meanwhile, when saved, then it is a conflict and nothing is lost',
  async () => {
    await change('50')
    await gateway.root.setOption('QuotaPerUnit', '400000')
    const before = await revisions()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: t('action.save') }).click()
    await page.getByText(/Prices were changed meanwhile/).waitFor()
    expect((await revisions()).in_force).toBe(before.in_force)
    // The typed values are still there, on the prices as they are now.
    await dialog.getByRole('button', { name: t('action.save') }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect((await revisions()).in_force).toBe(before.in_force + 1)
  },
  BUSY_MS,
)

test(
  'given a price or a time that the server refuses, when saved, then it is said at its field',
  async () => {
    const own = await openBeside(page, gateway, { language: 'en' })
    const dialog = own.page.getByRole('dialog')
    const before = await revisions()
    await type(own.page, '2000000000')
    const table = own.page.getByRole('region', { name: t('pricing.editorTitle') })
    await table
      .getByRole('alert')
      .getByText(/too large/)
      .waitFor()
    await dialog.waitFor({ state: 'hidden' })
    expect(await ratioField(own.page).getAttribute('aria-invalid')).toBe('true')
    await own.expectAccessible()
    await ratioField(own.page).fill('70')
    await table.getByRole('alert').waitFor({ state: 'detached' })

    await own.page.getByRole('button', { name: t('pricing.saveChanges', { n: '1' }) }).click()
    await dialog.getByRole('region', { name: t('pricing.previewTitle') }).waitFor()
    await dialog.getByLabel(t('pricing.when'), { exact: true }).selectOption('later')
    const moment = dialog.getByLabel(t('pricing.effectiveAt'))
    await moment.fill('2099-12-01 00:00:00')
    await dialog.getByRole('button', { name: t('action.save') }).click()
    await dialog.getByText(/within two years/).waitFor()
    expect(await moment.getAttribute('aria-invalid')).toBe('true')
    expect((await revisions()).items).toEqual(before.items)
    own.expectNoComplaint()
    await own.page.context().close()
  },
  BUSY_MS,
)

test(
  'given ratios as JSON, when saved, then the effect was shown and they can be planned, in Chinese',
  async () => {
    const own = await openBeside(page, gateway, { language: 'zh' })
    await own.page.goto('/setting?prices=json')
    const section = own.page.locator('#modelRatios')
    const name = zh('settings.field_CacheRatio')
    await section.getByRole('textbox', { name }).fill(JSON.stringify({ [MODEL]: 0.25 }))
    const title = zh('settings.section_modelRatios')
    await section.getByRole('button', { name: zh('settings.saveOf', { title }) }).click()
    const dialog = own.page.getByRole('dialog')
    await dialog.getByRole('region', { name: zh('pricing.previewTitle') }).waitFor()
    await dialog
      .getByText(
        new RegExp(`${zh('pricing.option_CacheRatio')}：[\\d.]+ → ${zh('pricing.noEntry')}`),
      )
      .waitFor()
    await own.expectAccessible()
    const before = await revisions()
    await dialog.getByLabel(zh('pricing.when'), { exact: true }).selectOption('later')
    await dialog.getByLabel(zh('pricing.effectiveAt')).fill('2027-11-01 00:00:00')
    await dialog.getByRole('button', { name: zh('action.save') }).click()
    await dialog.waitFor({ state: 'hidden' })
    await section.getByText(zh('settings.unsaved')).first().waitFor({ state: 'detached' })
    const after = await revisions()
    expect(after.in_force).toBe(before.in_force)
    expect(after.items.length).toBe(before.items.length + 1)
    own.expectNoComplaint()
    await own.page.context().close()
  },
  BUSY_MS,
)

test(
  'given prices as JSON in conflict with another’s, when saved again, then they are saved',
  async () => {
    const own = await openBeside(page, gateway, { language: 'en' })
    await own.page.goto('/setting?prices=json')
    const section = own.page.locator('#modelRatios')
    const name = t('settings.field_CacheRatio')
    await section.getByRole('textbox', { name }).fill(JSON.stringify({ [MODEL]: 0.125 }))
    await gateway.root.setOption('QuotaPerUnit', '450000')
    const before = await revisions()
    const title = t('settings.section_modelRatios')
    await section.getByRole('button', { name: t('settings.saveOf', { title }) }).click()
    const dialog = own.page.getByRole('dialog')
    const save = dialog.getByRole('button', { name: t('action.save') })
    await save.click()
    await own.page.getByText(/Prices were changed meanwhile/).waitFor()
    expect((await revisions()).in_force).toBe(before.in_force)
    await save.click()
    await dialog.waitFor({ state: 'hidden' })
    expect((await revisions()).in_force).toBe(before.in_force + 1)
    const kept = await section.getByRole('textbox', { name }).inputValue()
    expect(JSON.parse(kept)).toEqual({ [MODEL]: 0.125 })
    await own.page.context().close()
  },
  BUSY_MS,
)

test(
  'given a planned revision, when withdrawn on a phone, then the list says so, in Chinese and the dark',
  async () => {
    await change('60')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(t('pricing.when'), { exact: true }).selectOption('later')
    await dialog.getByLabel(t('pricing.effectiveAt')).fill('2027-12-01 00:00:00')
    await dialog.getByRole('button', { name: t('action.save') }).click()
    await dialog.waitFor({ state: 'hidden' })
    const phone = await openBeside(page, gateway, { language: 'zh', theme: 'dark', width: 390 })
    const [planned] = (await revisions()).items
    await phone.page.goto(`/audit/prices?row=${planned?.revision}`)
    await phone.page.getByRole('button', { name: zh('prices.withdraw') }).click()
    await phone.page
      .getByRole('alertdialog')
      .getByRole('button', { name: zh('prices.withdraw') })
      .click()
    await phone.page.getByText(zh('prices.status_withdrawn')).first().waitFor()
    // A name of its own: two texts of a row do not run into each other.
    await phone.page.locator('li[data-row]').getByText('root', { exact: true }).first().waitFor()
    await phone.expectAccessible()
    phone.expectNoComplaint()
    await phone.page.context().close()
  },
  BUSY_MS,
)

test(
  'given a model, when its prices are looked at, then they are a line of steps and a table',
  async () => {
    await gateway.root.setOption('PriceFactors', JSON.stringify({ [MODEL]: { flex: 0.5 } }))
    const own = await openBeside(page, gateway, { language: 'en' })
    await own.page.goto(`/audit/prices?model=${MODEL}`)
    const title = t('prices.lineTitle', { model: MODEL, group: 'default' })
    await own.page.getByRole('heading', { name: title }).waitFor()
    await own.page.getByRole('button', { name: new RegExp(title) }).click()
    await own.page.getByRole('row', { name: new RegExp(t('prices.defaults')) }).waitFor()
    await own.page.getByRole('cell', { name: t('prices.factor_flex', { factor: '0.5' }) }).waitFor()
    await own.expectAccessible()
    own.expectNoComplaint()
    await own.page.context().close()
  },
  BUSY_MS,
)

const field = (on: Page, words: string): Locator =>
  on.getByLabel(`${MODEL}: ${words}`, { exact: true })

/** Opens the table of prices with those of cached input, and searches for the model. */
async function openCachePrices(on: Page, texts: typeof t): Promise<void> {
  await on.goto('/setting?prices=visual')
  await on.getByRole('searchbox', { name: texts('pricing.search') }).fill(MODEL)
  await on.keyboard.press('Enter')
  await on.getByRole('checkbox', { name: texts('pricing.showCache') }).check()
}

test(
  'given prices of cached input, when typed and saved, then their ratios hold',
  async () => {
    await gateway.root.setOption('ModelRatio', JSON.stringify({ [MODEL]: 1.5 }))
    await gateway.root.setOption('CacheRatio', JSON.stringify({ [MODEL]: 0.1 }))
    await gateway.root.setOption('QuotaPerUnit', '500000')
    const own = await openBeside(page, gateway, { language: 'en' })
    await openCachePrices(own.page, t)
    expect(await field(own.page, t('pricing.cacheRead_ratio')).inputValue()).toBe('0.1')
    const write = field(own.page, t('pricing.cacheWrite_ratio'))
    expect(await write.getAttribute('placeholder')).toBe('1.25')
    await write.fill('x')
    await own.page.getByText(t('pricing.problem_number')).waitFor()
    const modes = own.page.getByRole('group', { name: t('pricing.entryMode') })
    await write.fill('1.5')
    await modes.getByRole('button', { name: t('pricing.asPrices') }).click()
    expect(await field(own.page, t('pricing.cacheWrite_price')).inputValue()).toBe('4.5')
    const long = field(own.page, t('pricing.cacheWrite1h_price'))
    expect(await long.getAttribute('placeholder')).toBe('6')
    await long.fill('9')
    const table = own.page.getByRole('region', { name: t('pricing.editorTitle') })
    expect(await table.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
    await own.expectAccessible()
    await own.page.getByRole('button', { name: t('pricing.saveChanges', { n: '2' }) }).click()
    const dialog = own.page.getByRole('dialog')
    const line = (key: 'CacheWriteRatio' | 'CacheWrite1hRatio', ratio: string): string =>
      t('pricing.changeLine', {
        model: MODEL,
        option: t(`pricing.option_${key}`),
        from: t('pricing.noEntry'),
        to: ratio,
      }).trim()
    await dialog.getByText(line('CacheWriteRatio', '1.5')).waitFor()
    await dialog.getByText(line('CacheWrite1hRatio', '3')).waitFor()
    await dialog.getByRole('button', { name: t('action.save') }).click()
    await dialog.waitFor({ state: 'hidden' })
    await openCachePrices(own.page, t)
    expect(await field(own.page, t('pricing.cacheWrite1h_ratio')).inputValue()).toBe('3')
    own.expectNoComplaint()
    await own.page.context().close()
  },
  BUSY_MS,
)

test(
  'given a phone, when prices of cached input are shown, then each field has its place, in Chinese',
  async () => {
    const phone = await openBeside(page, gateway, { language: 'zh', theme: 'dark', width: 360 })
    await openCachePrices(phone.page, zh)
    const labels = ['cacheRead_ratio', 'cacheWrite_ratio', 'cacheWrite1h_ratio'] as const
    for (const label of labels) {
      const box = await field(phone.page, zh(`pricing.${label}`)).boundingBox()
      expect(box?.width).toBeGreaterThan(60)
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(360)
    }
    const width = await phone.page.locator('html').evaluate((html) => html.scrollWidth)
    expect(width).toBeLessThanOrEqual(360)
    await phone.page.getByRole('checkbox', { name: zh('table.selectRow', { id: MODEL }) }).check()
    await phone.page.getByRole('button', { name: zh('pricing.batch', { n: '1' }) }).click()
    const dialog = phone.page.getByRole('dialog')
    await dialog.getByLabel(zh('pricing.cacheWrite1h_ratio')).fill('2.5')
    await dialog.getByRole('button', { name: zh('pricing.apply') }).click()
    await dialog.waitFor({ state: 'hidden' })
    const long = field(phone.page, zh('pricing.cacheWrite1h_ratio'))
    expect(await long.inputValue()).toBe('2.5')
    // A field that was empty in the dialog keeps its value.
    expect(await field(phone.page, zh('pricing.cacheWrite_ratio')).inputValue()).toBe('1.5')
    await phone.expectAccessible()
    phone.expectNoComplaint()
    await phone.page.context().close()
  },
  BUSY_MS,
)
