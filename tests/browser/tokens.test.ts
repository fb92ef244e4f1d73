import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, ROOT, startGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'
import { textOf } from './sign-in.ts'
import { openBeside, openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** API tokens as their owner makes, finds, uses, limits, switches off and deletes them, in a real browser. */
let gateway: Gateway
let watched: WatchedPage
let page: Page
const t = textsOf('zh')
/** For a busy machine. */
const PATIENT = { timeout: 20_000 }

beforeAll(async () => {
  gateway = await startGateway({ models: ['babbage-002', 'gpt-4o-mini'] })
  watched = await openSignedIn(gateway, { readsClipboard: true })
  page = watched.page
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
})
afterAll(() => stopAll(page, gateway))

test('given the form of a token, when opened, then defaults and mistakes are the seeds’', async () => {
  await page.goto('/token')
  await page.getByText('令牌仅供个人使用，请勿分发给他人。').waitFor()
  await page
    .getByRole('button', { name: t('tokens.create') })
    .first()
    .click()
  await page.waitForURL('**/token?add=true')
  const drawer = page.getByRole('dialog')
  const save = drawer.getByRole('button', { name: t('action.save') })
  const unlimited = drawer.getByRole('switch', { name: t('tokens.unlimitedQuota') })
  expect(await unlimited.isChecked()).toBe(true)
  expect(await drawer.getByLabel(t('tokens.count')).inputValue()).toBe('1')
  await save.click()
  await drawer.getByText('请输入名称').waitFor()
  await drawer.getByText(t('tokens.unlimitedQuota')).click()
  const amount = drawer.getByRole('textbox', { name: t('tokens.amount') })
  expect(await amount.inputValue()).toBe('1')
  await drawer.getByText('500,000').first().waitFor()
  await amount.fill('-1')
  await drawer.getByText(t('tokens.problem_amount')).waitFor()
  await drawer.getByLabel(t('tokens.count')).fill('0')
  await drawer.getByText('数量必须是正整数').waitFor()
  const expiry = drawer.getByLabel(t('tokens.expires')).and(drawer.getByRole('textbox'))
  expect(await expiry.count()).toBe(0)
  await drawer.getByRole('button', { name: t('tokens.chooseTime') }).click()
  await expiry.fill('2026-02-31')
  await drawer.getByText('过期时间格式错误！').waitFor()
  await watched.expectAccessible()
})

test('given a new token, when saved, then its key and runnable code are shown and copied', async () => {
  const drawer = page.getByRole('dialog')
  await drawer.getByLabel(t('tokens.name')).fill('第一个')
  await drawer.getByLabel(t('tokens.count')).fill('1')
  await drawer.getByRole('textbox', { name: t('tokens.amount') }).fill('2.5')
  await drawer.getByRole('button', { name: t('tokens.one_day') }).click()
  await drawer.getByRole('button', { name: t('action.save') }).click()
  await page.waitForURL((url) => url.searchParams.has('row') && !url.searchParams.has('add'))
  const panel = page.getByRole('complementary').filter({ has: page.getByLabel(t('list.details')) })
  const key = (await panel.getByText(/^sk-[0-9a-zA-Z]{48}$/u).textContent()) ?? ''
  expect(key.slice(3)).toBe((await listed())[0]?.key)
  expect((await listed())[0]).toMatchObject({ remain_quota: 1_250_000, unlimited_quota: false })
  // A model that chats, though another comes first in the alphabet.
  expect(await panel.getByLabel(t('tokens.model'), { exact: true }).inputValue()).toBe(
    'gpt-4o-mini',
  )
  const curl = panel
    .getByRole('region', { name: t('tokens.connect') })
    .locator('pre')
    .first()
  expect(await curl.textContent()).toContain('••••')
  expect(await curl.textContent()).not.toContain(key)
  await panel.getByRole('button', { name: t('copy.code', { name: 'curl' }) }).click()
  await expect
    .poll(() => page.evaluate('navigator.clipboard.readText()'), PATIENT)
    .toContain(`Authorization: Bearer ${key}`)
  await watched.expectAccessible()
  watched.expectNoComplaint()
})

test('given a batch, when saved, then all keys can be taken away, and the other names have suffixes', async () => {
  await page.goto('/token?add=true')
  const drawer = page.getByRole('dialog')
  await drawer.getByLabel(t('tokens.name')).fill('batch')
  await drawer.getByRole('button', { name: '10', exact: true }).click()
  await drawer.getByRole('button', { name: t('action.save') }).click()
  const made = page.getByRole('dialog', { name: t('tokens.madeTitle', { count: '10' }) })
  await made.waitFor({ timeout: 60_000 })
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    made.getByRole('button', { name: t('list.saveAsText') }).click(),
  ])
  const lines = (await textOf(file)).trim().split('\n')
  const batch = (await listed()).filter(({ name }) => name.startsWith('batch'))
  expect(lines.toSorted()).toEqual(batch.map(({ key }) => `sk-${key}`).toSorted())
  expect(batch.filter(({ name }) => /^batch-[0-9a-zA-Z]{6}$/u.test(name))).toHaveLength(9)
  await made.getByRole('button', { name: t('action.close') }).click()
  await page.waitForURL('**/token')
})

