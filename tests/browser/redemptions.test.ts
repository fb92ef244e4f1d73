import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, ROOT, startGateway } from '../support/gateway.ts'
import { textOf } from './sign-in.ts'
import { openBeside, openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Redemption codes as an administrator makes, finds, changes and deletes them, in a real browser. */
let gateway: Gateway
let watched: WatchedPage
let page: Page
const t = textsOf('zh')

beforeAll(async () => {
  gateway = await startGateway({ models: ['gpt-4o-mini'] })
  watched = await openSignedIn(gateway)
  page = watched.page
})
afterAll(() => stopAll(page, gateway))

test('given the form of new codes, when opened, then defaults and mistakes are the seeds’', async () => {
  await page.goto('/redemption')
  await page
    .getByRole('button', { name: t('redemptions.create') })
    .first()
    .click()
  await page.waitForURL('**/redemption?add=true')
  const drawer = page.getByRole('dialog')
  const amount = drawer.getByLabel(t('redemptions.quota'))
  const count = drawer.getByLabel(t('redemptions.count'))
  expect(await amount.inputValue()).toBe('0.2')
  expect(await count.inputValue()).toBe('1')
  await drawer.getByText('100,000').first().waitFor()

  const make = drawer.getByRole('button', { name: t('redemptions.make') })
  await make.click()
  await drawer.getByText('兑换码名称长度必须在1-20之间').waitFor()
  await drawer.getByLabel(t('redemptions.name')).fill('春'.repeat(21))
  await drawer.getByText('兑换码名称长度必须在1-20之间').waitFor()
  await count.fill('0')
  await drawer.getByText('兑换码个数必须大于0').waitFor()
  await count.fill('101')
  await drawer.getByText('一次兑换码批量生成的个数不能大于 100').waitFor()
  await watched.expectAccessible()
  expect((await listed()).total).toBe(0)
})

test('given a batch of 100, when made, then all are copied and saved as a file of one code a line', async () => {
  const drawer = page.getByRole('dialog')
  await drawer.getByLabel(t('redemptions.name')).fill('春节')
  await drawer.getByRole('button', { name: '100', exact: true }).click()
  await drawer.getByRole('button', { name: t('redemptions.make') }).click()
  const codes = page.getByRole('dialog', { name: t('redemptions.madeTitle', { count: '100' }) })
  await codes.waitFor()
  await watched.expectAccessible()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    codes.getByRole('button', { name: t('list.saveAsText') }).click(),
  ])
  expect(file.suggestedFilename()).toBe('春节.txt')
  const lines = (await textOf(file)).trim().split('\n')
  expect(lines).toHaveLength(100)
  expect(new Set(lines).size).toBe(100)
  expect(lines.every((line) => /^[0-9a-f]{32}$/u.test(line))).toBe(true)
  await codes.getByRole('button', { name: t('list.copyAll') }).click()
  await codes.getByText(t('copy.done')).waitFor()
  await codes.getByRole('button', { name: t('action.close') }).click()
  await page.getByRole('row').filter({ hasText: '春节' }).first().waitFor()
  expect((await listed()).total).toBe(100)
  expect((await listed()).items[0]).toMatchObject({ quota: 100_000, status: 1 })
})

test('given the second page, when its button leads to the first, then that is locked and keeps the focus', async () => {
  const previous = page.getByRole('button', { name: t('table.previous') })
  await page.getByRole('button', { name: t('table.next') }).click()
  await expect.poll(() => previous.isEnabled()).toBe(true)
  await previous.press('Enter')
  await expect.poll(() => previous.isDisabled()).toBe(true)
  const hasFocus = previous.evaluate((button) => button.ownerDocument.activeElement === button)
  expect(await hasFocus).toBe(true)
})

