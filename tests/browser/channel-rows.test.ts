import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Tests of the facts in a row of the channel list, its columns, and the forms of a channel and of a tag. */
let gateway: Gateway
let watched: WatchedPage
let page: Page
const t = textsOf('zh')
/** For a busy machine. */
const PATIENT = { timeout: 20_000 }
/** 1 January 2026, 00:00:00 UTC, in milliseconds. */
const NEW_YEAR = 1_767_225_600_000
const idOf = new Map<string, number>()
const NAMES = ['甲', '乙', '丙', '丁', '戊'] as const

beforeAll(async () => {
  gateway = await startGateway({ models: ['gpt-4o-mini'] })
  for (const name of NAMES) {
    const id = await gateway.root.addChannel({
      name,
      key: `sk-${name.codePointAt(0)}`,
      base_url: gateway.upstream.url,
      models: 'gpt-4o-mini',
      tag: name === '戊' ? '' : 'prod',
    })
    idOf.set(name, id)
  }
  watched = await openSignedIn(gateway, { width: 1440 })
  page = watched.page
})
afterAll(() => stopAll(page, gateway))

const rowOf = (name: string): Locator =>
  page.locator('tbody tr[data-row]').filter({ has: page.getByText(name, { exact: true }) })
const colourOf = (tag: Locator): Promise<string | undefined> =>
  tag.evaluate((badge) => badge.ownerDocument.defaultView?.getComputedStyle(badge).backgroundColor)
const stored = (key: string) => page.evaluate(`localStorage.getItem(${JSON.stringify(key)})`)

test.each([
  ['甲', 0, '未测试', 'rgb(229, 226, 221)'],
  ['乙', 1000, '1.00', 'rgb(220, 252, 231)'],
  ['丙', 3000, '3.00', 'rgb(236, 252, 203)'],
  ['丁', 5000, '5.00', 'rgb(254, 249, 195)'],
  ['戊', 5001, '5.00', 'rgb(254, 226, 226)'],
])(
  'given channel %s whose last test took %i ms, when listed, then its time has the colour of the seeds',
  async (name, milliseconds, text, colour) => {
    await project(name, {
      test_at: milliseconds === 0 ? null : NEW_YEAR,
      test_ms: milliseconds === 0 ? null : milliseconds,
    })
    await page.goto('/channel')
    const tag = rowOf(name).locator('span').filter({ hasText: text }).last()
    await tag.waitFor()
    expect(await colourOf(tag)).toBe(colour)
  },
)

test('given channels on, off and switched off by Tollgate, when listed, then each says so', async () => {
  await project('乙', { status: "'disabled'" })
  await project('丙', {
    status: "'auto-disabled'",
    reason: "'invalid_api_key'",
    status_at: NEW_YEAR,
  })
  await page.goto('/channel')
  await rowOf('甲').getByText('已启用', { exact: true }).waitFor()
  await rowOf('乙').getByText('已禁用', { exact: true }).waitFor()
  const auto = rowOf('丙').getByText('自动禁用', { exact: true })
  // The first steps' line may still come, and move the rows from under the pointer.
  await page.waitForLoadState('networkidle')
  await auto.hover()
  const told = await page.getByRole('tooltip').textContent()
  expect(told).toMatch(/^invalid_api_key\n2026-01-01 \d\d:00:00$|^invalid_api_key\n2025-12-31/u)
})

test('given a channel with a balance, spend, priority and weight, when listed, then its row has them', async () => {
  await gateway.root.reviseChannel(idOf.get('丁') ?? 0, { priority: 3, weight: 9 })
  await page.goto('/channel')
  const row = rowOf('丁')
  const balance = row.getByRole('button', {
    name: t('channels.refreshBalanceOf', { name: '丁' }),
  })
  await balance.waitFor()
  // Upstream was never asked.
  expect(await balance.textContent()).toBe('–')
  await expect
    .poll(() => row.getByLabel(t('channels.priorityOf', { name: '丁' })).inputValue(), PATIENT)
    .toBe('3')
  await project('丁', { balance_usd: "'12.5'", balance_at: NEW_YEAR, used_quota: 750_000 })
  await page.goto('/channel')
  expect(await row.getByLabel(t('channels.weightOf', { name: '丁' })).inputValue()).toBe('9')
  await row.getByText('12.50', { exact: true }).waitFor()
  expect(await row.getByRole('link').first().textContent()).toContain('1.50')
})

