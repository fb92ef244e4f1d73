import { REPLAY_TEXTS } from '@tollgate/projections/replays/request-body.ts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { textOf } from './sign-in.ts'
import { until } from '../support/processes.ts'
import { openBeside, openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Replays in a real browser: asked for with filters, followed to their end, read, renamed and deleted. */
let gateway: Gateway
let watched: WatchedPage
let page: Page
let annId: number
const t = textsOf('en')
const zh = textsOf('zh')
const MODEL = 'gpt-4o-mini'
const ANN = { username: 'ann', password: 'long-enough-2' } as const
const CALLS = 3
const BUSY_MS = 180_000

beforeAll(async () => {
  gateway = await startGateway({ models: [MODEL] })
  const ann = await gateway.root.addUser(ANN.username, ANN.password, 1_500_000)
  annId = (await ann.self()).id
  const { key } = await ann.createToken({ name: 'notebook' })
  for (let call = 0; call < CALLS; call += 1)
    await gateway
      .openai(key)
      .chat.completions.create({ model: MODEL, messages: [{ role: 'user', content: 'hello' }] })
  await until('the calls are logged', async () => (await ann.chargesLogged()) === CALLS)
  await gateway.root.setOption('ModelRatio', `{"${MODEL}": 75}`)
  watched = await openSignedIn(gateway, { language: 'en' })
  page = watched.page
  page.setDefaultTimeout(BUSY_MS)
}, 240_000)
afterAll(() => stopAll(page, gateway))

const rows = (on = page) => on.locator('tbody tr[data-row]')

async function replay(on: Page, name: string): Promise<void> {
  await on
    .getByRole('button', { name: t('replays.create') })
    .first()
    .click()
  const form = on.getByRole('dialog')
  await form.getByLabel(t('replays.name')).fill(name)
  await form.getByRole('combobox', { name: t('replays.tokens') }).fill('a word')
  await form.getByRole('button', { name: t('replays.start') }).click()
  await form.getByText(t('replays.problem_unknown')).waitFor()
  await form.getByRole('button', { name: t('models.remove', { name: 'a word' }) }).click()
  await form.getByRole('combobox', { name: t('replays.users') }).fill(ANN.username)
  await form.getByRole('option', { name: `${annId} ${ANN.username}` }).click()
  await form.getByText('of all users').waitFor()
  await form.getByLabel(t('replays.pair')).selectOption('model+user')
  await form.getByRole('button', { name: t('replays.start') }).click()
  await form.waitFor({ state: 'hidden' })
  await rows(on).filter({ hasText: name }).getByText(t('replays.status_done')).waitFor()
}

test(
  'given prices that rose, when replayed at today’s, then the panel leads to the new total',
  async () => {
    await page.goto('/detail')
    await page.getByRole('link', { name: t('place.replays') }).click()
    await page.getByText(t('replays.emptyTitle')).waitFor()
    await replay(page, 'dearer')
    await page.goto('/replays')
    await rows().first().waitFor()
    const list = page.getByRole('region', { name: t('place.replays'), exact: true })
    expect(
      await list.evaluate((box) => (box.firstElementChild?.scrollWidth ?? 0) - box.clientWidth),
    ).toBe(0)
    const [charged = '', repriced = ''] = (
      await rows().filter({ hasText: 'dearer' }).locator('td').allInnerTexts()
    ).filter((cell) => /^\d+\.\d{6}$/u.test(cell))
    expect(Number(charged)).toBeGreaterThan(0)
    expect(Number(repriced)).toBeGreaterThan(Number(charged))
    await rows().filter({ hasText: 'dearer' }).getByText('dearer').click()
    const panel = page
      .getByRole('complementary')
      .filter({ has: page.getByLabel(t('list.details')) })
    const filter = panel.locator('dl div').filter({ hasText: t('replays.users') })
    await filter.getByText(`${annId} ${ANN.username}`).waitFor()
    const fact = (label: string) => panel.locator('dl div').filter({ hasText: label }).locator('dd')
    const today = new RegExp(
      `^${t('replays.prices_today')}: revision \\d+ of \\d{4}-\\d\\d-\\d\\d$`,
      'u',
    )
    await expect.poll(() => fact(t('replays.prices')).first().textContent()).toMatch(today)
    expect(await fact(t('replays.period')).first().textContent()).toMatch(
      /^[\d-]{10} [\d:]{8} – [\d-]{10} [\d:]{8} \(.*UTC.*\)$/u,
    )
    const steps = panel.getByRole('list', { name: t('replays.waterfall') })
    await steps.getByText(t('replays.byPrices')).waitFor()
    expect(await steps.getByRole('listitem').count()).toBe(4)
    const payers = panel.getByRole('region', { name: t('replays.paysMore') })
    const user = payers.getByRole('link', { name: ANN.username })
    const href = await user.getAttribute('href')
    const link = new URL(href ?? '', gateway.product.url).searchParams
    expect(link.get('user')).toBe(String(annId))
    expect(Number(link.get('end')) - Number(link.get('start'))).toBe(7 * 86_400)
    await panel.getByLabel(t('replays.by'), { exact: true }).first().selectOption('model')
    const foot = panel.locator('tfoot tr')
    expect(await foot.textContent()).toMatch(new RegExp(`^${t('replays.total')}\\+`, 'u'))
    expect((await foot.locator('td').allInnerTexts()).slice(1).join(' ')).toContain(repriced)
    const line = panel.locator('tbody tr')
    await line.getByText(MODEL).waitFor()
    expect(await line.textContent()).toMatch(new RegExp(`^${MODEL}\\+.*\\(\\+[\\d,.]+%\\)`, 'u'))
    await payers.getByRole('link', { name: MODEL }).click()
    await page.waitForURL(`**/audit/journal?*model=${MODEL}*`)
    await page.goBack()
    await panel.getByLabel(t('replays.by'), { exact: true }).first().selectOption('model+user')
    await line.getByText(`${MODEL} × ${ANN.username}`).waitFor()
    const table = panel.getByRole('region', { name: t('replays.by'), exact: true })
    expect(await table.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
    for (const name of [t('list.export'), t('list.exportLines')]) {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        panel.getByRole('button', { name, exact: true }).click(),
      ])
      expect(await textOf(file)).toContain(MODEL)
    }
    await watched.expectAccessible()
    await panel.getByLabel(t('replays.name')).fill('renamed')
    await panel.getByRole('button', { name: t('replays.rename') }).click()
    await rows().filter({ hasText: 'renamed' }).waitFor()
    await panel.getByRole('button', { name: t('action.delete') }).click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: t('action.delete') })
      .click()
    await page.getByText(t('replays.emptyTitle')).waitFor()
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a user on a phone, when they replay, then it is their own usage',
  async () => {
    const own = await openBeside(page, gateway, { language: 'en', width: 390, who: ANN })
    await own.page.goto('/replays?add=true')
    const form = own.page.getByRole('dialog')
    await form.getByLabel(t('replays.name')).fill('mine')
    await form.getByRole('button', { name: t('replays.start') }).click()
    await own.page.getByText('mine').first().waitFor()
    await own.page.getByText(t('replays.status_done')).first().waitFor()
    await own.expectAccessible()
    own.expectNoComplaint()
    await own.page.context().close()
  },
  BUSY_MS,
)

