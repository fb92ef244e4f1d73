import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, ROOT, startGateway } from '../support/gateway.ts'
import { textOf } from './sign-in.ts'
import { openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Channels as an administrator finds, adds, copies, groups and switches them, in a real browser. */
let gateway: Gateway
let watched: WatchedPage
let page: Page
const t = textsOf('zh')
/** For a busy machine. */
const PATIENT = { timeout: 20_000 }

beforeAll(async () => {
  gateway = await startGateway({
    models: ['gpt-4o-mini'],
    upstream: { models: ['babbage-002', 'gpt-4o-mini'] },
  })
  for (const [name, tag, key] of [
    ['东区', 'prod', 'sk-east'],
    ['西区', 'prod', 'sk-west'],
    ['备用', '', 'sk-spare'],
  ] as const) {
    await gateway.root.addChannel({
      name,
      tag,
      key,
      base_url: gateway.upstream.url,
      models: 'gpt-4o-mini',
    })
  }
  watched = await openSignedIn(gateway)
  page = watched.page
})
afterAll(() => stopAll(page, gateway))

test('given the seeds’ address of a new channel, when opened, then its form has OpenAI’s models', async () => {
  const drawer = page.getByRole('dialog', { name: t('channels.title_add') })
  await page.goto('/channel')
  await page.getByRole('button', { name: t('channels.add') }).click()
  await drawer.getByLabel(t('channels.name')).fill('半')
  await drawer.getByLabel(t('channels.name')).fill('')
  await page.goto('/channel/add')
  await page.waitForURL('**/channel?add=true')
  const chosen = drawer.getByRole('list', { name: t('channels.models') }).getByRole('listitem')
  await chosen.first().waitFor()
  const first = await chosen.count()
  // Another type brings its own models while none were chosen by hand.
  await drawer.getByLabel(t('channels.type')).fill('DeepSeek')
  await drawer.getByRole('option', { name: 'DeepSeek' }).click()
  await drawer.getByText('deepseek-chat', { exact: true }).filter({ visible: true }).waitFor()
  expect(await chosen.count()).not.toBe(first)
  await drawer.getByRole('button', { name: t('action.save') }).click()
  await drawer.getByText('请填写渠道名称和渠道密钥！').first().waitFor()
  await watched.expectAccessible()
  await drawer.getByRole('button', { name: t('action.cancel') }).click()
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: t('form.discard') })
    .click()
  await page.waitForURL('**/channel')
})

test('given a channel, when opened by the seeds’ address and saved, then its row follows', async () => {
  const { id } = await channelOf('备用')
  await page.getByRole('button', { name: t('channels.actionsOf', { name: '备用' }) }).click()
  await page.getByRole('menuitem', { name: t('action.edit'), exact: true }).click()
  await page.getByRole('dialog', { name: t('channels.title_edit') }).waitFor()
  await page.goto(`/channel/edit/${id}`)
  await page.waitForURL(`**/channel?edit=${id}`)
  const drawer = page.getByRole('dialog', { name: t('channels.title_edit') })
  await drawer.getByLabel(t('channels.name')).fill('后备')
  await drawer.getByRole('button', { name: t('action.save') }).click()
  await page.getByRole('row').filter({ hasText: '后备' }).waitFor()
  await page.goto('/channel?copy=999999')
  await page.getByRole('dialog').getByText('渠道未找到，请刷新页面后重试').waitFor()
  await page.goto(`/channel?copy=${id}`)
  const copy = page.getByRole('dialog', { name: t('channels.title_copy') })
  expect(await copy.getByLabel(t('channels.name')).inputValue()).toBe(
    t('channels.copyName', { name: '后备' }),
  )
})

test('given a typed model that is not added, when the form is saved, then the channel has it', async () => {
  const { id } = await channelOf('东区')
  const drawer = page.getByRole('dialog', { name: t('channels.title_edit') })
  const field = drawer.getByRole('combobox', { name: t('channels.models') })
  await page.goto(`/channel?edit=${id}`)
  await field.fill('by-mouse')
  await drawer.getByRole('button', { name: t('action.save') }).click()
  await drawer.waitFor({ state: 'hidden' })
  await page.goto(`/channel?edit=${id}`)
  await field.fill('by-key')
  await field.press('ControlOrMeta+Enter')
  await drawer.waitFor({ state: 'hidden' })
  const { models } = await gateway.root.ask(
    'GET',
    `/api/channel/${id}`,
    z.object({ models: z.string() }),
  )
  expect(models.split(',')).toEqual(['gpt-4o-mini', 'by-mouse', 'by-key'])
})