test('given the columns, when the tag is chosen and the type left out, then that is remembered', async () => {
  await page.goto('/channel')
  const heads = () => page.getByRole('columnheader').allInnerTexts()
  await rowOf('甲').waitFor()
  expect(await heads()).not.toContain(t('channels.tag'))
  await page.getByRole('button', { name: t('table.columns') }).click()
  await page.getByRole('menuitemcheckbox', { name: t('channels.tag') }).click()
  await page.getByRole('menuitemcheckbox', { name: t('channels.type'), exact: true }).click()
  await page.keyboard.press('Escape')
  await rowOf('甲').getByText('prod', { exact: true }).waitFor()
  expect(JSON.parse(String(await stored('channels-table-columns')))).toMatchObject({
    tag: true,
    type: false,
  })
  await page.reload()
  await rowOf('甲').getByText('prod', { exact: true }).waitFor()
  expect(await heads()).not.toContain(t('channels.type'))
  await page.evaluate('localStorage.removeItem("channels-table-columns")')
})

test('given priorities, when ordered by id, then the newest come first, and that is remembered', async () => {
  await page.goto('/channel')
  const first = page.locator('tbody tr[data-row]').first()
  await first.getByText('丁', { exact: true }).waitFor()
  await page.getByText(t('channels.byId'), { exact: true }).click()
  await first.getByText('戊', { exact: true }).waitFor()
  expect(await stored('id-sort')).toBe('true')
  await page.reload()
  await first.getByText('戊', { exact: true }).waitFor()
  await page.getByText(t('channels.byId'), { exact: true }).click()
  await first.getByText('丁', { exact: true }).waitFor()
})

test('given a tag, when edited, then all of its channels follow, and those without it stay as they were', async () => {
  await page.goto('/channel')
  await page.getByText(t('channels.byTag'), { exact: true }).click()
  const section = page.getByRole('heading', { name: 'prod', exact: true }).locator('..')
  await section.getByRole('button', { name: t('action.edit') }).click()
  const drawer = page.getByRole('dialog', { name: t('channels.tagEditTitle', { tag: 'prod' }) })
  expect(await drawer.getByLabel(t('channels.tag')).inputValue()).toBe('prod')
  const priority = drawer.getByLabel(t('channels.priority'))
  await priority.fill('1.5')
  await drawer.getByRole('button', { name: t('action.save') }).click()
  await drawer.getByText(t('channels.error_priority')).waitFor()
  await priority.fill('-999')
  await drawer.getByLabel(t('channels.weight')).fill('4')
  await watched.expectAccessible()
  await drawer.getByRole('button', { name: t('action.save') }).click()
  await drawer.waitFor({ state: 'hidden' })
  // Asked by another session than the one that has written, whose reads do not wait for it.
  const terms = async (): Promise<readonly string[]> => {
    const all = await gateway.root.ask('GET', '/api/channel/search', channels)
    return all.map((one) => `${one.tag === 'prod'} ${one.priority} ${one.weight}`).toSorted()
  }
  const others = ['false 0 0', 'false 0 0']
  await expect.poll(terms).toEqual([...others, ...Array(4).fill('true -999 4')])
  await page.getByText(t('channels.byTag'), { exact: true }).click()
})

