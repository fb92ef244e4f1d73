import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { logCaughtUp } from '../support/books.ts'
import type { WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'
import { openBeside, openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** The usage log’s kinds of rows, its figures, its range of time, its columns and its pages. */
let gateway: Gateway
let watched: WatchedPage
let page: Page
const t = textsOf('zh')
const MODEL = 'gpt-4o-mini'
/** For a busy machine. */
const PATIENT = { timeout: 60_000 }
const CALLS = 12
const DAY_S = 86_400

beforeAll(async () => {
  gateway = await startGateway({ models: [MODEL] })
  const { root } = gateway
  await root.setOption('QuotaForNewUser', '5000')
  const ann = await root.addUser('ann', 'long-enough-2', 1_500_000)
  const codes = await root.ask('POST', '/api/redemption/', z.array(z.string()), {
    name: '春节',
    quota: 7000,
    count: 1,
  })
  await ann.ask('POST', '/api/user/topup', z.number(), { key: codes[0] })
  const { key } = await root.createToken({ name: 'spender' })
  const call = (model: string): Promise<unknown> =>
    gateway
      .openai(key)
      .chat.completions.create({ model, messages: [{ role: 'user', content: '你好' }] })
  for (let n = 0; n < CALLS; n += 1) await call(MODEL)
  await call('no-such-model').catch(() => null)
  await logCaughtUp(gateway.product, root)
  const isFailureLogged = async () => (await root.logs({ type: '5' })).length === 1
  await until('the failure is logged', isFailureLogged, PATIENT.timeout)
  watched = await openSignedIn(gateway, { width: 1440 })
  page = watched.page
})
afterAll(() => stopAll(page, gateway))

const rows = () => page.locator('tbody tr[data-row]')
/** The rows of everybody. */
const allRows = async () =>
  (
    await gateway.root.ask(
      'GET',
      '/api/log/?page_size=100',
      z.object({ items: z.array(z.object({ type: z.number() })) }),
    )
  ).items
const apiOf = (of: Page) => of.waitForRequest((request) => request.url().includes('/api/log/?'))

test.each([
  [1, 'topUp'],
  [2, 'consumption'],
  [3, 'management'],
  [4, 'system'],
  [5, 'error'],
] as const)(
  'given rows of type %i, when filtered by it, then just they are there, under its word',
  async (type, name) => {
    const some = (await allRows()).filter((log) => log.type === type)
    expect(some.length).toBeGreaterThan(0)
    await page.goto(`/log?type=${type}&size=50`)
    await expect.poll(() => rows().count(), PATIENT).toBe(some.length)
    await rows()
      .first()
      .getByText(t(`log.type_${name}`), { exact: true })
      .first()
      .waitFor()
  },
)

test('given calls of the last minute, when the log is open, then it sums up cost, requests and tokens', async () => {
  const stat = await gateway.root.ask(
    'GET',
    '/api/log/stat',
    z.object({ quota: z.number(), rpm: z.number(), tpm: z.number() }),
  )
  expect(stat.quota).toBeGreaterThan(0)
  await page.goto('/log')
  const figure = (label: string) =>
    page.getByText(label, { exact: true }).locator('xpath=following-sibling::dd')
  const consumed = async () =>
    Number((await figure(t('log.consumed')).innerText()).replace(/[$,\s]/gu, '')) * 500_000
  await expect.poll(consumed, PATIENT).toBeCloseTo(stat.quota, 0)
  for (const label of ['log.rpm', 'log.tpm'] as const)
    expect(await figure(t(label)).innerText()).toMatch(/^[\d,]+$/u)
})

test('given the log of one type, when it has no charges, then what charges cost is not beside it', async () => {
  await page.goto('/log?type=5')
  const figure = (label: string) =>
    page.getByText(label, { exact: true }).locator('xpath=following-sibling::dd')
  await expect.poll(() => figure(t('log.failed')).innerText(), PATIENT).toMatch(/^[1-9]/u)
  for (const label of ['log.consumed', 'log.rpm', 'log.tpm'] as const)
    expect(await figure(t(label)).innerText()).toBe('–')
})

test('given two moments, when chosen, then the log has that span; a reversed one is not asked for', async () => {
  await page.goto('/log')
  await rows().first().waitFor()
  await page.getByRole('button', { name: new RegExp(`^${t('range.label')}`, 'u') }).click()
  const choices = page.getByRole('dialog', { name: t('range.label') })
  await choices.getByLabel(t('range.start')).fill('2026-01-02')
  await choices.getByLabel(t('range.end')).focus()
  await page.waitForURL(/start=\d+/u)
  await choices.getByLabel(t('range.end')).fill('2026-01-01 00:00')
  await page.keyboard.press('Enter')
  await choices.getByText('结束时间早于开始时间').waitFor()
  expect(new URL(page.url()).searchParams.has('end')).toBe(false)
  await watched.expectAccessible()
  const asked = apiOf(page)
  await choices.getByLabel(t('range.end')).fill('2026-01-03 00:00:00')
  await page.keyboard.press('Enter')
  const query = new URL((await asked).url()).searchParams
  const [start, end] = [query.get('start_timestamp'), query.get('end_timestamp')].map(Number)
  expect((end ?? 0) - (start ?? 0)).toBe(DAY_S)
  await page.getByText(t('log.noneFound')).waitFor()
})

test('given a text that is no moment, when entered, then the field says how to write one', async () => {
  await page.goto('/log')
  await page.getByRole('button', { name: new RegExp(`^${t('range.label')}`, 'u') }).click()
  const choices = page.getByRole('dialog', { name: t('range.label') })
  await choices.getByLabel(t('range.start')).fill('yesterday')
  await page.keyboard.press('Enter')
  await choices.getByText(t('range.noMoment')).waitFor()
  expect(new URL(page.url()).searchParams.has('start')).toBe(false)
})

test('given a phone, when the range is opened, then it has two pickers of a moment', async () => {
  const { page: phone } = await openBeside(page, gateway, { width: 390 })
  await phone.goto('/log')
  await phone.getByRole('button', { name: t('list.filters') }).click()
  await phone.getByRole('button', { name: new RegExp(`^${t('range.label')}`, 'u') }).click()
  const pickers = phone.locator('input[type=datetime-local]')
  await expect.poll(() => pickers.count(), PATIENT).toBe(2)
  const asked = apiOf(phone)
  await pickers.first().fill('2026-01-02T00:00:00')
  expect(new URL((await asked).url()).searchParams.get('start_timestamp')).toMatch(/^\d{10}$/u)
  await phone.context().close()
})

test('given a phone, when a charge is listed, then its row tells tokens and durations', async () => {
  const { page: phone } = await openBeside(page, gateway, { width: 390 })
  await phone.goto('/log?type=2')
  const row = phone.locator('li[data-row]').first()
  await row.getByText(/^输入 [1-9][\d,]*，输出 [1-9][\d,]*$/u).waitFor()
  await row
    .getByText(/^[\d.]+ (ms|秒)$/u)
    .first()
    .waitFor()
  await phone.context().close()
})

test('given a phone, when a failed request is listed, then its row says that it is an error', async () => {
  const { page: phone } = await openBeside(page, gateway, { width: 390 })
  await phone.goto('/log?type=5')
  const failed = phone.locator('li[data-row]').first()
  await failed.getByText(t('log.type_error'), { exact: true }).waitFor()
  // Nothing was charged: what stands there is no cost.
  const cost = t('log.cost', { unit: '' })
    .replace(/[（(].*/u, '')
    .trim()
  expect(await failed.getByText(cost, { exact: true }).count()).toBe(0)
  await phone.goto('/log?type=2')
  await phone.locator('li[data-row]').first().getByText(cost, { exact: true }).waitFor()
  await phone.context().close()
})

test('given the columns, when one is left out, then the rows follow, and that is remembered', async () => {
  await page.goto('/log')
  await rows().first().waitFor()
  const heads = () => page.getByRole('columnheader').allInnerTexts()
  expect(await heads()).toContain(t('log.model'))
  await page.getByRole('button', { name: t('table.columns') }).click()
  await page.getByRole('menuitemcheckbox', { name: t('log.model'), exact: true }).click()
  await page.keyboard.press('Escape')
  await expect.poll(heads, PATIENT).not.toContain(t('log.model'))
  const stored = await page.evaluate('localStorage.getItem("logs-table-columns")')
  expect(JSON.parse(String(stored))).toMatchObject({ model: false })
  await page.reload()
  await rows().first().waitFor()
  expect(await heads()).not.toContain(t('log.model'))
  await page.evaluate('localStorage.removeItem("logs-table-columns")')
})

test('given more rows than a page, when its size is chosen, then four sizes are offered and kept', async () => {
  const total = (await allRows()).length
  await page.goto('/log')
  await page.getByText(`第 1 - 10 条，共 ${total} 条`, { exact: true }).waitFor()
  const size = page.getByLabel(t('table.pageSize'))
  const options = await size.locator('option').evaluateAll((all) => all.map((one) => one.value))
  expect(options).toEqual(['10', '20', '50', '100'])
  await page.getByRole('button', { name: t('table.next') }).click()
  await page.getByText(`第 11 - ${total} 条，共 ${total} 条`, { exact: true }).waitFor()
  await size.selectOption('50')
  await page.getByText(`第 1 - ${total} 条，共 ${total} 条`, { exact: true }).waitFor()
  expect(await rows().count()).toBe(total)
  watched.expectNoComplaint()
})