test('given an unused code, when edited and switched, then its row follows; a used one only goes', async () => {
  const [newest] = (await listed()).items
  if (!newest) throw new Error('no code was made')
  await page.goto(`/redemption?edit=${newest.id}`)
  const drawer = page.getByRole('dialog')
  await drawer.getByLabel(t('redemptions.name')).fill('改名')
  await drawer.getByLabel(t('redemptions.quota')).fill('1.5')
  await drawer.getByRole('button', { name: t('action.save') }).click()
  const row = page.getByRole('row').filter({ hasText: '改名' })
  await row.filter({ hasText: '1.500000' }).waitFor()

  await choose('改名', t('action.disable'))
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: t('action.disable') })
    .click()
  await row.getByText(t('redemptions.state_disabled')).waitFor()
  await page.goto(`/redemption?edit=${newest.id}`)
  await page.getByRole('dialog').getByText(t('redemptions.notEditable')).waitFor()
  await page.goto('/redemption')
  await choose('改名', t('action.enable'))
  await row.getByText(t('redemptions.state_unused')).waitFor()

  await gateway.root.ask('POST', '/api/user/topup', anything, { key: newest.key })
  await page.reload()
  await row.getByText(t('redemptions.state_used')).waitFor()
  await row.getByRole('button', { name: t('redemptions.actionsOf', { name: '改名' }) }).click()
  await page.getByRole('menuitem').first().waitFor()
  expect(await page.getByRole('menuitem').allTextContents()).toEqual([t('action.delete')])
  await page.keyboard.press('Escape')
})

test('given codes, when searched by name, code and redeemer, then they are found; Back returns', async () => {
  const used = (await listed()).items.find(({ status }) => status === 3)
  await page.goto('/redemption')
  const rows = page.locator('tbody tr[data-row]')
  await page.getByRole('searchbox', { name: t('redemptions.keyword') }).fill('改')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/redemption?keyword=*')
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByRole('button', { name: t('action.reset') }).click()
  await expect.poll(() => rows.count()).toBe(10)
  await page.getByRole('searchbox', { name: t('redemptions.code') }).fill(String(used?.key))
  await page.keyboard.press('Enter')
  await expect.poll(() => rows.count()).toBe(1)
  await page.goBack()
  await expect.poll(() => rows.count()).toBe(10)

  await page
    .getByRole('button', { name: t('redemptions.usedBy') })
    .first()
    .click()
  const field = page.getByRole('combobox', { name: t('redemptions.usedBy') })
  await field.fill('roo')
  await page.getByRole('option', { name: `1 ${ROOT.username}` }).click()
  await page.waitForURL('**/redemption?user=1')
  await expect.poll(() => rows.count()).toBe(1)
  const by = rows.getByRole('link', { name: `1 ${ROOT.username}`, exact: true })
  expect(await by.getAttribute('href')).toMatch(/^\/user\?row=/u)
  await page.goto('/redemption?keyword=gone')
  await page.getByText(t('redemptions.noneFound')).waitFor()
})

test('given the list, when j, Enter and j are pressed, then rows are focused and opened over pages', async () => {
  await page.goto('/redemption')
  const rows = page.locator('tbody tr[data-row]')
  await expect.poll(() => rows.count()).toBe(10)
  const ids = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-row')))
  const focused = () =>
    page.evaluate('document.activeElement?.getAttribute("data-row")') as Promise<string | null>
  await page.keyboard.press('j')
  await expect.poll(focused).toBe(ids[0])
  await page.keyboard.press('End')
  await expect.poll(focused).toBe(ids[9])
  const ring = await rows.last().evaluate((row) => {
    const cell = row.querySelector('td')
    return cell && row.ownerDocument.defaultView?.getComputedStyle(cell).boxShadow
  })
  expect(ring).toContain('inset')
  await page.keyboard.press('Enter')
  const panel = page.getByRole('complementary').filter({ has: page.getByLabel(t('list.details')) })
  await panel.waitFor()
  await page.waitForURL((url) => rowIn(url) === ids[9])
  await watched.expectAccessible()
  await page.keyboard.press('j')
  await page.waitForURL((url) => /p=2/u.test(url.search) && /^\d+$/u.test(rowIn(url)))
  await page.keyboard.press('k')
  await page.waitForURL((url) => rowIn(url) === ids[9])
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'hidden' })
  await page.goto(`/redemption?p=3&row=${ids[0]}`)
  await panel
    .getByText(t('redemptions.user', { id: '1', name: 'root' }))
    .first()
    .waitFor()
  await page.goto('/redemption?row=999999')
  await panel.getByText(t('list.rowGone')).waitFor()
  await panel.getByRole('link', { name: t('ledger.events') }).click()
  await page.waitForURL('**/audit/events?stream=redemption-999999')
})