test('given a new channel, when its form opens, then the defaults are there; own models come by commas', async () => {
  await page.goto('/channel?add=true')
  const drawer = page.getByRole('dialog', { name: t('channels.title_add') })
  expect(await drawer.getByRole('checkbox', { name: 'default', exact: true }).isChecked()).toBe(
    true,
  )
  expect(await drawer.getByRole('switch', { name: t('channels.autoBan') }).isChecked()).toBe(true)
  const mapping = drawer.getByLabel(t('channels.modelMapping'))
  await mapping.waitFor({ state: 'hidden' })
  await drawer.getByText(t('channels.advanced')).click()
  await mapping.fill('[]')
  await drawer.getByText(t('channels.advanced')).click()
  await drawer.getByText(t('channels.error_json')).waitFor()
  await mapping.fill('')
  await drawer.getByRole('button', { name: t('channels.clearModels') }).click()
  const own = drawer.getByLabel(t('channels.models')).first()
  const add = drawer.getByRole('button', { name: t('models.add'), exact: true })
  await own.fill('one, two，three')
  await add.click()
  const chosen = drawer.getByRole('list', { name: t('channels.models') }).getByRole('listitem')
  expect(await chosen.allTextContents()).toEqual(['one', 'two', 'three'])
  await own.fill('two, four')
  await add.click()
  await drawer.getByText('某些模型已存在！').waitFor()
  expect(await chosen.allTextContents()).toEqual(['one', 'two', 'three', 'four'])
  await drawer.getByLabel(t('channels.name')).fill('己')
  await drawer.getByLabel(t('channels.key')).fill('sk-six')
  const asked = page.waitForRequest((request) => request.method() === 'POST')
  await drawer.getByRole('button', { name: t('action.save') }).click()
  expect((await asked).postDataJSON()).toMatchObject({
    group: 'default',
    auto_ban: 1,
    models: 'one,two,three,four',
  })
  await drawer.waitFor({ state: 'hidden' })
})

test('given a channel being added, when its form is submitted again, then one channel is added', async () => {
  await page.goto('/channel/add')
  const drawer = page.getByRole('dialog', { name: t('channels.title_add') })
  await drawer.getByLabel(t('channels.name')).fill('一次')
  await drawer.getByLabel(t('channels.key')).fill('sk-once')
  const held = Promise.withResolvers<void>()
  let posts = 0
  await page.route('**/api/channel/', async (route) => {
    if (route.request().method() === 'POST') {
      posts += 1
      await held.promise
    }
    await route.continue()
  })
  await drawer.getByRole('button', { name: t('action.save') }).click()
  await expect.poll(() => posts).toBe(1)
  await drawer.getByLabel(t('channels.name')).press('Control+Enter')
  await page.getByText('提交失败，请勿重复提交！').waitFor()
  held.resolve()
  await drawer.waitFor({ state: 'hidden' })
  await page.unroute('**/api/channel/')
  await page.getByRole('row').filter({ hasText: '一次' }).waitFor()
  expect(posts).toBe(1)
})

test('given a copy that is refused, when saved, then it says why and keeps what was typed', async () => {
  await page.goto(`/channel?copy=${idOf.get('甲')}`)
  const drawer = page.getByRole('dialog', { name: t('channels.title_copy') })
  await drawer.getByLabel(t('channels.key')).fill('sk-copied')
  await page.route('**/api/channel/', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ json: { success: false, message: 'no room' } })
      : route.continue(),
  )
  await drawer.getByRole('button', { name: t('action.save') }).click()
  await drawer.getByText(/^渠道复制失败.*no room$/u).waitFor()
  expect(await drawer.getByLabel(t('channels.key')).inputValue()).toBe('sk-copied')
  await page.unroute('**/api/channel/')
  await drawer.getByRole('button', { name: t('action.save') }).click()
  await drawer.waitFor({ state: 'hidden' })
  watched.expectNoComplaint()
})

const channels = z.array(
  z.object({
    tag: z.string().nullable(),
    priority: z.number().nullable(),
    weight: z.number().nullable(),
  }),
)

/** Puts figures into the read model, as its projector would from an event. */
const project = (
  name: string,
  columns: Readonly<Record<string, string | number | null>>,
): Promise<unknown> =>
  gateway.product.query(
    `update channels.channels set ${Object.entries(columns)
      .map(([column, value]) => `${column} = ${value}`)
      .join(', ')} where channel_id = ${idOf.get(name)}`,
  )