test('given a channel, when disabled and enabled, then its panel has the history: when, by whom, why', async () => {
  const { id } = await channelOf('西区')
  const { key } = await gateway.root.createToken({ name: 'one call' })
  await gateway.openai(key).chat.completions.create({
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: '你好' }],
  })
  await expect.poll(async () => (await traffic()).requests, PATIENT).toBe(1)
  await page.goto(`/channel?row=${id}`)
  const panel = page.getByRole('complementary').filter({ has: page.getByLabel(t('list.details')) })
  await panel.getByRole('button', { name: t('action.disable') }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText(t('channels.noOrphans')).waitFor()
  const served = (await traffic()).channels.some((channel) => channel.id === id)
  await dialog
    .getByText(
      t('channels.traffic', {
        count: '1',
        percent: served ? '100' : '0',
        requests: served ? '1' : '0',
      }),
    )
    .waitFor()
  await dialog.getByRole('button', { name: t('action.disable') }).click()
  await panel.getByRole('button', { name: t('action.enable') }).click()
  const changes = panel.getByRole('list', { name: t('channels.history') }).getByRole('listitem')
  await expect.poll(() => changes.count(), PATIENT).toBe(3)
  const told = await changes.allTextContents()
  expect(told.map((text) => text.includes(ROOT.username))).toEqual([true, true, true])
  for (const [index, event] of (['Enabled', 'Disabled', 'Added'] as const).entries())
    expect(told[index]).toContain(t(`channels.event_Channel${event}`))
  await watched.expectAccessible()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: t('list.export') }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(new RegExp(`^channel-${id}-history-[\\d-]+\\.csv$`, 'u'))
  const [head = '', ...rows] = (await textOf(file)).trim().split('\r\n')
  expect(head.split(',')).toContain('changed_at')
  expect(rows).toHaveLength(3)
})

test('given a new channel, when its models are fetched, then it is saved with them and tested', async () => {
  const drawer = page.getByRole('dialog', { name: t('channels.title_add') })
  const go = drawer.getByRole('button', { name: t('channels.fetchAndTest') })
  await page.goto('/channel/add')
  await go.click()
  await drawer.getByText('请填写渠道名称和渠道密钥！').first().waitFor()
  await drawer.getByLabel(t('channels.name')).fill('一次完成')
  await drawer.getByLabel(t('channels.key')).fill('sk-at-once')
  await drawer.getByLabel(t('channels.address_base')).fill(gateway.upstream.url)
  await go.click()
  const notice = page.getByRole('dialog', { name: t('channels.outcomeTitle') })
  await notice.getByText(t('channels.savedWith', { count: '2' })).waitFor(PATIENT)
  await notice.getByText(/^使用 gpt-4o-mini 测试成功/u).waitFor()
  await watched.expectAccessible()
  await notice.getByRole('button', { name: t('action.close') }).click()
  const id = Number(JSON.parse(new URL(page.url()).searchParams.get('row') ?? '0'))
  const made = await gateway.root.ask('GET', `/api/channel/${id}`, z.object({ models: z.string() }))
  expect(made.models).toBe('babbage-002,gpt-4o-mini')
  await gateway.root.send('DELETE', `/api/channel/${id}/`)
  watched.expectNoComplaint()
})

test('given channels with and without a tag, when grouped by tag, then none is missing', async () => {
  await page.goto('/channel')
  await page.getByText(t('channels.byTag'), { exact: true }).click()
  await page.getByRole('heading', { name: 'prod', exact: true }).waitFor()
  await page.getByRole('heading', { name: t('channels.untagged'), exact: true }).waitFor()
  await expect.poll(() => page.locator('tbody tr[data-row]').count(), PATIENT).toBe(4)
  expect(await page.evaluate('localStorage.getItem("enable-tag-mode")')).toBe('true')
  await page.getByText(t('channels.byTag'), { exact: true }).click()
  await page
    .getByRole('heading', { name: t('channels.untagged'), exact: true })
    .waitFor({ state: 'hidden' })
})

test('given channels, when searched, sorted, ticked and exported, then address and file agree', async () => {
  const rows = page.locator('tbody tr[data-row]')
  await page.goto('/channel?sort=name')
  await expect.poll(() => rows.count(), PATIENT).toBe(4)
  await page.getByRole('searchbox', { name: t('channels.searchKeyword') }).fill('东区')
  await page.keyboard.press('Enter')
  await expect.poll(() => rows.count(), PATIENT).toBe(1)
  await page.waitForURL((url) => url.searchParams.get('keyword') === '东区')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: t('list.export') }).click(),
  ])
  const lines = (await textOf(file)).trim().split('\r\n')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain('东区')
  await page.goBack()
  await expect.poll(() => rows.count(), PATIENT).toBe(4)
  const boxes = page.getByRole('checkbox', { name: t('table.selectAll') })
  expect(await boxes.count()).toBe(1)
  await page.getByText(t('channels.batch'), { exact: true }).click()
  await boxes.waitFor({ state: 'hidden' })
  expect(await page.evaluate('localStorage.getItem("enable-batch-delete")')).toBe('false')
  await page.getByText(t('channels.batch'), { exact: true }).click()
  await boxes.waitFor()
})

test('given an impossible weight, when left, then it says so and stays; a possible one is saved', async () => {
  const { id } = await channelOf('东区')
  await page.goto('/channel')
  const weight = page.getByLabel(t('channels.weightOf', { name: '东区' }))
  await weight.fill('-3')
  await weight.press('Enter')
  await page.getByText(t('channels.error_weight')).waitFor()
  await weight.fill('7')
  await weight.press('Enter')
  await expect.poll(async () => (await channelOf('东区')).weight, PATIENT).toBe(7)
  expect((await channelOf('东区')).id).toBe(id)
})

