import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { changeAnswers, type WatchedPage } from '../support/browser/browser.ts'
import { ConsoleClient } from '../support/console-client.ts'
import { type Gateway, ROOT, startGateway } from '../support/gateway.ts'
import { openBeside, openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Users as administrators add, find, change, promote, ban and delete them, in a real browser. */
let gateway: Gateway
let watched: WatchedPage
let page: Page
let ann: ConsoleClient
const t = textsOf('zh')
const PASSWORD = 'long-enough-2'

beforeAll(async () => {
  gateway = await startGateway({ models: ['gpt-4o-mini'] })
  ann = await gateway.root.addUser('ann', PASSWORD, 1_000_000)
  watched = await openSignedIn(gateway)
  page = watched.page
})
afterAll(() => stopAll(page, gateway))

test('given a new user’s form, when sent empty, then the seeds’ words; filled in, the user is listed', async () => {
  await page.goto('/user')
  await page
    .getByRole('button', { name: t('users.add') })
    .first()
    .click()
  await page.waitForURL('**/user?add=true')
  const drawer = page.getByRole('dialog')
  const send = drawer.getByRole('button', { name: t('users.addSubmit') })
  await send.click()
  await drawer.getByText('用户名和密码不能为空！').first().waitFor()
  await drawer.getByLabel(t('user.username')).fill('bob')
  await drawer.getByLabel(t('users.password')).fill('short')
  await drawer.getByText('密码长度不得小于 8 位！').waitFor()
  await watched.expectAccessible()
  await drawer.getByLabel(t('users.password')).fill(PASSWORD)
  await send.click()
  await drawer.waitFor({ state: 'hidden' })
  await rowOf('bob').getByText(t('user.standing_active')).waitFor()
  watched.expectNoComplaint()
})

test('given a balance of 2 dollars, when set to 3 with a reason, then it is shown before and booked', async () => {
  await page.goto(`/user/edit/${ann.userId}`)
  await page.waitForURL(`**/user?edit=${ann.userId}`)
  const drawer = page.getByRole('dialog')
  const balance = drawer.getByLabel(t('user.balance'))
  expect(await balance.inputValue()).toBe('2')
  await balance.fill('3')
  const shown = drawer.getByRole('status')
  await shown.getByText('+$1.00').waitFor()
  await shown.getByText('$3.00').waitFor()
  const save = drawer.getByRole('button', { name: t('action.save') })
  await save.click()
  await drawer.getByText(t('users.problem_reason')).waitFor()
  expect((await ann.self()).quota).toBe(1_000_000)
  await drawer.getByLabel(t('users.reason')).fill('补偿')
  await watched.expectAccessible()
  await save.click()
  await drawer.waitFor({ state: 'hidden' })
  await rowOf('ann').getByText('3.000000').waitFor()
  expect((await ann.self()).quota).toBe(1_500_000)
  await expect
    .poll(async () => (await ann.logs({ type: '3' }))[0]?.content, { timeout: 20_000 })
    .toMatch(/修改为 ＄3\.000000 额度，原因：补偿$/u)
})

test('given a user, when promoted, demoted, switched and deleted, then the table shows each', async () => {
  await page.goto('/user')
  const row = rowOf('bob')
  await choose('bob', t('users.do_promote'), true)
  await row.getByText(t('user.role_admin'), { exact: true }).waitFor()
  await choose('bob', t('users.do_demote'), true)
  await row.getByText(t('user.role_user'), { exact: true }).waitFor()
  await choose('bob', t('users.do_disable'), true)
  await row.getByText(t('user.standing_banned')).waitFor()
  await choose('bob', t('users.do_enable'), false)
  await row.getByText(t('user.standing_active')).waitFor()
  await choose('bob', t('users.do_delete'), true)
  const tag = row.getByText(t('user.standing_deleted'))
  await tag.waitFor()
  await row.getByRole('button').waitFor({ state: 'hidden' })
  // The words of a tag that says something bad are red.
  const [red = 0, green = 255] = await tag.evaluate((badge) =>
    (badge.ownerDocument.defaultView?.getComputedStyle(badge).color.match(/\d+/gu) ?? []).map(
      Number,
    ),
  )
  expect(red).toBeGreaterThan(green)
  expect(await row.getByRole('button').count()).toBe(0)
  const own = page.getByRole('button', { name: t('users.actionsOf', { name: ROOT.username }) })
  await own.click()
  await page.getByRole('menuitem').first().waitFor()
  expect(await page.getByRole('menuitem').allTextContents()).toEqual([
    t('users.do_edit'),
    t('users.do_log'),
  ])
  await page.keyboard.press('Escape')
})

test('given three users, when filtered each way, then the chips and the address say it', async () => {
  await page.goto('/user')
  const rows = page.locator('tbody tr[data-row]')
  await expect.poll(() => rows.count()).toBe(3)
  await page.getByRole('searchbox', { name: t('users.keyword') }).fill('ann')
  await page.keyboard.press('Enter')
  await expect.poll(() => rows.count()).toBe(1)
  await page.goto('/user')
  await setChip(t('users.balanceAtLeast'), '2.5')
  await page.waitForURL('**/user?quota=1250000')
  await page
    .getByRole('button', {
      name: t('list.chip', { label: t('users.balanceAtLeast'), value: '$2.50' }),
    })
    .waitFor()
  await expect.poll(() => rows.count()).toBeLessThan(3)
  await rowOf('ann').waitFor()
  await setChip(t('users.requestsAtLeast'), '1')
  await page.getByText(t('users.noneFound')).waitFor()
  await page
    .getByRole('button', { name: t('list.clearFilter', { label: t('users.requestsAtLeast') }) })
    .click()
  await rowOf('ann').waitFor()
  await page
    .getByRole('button', { name: t('user.group'), exact: true })
    .first()
    .click()
  await page.getByRole('option', { name: 'vip', exact: true }).click()
  await page.waitForURL('**/user?*group=vip*')
  await page.getByText(t('users.noneFound')).waitFor()
})

test('given a user, when the row is opened, then the panel has the account and leads to the usage log', async () => {
  await page.goto('/user')
  await rowOf('ann').getByText('ann', { exact: true }).click()
  const panel = page.getByRole('complementary').filter({ has: page.getByLabel(t('list.details')) })
  await panel.getByText('$3.00').waitFor()
  await watched.expectAccessible()
  await panel.getByRole('link', { name: t('users.do_log') }).click()
  await page.waitForURL('**/log?username=ann')
  watched.expectNoComplaint()
})

test('given a signed-in user, when the row opens, then an administrator sees and ends sessions', async () => {
  const [second, third] = [
    new ConsoleClient(gateway.product.url),
    new ConsoleClient(gateway.product.url),
  ]
  for (const other of [second, third]) await other.logIn('ann', PASSWORD)
  await page.goto(`/user?row=${ann.userId}`)
  const panel = page.getByRole('complementary').filter({ has: page.getByLabel(t('list.details')) })
  const sessions = panel.getByRole('region', { name: t('session.title'), exact: true })
  await expect.poll(() => sessions.getByRole('listitem').count()).toBe(3)
  await sessions.getByText(t('users.lastSeen')).waitFor()
  expect(await sessions.getByRole('time').count()).toBeGreaterThanOrEqual(4)
  await watched.expectAccessible()
  await sessions.getByRole('listitem').first().getByRole('button').click()
  await expect.poll(() => sessions.getByRole('listitem').count()).toBe(2)
  await sessions.getByRole('button', { name: t('users.endAll') }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText(t('users.consequence_endAll')).waitFor()
  await dialog.getByRole('button', { name: t('users.endAll') }).click()
  await sessions.getByText(t('users.noSessions')).waitFor()
  for (const session of [ann, second, third])
    expect((await session.send('GET', '/api/user/self')).status).toBe(401)
  watched.expectNoComplaint()
})

test('given odd status, group and an administrator, when listed, then others’ rights are out of reach', async () => {
  await gateway.root.addUser('boss', PASSWORD, 0)
  const boss = await idOf('boss')
  await gateway.root.ask('POST', '/api/user/manage', z.unknown(), { id: boss, action: 'promote' })
  const admin = await openBeside(page, gateway, {
    theme: 'dark',
    who: { username: 'boss', password: PASSWORD },
  })
  const stopChanging = await changeAnswers(admin.page, '**/api/user/?*', (text) => {
    const body = JSON.parse(text) as { data: { items: Record<string, unknown>[] } }
    for (const user of body.data.items)
      if (user['username'] === 'ann') Object.assign(user, { status: 3, group: 'vip' })
    return JSON.stringify(body)
  })
  await admin.page.goto('/user')
  const row = admin.page.getByRole('row').filter({ hasText: 'ann' })
  await row.getByText(t('user.standing_off')).waitFor()
  await row.getByRole('button', { name: t('users.actionsOf', { name: 'ann' }) }).click()
  await admin.page.getByRole('menuitem').first().waitFor()
  expect(await admin.page.getByRole('menuitem').allTextContents()).toEqual([
    t('users.do_edit'),
    t('users.do_log'),
    t('users.do_delete'),
  ])
  await admin.page.keyboard.press('Escape')
  await admin.page.goto('/user?edit=1')
  await admin.page.getByText('无权获取同级或更高等级用户的信息').waitFor()
  await stopChanging()
  await admin.page.context().close()
})

test('given one’s own form in the seeds’ address, when opened, then one’s settings', async () => {
  await page.goto('/user/edit')
  await page.waitForURL('**/personal')
})

const rowOf = (name: string) =>
  page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) })

async function choose(name: string, action: string, isAsked: boolean): Promise<void> {
  await page.getByRole('button', { name: t('users.actionsOf', { name }) }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
  if (!isAsked) return
  const dialog = page.getByRole('alertdialog')
  await dialog.getByRole('button', { name: action, exact: true }).click()
  await dialog.waitFor({ state: 'hidden' })
}

async function setChip(label: string, value: string): Promise<void> {
  await page.getByRole('button', { name: label, exact: true }).first().click()
  const field = page.getByRole('textbox', { name: new RegExp(`^${label}`, 'u') })
  await field.fill(value)
  await field.press('Enter')
}

async function idOf(username: string): Promise<number> {
  const found = z.object({ items: z.array(z.object({ id: z.number() })) })
  const page = await gateway.root.ask('GET', `/api/user/search?keyword=${username}&p=1`, found)
  return page.items[0]?.id ?? 0
}