test('given used and disabled codes, when the invalid ones are deleted, then the unused ones stay', async () => {
  const unused = (await listed()).items.filter(({ status }) => status === 1)
  await gateway.root.ask('PUT', '/api/redemption/?status_only=true', anything, {
    id: unused[0]?.id,
    status: 2,
  })
  await page.goto('/redemption')
  await page.getByRole('button', { name: t('redemptions.deleteInvalid') }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog
    .getByText(t('redemptions.invalidConsequence', { used: '1', disabled: '1' }))
    .waitFor()
  await dialog.getByRole('button', { name: t('action.delete') }).click()
  await expect.poll(async () => (await listed()).total, { timeout: 20_000 }).toBe(98)

  await page.reload()
  await page.getByRole('checkbox', { name: t('table.selectAll') }).check()
  const bar = page.getByRole('group', { name: t('table.selected', { n: '10' }) })
  await bar.getByRole('button', { name: t('action.delete') }).click()
  await dialog.getByRole('button', { name: t('action.delete') }).click()
  await expect.poll(async () => (await listed()).total, { timeout: 20_000 }).toBe(88)
  await bar.waitFor({ state: 'hidden' })
})

test('given a filter and an order, when saved as a view, then the view brings both back', async () => {
  await page.goto('/redemption?keyword=%E6%98%A5&sort=-quota')
  await page.getByRole('button', { name: t('list.views') }).click()
  await page.getByRole('textbox', { name: t('list.viewName') }).fill('春天')
  await page.getByRole('button', { name: t('action.save'), exact: true }).click()
  await page.getByRole('button', { name: '春天', exact: true }).waitFor()
  await page.goto('/redemption')
  await page.getByRole('button', { name: t('list.views') }).click()
  await page.getByRole('button', { name: '春天', exact: true }).click()
  await page.waitForURL((url) => url.searchParams.get('sort') === '-quota')
  expect(new URL(page.url()).searchParams.get('keyword')).toBe('春')
})

test('given 1366 px, when the list is open, then the table fits its card; a phone has two-line rows', async () => {
  await page.goto('/redemption')
  const card = page.getByRole('region', { name: t('place.redemptions') })
  await card.locator('tbody tr[data-row]').first().waitFor()
  expect(
    await card.evaluate((box) => (box.firstElementChild?.scrollWidth ?? 0) - box.clientWidth),
  ).toBe(0)
  await page.setViewportSize({ width: 390, height: 800 })
  await card.getByRole('list').getByText('春节').first().waitFor()
  expect(await card.getByRole('row').count()).toBe(0)
  await page.getByRole('button', { name: t('list.filters'), exact: true }).click()
  await page.getByRole('searchbox', { name: t('redemptions.keyword') }).waitFor()
  await watched.expectAccessible()
  await page.setViewportSize({ width: 1366, height: 900 })
  watched.expectNoComplaint()
})

test('given a user without rights, when the screen is opened, then it says whom to ask', async () => {
  await gateway.root.addUser('plain', 'long-enough-2', 0)
  const other = await openBeside(page, gateway, {
    theme: 'dark',
    width: 1280,
    who: { username: 'plain', password: 'long-enough-2' },
  })
  await other.page.goto('/redemption')
  await other.page.getByText(t('place.forbidden')).waitFor()
  expect(await other.page.getByRole('link', { name: t('place.redemptions') }).count()).toBe(0)
  await other.page.context().close()
})

/** The address writes a text that looks like a number in quotes. */
const rowIn = (url: URL): string => (url.searchParams.get('row') ?? '').replaceAll('"', '')

async function choose(name: string, action: string): Promise<void> {
  const label = t('redemptions.actionsOf', { name })
  await page.getByRole('button', { name: label }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

const code = z.object({ id: z.number(), key: z.string(), quota: z.number(), status: z.number() })
const codes = z.object({ items: z.array(code), total: z.number() })
const anything = z.unknown()

const listed = (): Promise<z.output<typeof codes>> =>
  gateway.root.ask('GET', '/api/redemption/?p=1&page_size=100', codes)