test('given tokens, when searched by name and key, then they are found; Back and the file agree', async () => {
  const first = (await listed()).find(({ name }) => name === '第一个')
  const rows = page.locator('tbody tr[data-row]')
  await page.goto('/token')
  await expect.poll(() => rows.count(), PATIENT).toBe(10)
  await page.getByRole('searchbox', { name: t('tokens.searchName') }).fill('第一')
  await page.keyboard.press('Enter')
  await expect.poll(() => rows.count(), PATIENT).toBe(1)
  await page.goBack()
  await expect.poll(() => rows.count(), PATIENT).toBe(10)
  await page.getByRole('searchbox', { name: t('tokens.searchKey') }).fill(`sk-${first?.key}`)
  await page.keyboard.press('Enter')
  await expect.poll(() => rows.count(), PATIENT).toBe(1)
  await page.goto('/token?keyword=batch')
  await expect.poll(() => rows.count(), PATIENT).toBe(10)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: t('list.export') }).click(),
  ])
  const [head, ...lines] = (await textOf(file)).trim().split('\r\n')
  expect(head).not.toContain('key')
  expect(lines).toHaveLength(10)
  await page.goto('/token?keyword=gone')
  await page.getByText(t('tokens.noneFound')).waitFor()
})

test('given a key in the list, when shown, then its button to copy stands beside it', async () => {
  await page.goto('/token?size=20')
  const row = page.locator('tbody tr[data-row]').first()
  const cell = row.getByRole('cell').filter({ has: page.getByText(/^sk-/u) })
  const [key, copy] = [cell.getByRole('button').first(), cell.getByRole('button').last()]
  await key.click()
  await expect.poll(() => key.textContent()).toMatch(/^sk-\w{48}$/u)
  const wide = (await key.evaluate((box) => box.scrollWidth - box.clientWidth)) > 0
  const { x = 0, width = 0 } = (await key.boundingBox()) ?? {}
  expect([wide, x + width <= ((await copy.boundingBox())?.x ?? 0)]).toEqual([false, true])
})

test('given a header, when clicked, then the page’s rows are sorted; columns are remembered', async () => {
  await page.goto('/token?size=20')
  const names = page.locator('tbody tr[data-row] td:nth-child(2)')
  await expect.poll(() => names.count(), PATIENT).toBe(11)
  await page.getByRole('button', { name: t('tokens.name'), exact: true }).click()
  await page.waitForURL((url) => url.searchParams.get('sort') === '-name')
  const sorted = await names.allTextContents()
  expect(sorted).toEqual(
    sorted.toSorted((one, other) => other.localeCompare(one, undefined, { numeric: true })),
  )
  const created = page.getByRole('columnheader', { name: t('tokens.created') })
  expect(await created.count()).toBe(0)
  await page.getByRole('button', { name: t('table.columns') }).click()
  await page.getByRole('menuitemcheckbox', { name: t('tokens.created') }).click()
  await created.waitFor()
  expect(await page.evaluate('localStorage.getItem("tokens-table-columns")')).toContain(
    '"created_time":true',
  )
  await page.getByRole('menuitemcheckbox', { name: t('tokens.created') }).click()
  await created.waitFor({ state: 'hidden' })
  await page.keyboard.press('Escape')
})