test(
  'given a replay’s copied link, when others open it, then only administrators read it',
  async () => {
    const body = {
      name: 'to share',
      from: Date.now() - 86_400_000,
      to: Date.now() + 60_000,
      filters: {},
      prices: 'today',
      bucket: 'day',
      zone: 'UTC',
      by: ['model'],
    }
    const { id } = await gateway.root.ask(
      'POST',
      '/api/replays',
      z.object({ id: z.string() }),
      body,
    )
    const owner = await openSignedIn(gateway, { language: 'zh', readsClipboard: true })
    await owner.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await owner.page.goto('/replays')
    await rows(owner.page).filter({ hasText: 'to share' }).getByText('to share').click()
    await owner.page.getByRole('button', { name: zh('replays.share') }).click()
    const link = () => owner.page.evaluate('navigator.clipboard.readText()')
    await expect.poll(link).toBe(`${gateway.product.url}/replays?row=${id}`)
    const copied = String(await link())
    owner.expectNoComplaint()
    await owner.page.context().browser()?.close()

    const bob = { username: 'bob', password: 'long-enough-3' }
    const { userId } = await gateway.root.addUser(bob.username, bob.password, 0)
    await gateway.root.ask('POST', '/api/user/manage', z.unknown(), {
      id: userId,
      action: 'promote',
    })
    const other = await openBeside(page, gateway, { language: 'zh', who: bob })
    await other.page.goto(copied)
    const panel = other.page.getByRole('complementary').filter({ hasText: 'to share' })
    await panel.getByText(zh('replays.status_done')).waitFor()
    await panel.locator('tbody tr').getByText(MODEL).waitFor()
    other.expectNoComplaint()
    await other.page.context().close()

    const own = await openBeside(page, gateway, { language: 'zh', who: ANN })
    await own.page.goto(copied)
    await own.page.getByText(REPLAY_TEXTS.unknown).waitFor()
    expect(await own.page.getByText('to share').count()).toBe(0)
    await own.page.context().close()
  },
  BUSY_MS,
)