test('given a disabled channel, when all disabled are to be deleted, then the question names it', async () => {
  const { id } = await channelOf('西区')
  const ask = async () => {
    await page.goto('/channel')
    await page.getByRole('button', { name: t('channels.all'), exact: true }).click()
    await page.getByRole('menuitem', { name: t('channels.deleteDisabled') }).click()
  }
  const dialog = page.getByRole('alertdialog')
  await ask()
  await dialog.getByText(t('channels.noneDisabled')).waitFor()
  expect(await dialog.getByRole('button', { name: t('action.delete') }).isDisabled()).toBe(true)
  await gateway.root.ask('PUT', '/api/channel/', z.unknown(), { id, status: 2 })
  await ask()
  await dialog.getByText(t('channels.deleteDisabledThese', { count: '1', names: '西区' })).waitFor()
  await page.keyboard.press('Escape')
  await gateway.root.ask('PUT', '/api/channel/', z.unknown(), { id, status: 1 })
})

test('given 1366 px, when the list is open, then the table fits its card; a phone has two-line rows', async () => {
  await page.goto('/channel')
  const card = page.getByRole('region', { name: t('place.channels') })
  await card.locator('tbody tr[data-row]').first().waitFor()
  expect(
    await card.evaluate((box) => (box.firstElementChild?.scrollWidth ?? 0) - box.clientWidth),
  ).toBe(0)
  await page.setViewportSize({ width: 390, height: 800 })
  await card.getByRole('list').getByText('东区').waitFor()
  expect(await card.getByRole('row').count()).toBe(0)
  await watched.expectAccessible()
  watched.expectNoComplaint()

  const { id } = await channelOf('东区')
  const long = 'OpenAI · second account, for the night'
  await gateway.root.ask('PUT', '/api/channel/', z.unknown(), { id, name: long })
  await page.setViewportSize({ width: 360, height: 800 })
  await page.goto('/channel')
  const name = card.getByRole('button', { name: long, exact: true })
  await name.waitFor()
  expect(
    await name.evaluate((node) => {
      const line = node.parentElement ?? node
      return [line.scrollWidth - line.clientWidth, line.scrollHeight - line.clientHeight]
    }),
  ).toEqual([0, 0])
  await gateway.root.ask('PUT', '/api/channel/', z.unknown(), { id, name: '东区' })
})

test('given a phone, when a test in a panel passes, then the notice leaves its title and buttons free', async () => {
  await page.setViewportSize({ width: 360, height: 800 })
  const { id } = await channelOf('东区')
  await page.goto(`/channel?row=${id}`)
  const panel = page.getByRole('dialog', { name: '东区' })
  const button = (name: string) => panel.getByRole('button', { name, exact: true })
  const topOf = async (at: Locator) => (await at.boundingBox())?.y
  // All actions of the channel stand in one line.
  expect(await topOf(button(t('action.delete')))).toBe(await topOf(button(t('channels.test'))))
  await button(t('channels.test')).click()
  const notice = page.locator('[data-scope=toast][data-part=root]').first()
  await notice.waitFor()
  const lowest = Math.max(
    ...(await Promise.all(
      [panel.getByRole('heading', { name: '东区' }), button(t('action.close'))].map(async (at) => {
        const box = await at.boundingBox()
        return box === null ? Number.NaN : box.y + box.height
      }),
    )),
  )
  await expect.poll(() => topOf(notice)).toBeGreaterThanOrEqual(lowest)
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('given a message, when it is shown until it goes, then the browser rests meanwhile', async () => {
  await page.setViewportSize({ width: 360, height: 800 })
  const { id } = await channelOf('东区')
  await page.goto(`/channel?row=${id}`)
  const panel = page.getByRole('dialog', { name: '东区' })
  await panel.getByRole('button', { name: t('channels.test'), exact: true }).click()
  const notice = page.locator('[data-scope=toast][data-part=root]').first()
  await notice.waitFor()
  await page.evaluate(COUNT_FRAMES)
  await notice.waitFor({ state: 'detached' })
  // A message is shown for some seconds, and each has sixty.
  expect(await page.evaluate<number>('framesAsked')).toBeLessThan(60)
  await page.setViewportSize({ width: 1440, height: 900 })
})

/** Counts the frames that the page's scripts ask for from now on. */
const COUNT_FRAMES = `
  globalThis.framesAsked = 0
  const ask = requestAnimationFrame
  globalThis.requestAnimationFrame = (work) => {
    framesAsked++
    return ask(work)
  }`

const channel = z.object({ id: z.number(), name: z.string(), weight: z.number().nullable() })

async function channelOf(name: string): Promise<z.output<typeof channel>> {
  const all = await gateway.root.ask('GET', '/api/channel/search', z.array(channel))
  const found = all.find((one) => one.name === name)
  if (!found) throw new Error(`there is no channel ${name}`)
  return found
}

const traffic = () =>
  gateway.root.ask(
    'GET',
    '/api/channel/traffic',
    z.object({ requests: z.int(), channels: z.array(z.object({ id: z.int() })) }),
  )