test('given a token, when edited and switched, then its row follows; spending leads to its charges', async () => {
  const first = (await listed()).find(({ name }) => name === '第一个')
  const answer = await gateway.openai(first?.key ?? '').chat.completions.create({
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: 'hello' }],
  })
  expect(answer.choices).toHaveLength(1)
  await until(
    'the charge is logged',
    async () => (await gateway.root.logs({ type: '2' })).length === 1,
  )
  await page.goto(`/token?size=20&edit=${first?.id}`)
  const drawer = page.getByRole('dialog')
  await drawer.getByLabel(t('tokens.name')).fill('改名')
  await drawer.getByText(t('tokens.limitModels'), { exact: true }).click()
  await drawer.getByRole('combobox', { name: t('tokens.models') }).fill('gpt-4o-mini')
  await page.keyboard.press('Enter')
  await drawer.getByRole('button', { name: t('action.save') }).click()
  const row = page.getByRole('row').filter({ hasText: '改名' })
  await row.getByText('已启用：限制模型').waitFor()

  await choose('改名', t('action.disable'))
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: t('action.disable') })
    .click()
  await row.getByText(t('tokens.state_disabled')).waitFor()
  await choose('改名', t('action.enable'))
  await row.getByText('已启用：限制模型').waitFor()

  await row.getByRole('link', { name: t('tokens.openLog', { name: '改名' }) }).click()
  await page.waitForURL(
    ({ pathname, searchParams }) =>
      pathname === '/log' &&
      searchParams.get('token') === '改名' &&
      searchParams.get('type') === '2' &&
      searchParams.get('username') === ROOT.username,
  )
  await page.goto('/token?edit=999999')
  await page.getByRole('dialog').getByText(t('list.rowGone')).waitFor()
})

test('given configured chats, when one is chosen, then it opens with address and key filled in', async () => {
  const [newest] = await listed()
  await gateway.root.setOption(
    'Chats',
    JSON.stringify([{ 测试聊天: `${gateway.product.url}/about?to={address}&with={key}` }]),
  )
  await page.goto('/token')
  await page
    .getByRole('button', { name: t('tokens.chatWith', { name: newest?.name ?? '' }) })
    .click()
  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('menuitem', { name: '测试聊天' }).click(),
  ])
  const { searchParams } = new URL(opened.url())
  expect(searchParams.get('with')).toBe(`sk-${newest?.key}`)
  expect(searchParams.get('to')).toBe(gateway.product.url)
  await opened.close()
})

test('given ticked tokens, when deleted, then they are gone at once', async () => {
  await page.goto('/token?keyword=batch')
  await page.getByRole('checkbox', { name: t('table.selectAll') }).check()
  const bar = page.getByRole('group', { name: t('table.selected', { n: '10' }) })
  await bar.getByRole('button', { name: t('action.delete') }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText(t('tokens.deleteMany', { n: '10' })).waitFor()
  await dialog.getByRole('button', { name: t('action.delete') }).click()
  await expect.poll(async () => (await listed()).length, PATIENT).toBe(1)
  await page.getByText(t('tokens.noneFound')).waitFor()
  watched.expectNoComplaint()
})

test('given 1366 px, when the list is open, then the table fits its card; a phone has two-line rows', async () => {
  await page.goto('/token')
  const card = page.getByRole('region', { name: t('place.tokens') })
  await card.locator('tbody tr[data-row]').first().waitFor()
  expect(
    await card.evaluate((box) => (box.firstElementChild?.scrollWidth ?? 0) - box.clientWidth),
  ).toBe(0)
  await page.setViewportSize({ width: 390, height: 800 })
  await card.getByRole('list').getByText('改名').waitFor()
  expect(await card.getByRole('row').count()).toBe(0)
  await card.getByRole('button', { name: '改名' }).first().click()
  await page.getByRole('dialog', { name: '改名' }).waitFor()
  await watched.expectAccessible()
  await page.setViewportSize({ width: 1366, height: 900 })
})

test('given an account without balance, when a token is wanted, then a dialog says so and whom to ask', async () => {
  await gateway.root.addUser('poor', 'long-enough-2', 0)
  const other = await openBeside(page, gateway, {
    theme: 'dark',
    width: 1280,
    who: { username: 'poor', password: 'long-enough-2' },
  })
  await other.page.goto('/token?add=true')
  const drawer = other.page.getByRole('dialog')
  await drawer.getByLabel(t('tokens.name')).fill('none')
  await drawer.getByRole('button', { name: t('action.save') }).click()
  await other.page
    .getByRole('alertdialog', { name: t('tokens.noBalanceTitle') })
    .getByText(t('tokens.noBalanceDetail'))
    .waitFor()
  await other.page.context().close()
})

async function choose(name: string, action: string): Promise<void> {
  const label = t('tokens.actionsOf', { name })
  await page.getByRole('button', { name: label }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

const token = z.object({
  id: z.number(),
  name: z.string(),
  key: z.string(),
  remain_quota: z.number(),
  unlimited_quota: z.boolean(),
})

const listed = (): Promise<z.output<typeof token>[]> =>
  gateway.root.ask('GET', '/api/token/?p=0&size=100', z.array(token))
