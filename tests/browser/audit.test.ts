import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { logCaughtUp } from '../support/books.ts'
import { changeAnswers, type WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { openBeside, openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** The trial balance, the event browser and the explanation of a charge in a real browser. */
let gateway: Gateway
let watched: WatchedPage
let page: Page
let requestId: string
const t = textsOf('en')
const zh = textsOf('zh')
const MODEL = 'gpt-4o-mini'
const ANN = { username: 'ann', password: 'long-enough-2' } as const
const BUSY_MS = 180_000
const LOG = z.object({ items: z.array(z.object({ request_id: z.string() })) })

beforeAll(async () => {
  gateway = await startGateway({ models: [MODEL] })
  const ann = await gateway.root.addUser(ANN.username, ANN.password, 1_500_000)
  const { key } = await ann.createToken({ name: 'notebook' })
  await gateway
    .openai(key)
    .chat.completions.create({ model: MODEL, messages: [{ role: 'user', content: 'hello' }] })
  await logCaughtUp(gateway.product, ann)
  const { items } = await ann.ask('GET', '/api/log/self/?type=2', LOG)
  requestId = items[0]?.request_id ?? ''
  watched = await openSignedIn(gateway, { language: 'en', readsClipboard: true })
  page = watched.page
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
})
afterAll(() => stopAll(page, gateway))

/** A text with a position of the log in it. */
const upTo = (name: 'audit.upToNow' | 'audit.upTo' | 'audit.readUpTo') => {
  const [begin = '', end = ''] = t(name, { position: '#' }).split('#')
  return new RegExp(`^${begin}[\\d,]+${end}`, 'u')
}

const rows = () => page.locator('tbody tr[data-row]')

test(
  'given the trial balance, when opened, then it balances as of now, and accounts open their postings',
  async () => {
    await page.goto('/audit/trial-balance')
    await page.getByText(t('audit.balanced')).waitFor()
    await page.getByText(upTo('audit.upToNow')).waitFor()
    expect(await page.getByText(t('audit.isFinal')).count()).toBe(0)
    await watched.expectAccessible()
    const revenue = page.locator('tbody tr').filter({ hasText: t('audit.account_usage-revenue') })
    const amountOf = (text: string | null) => Number(text?.replaceAll(/[$,]/gu, ''))
    const credited = amountOf(await revenue.locator('td').nth(3).textContent())
    expect(credited).toBeGreaterThan(0)
    expect(await revenue.getByRole('link').count()).toBe(1)
    await revenue.getByRole('link', { name: t('audit.account_usage-revenue') }).click()
    await page.waitForURL('**/audit/journal?*account=usage-revenue*')
    await rows().first().waitFor()
    await expect
      .poll(async () =>
        amountOf(
          await page
            .locator('dl div')
            .filter({ hasText: t('audit.credited') })
            .locator('dd')
            .first()
            .textContent(),
        ),
      )
      .toBe(credited)
    expect(await page.getByText(t('audit.total'), { exact: true }).count()).toBe(0)
    await page.goto('/audit/trial-balance?at=1000000')
    await page.getByText(upTo('audit.readUpTo')).waitFor()
    expect(await revenue.getByRole('link').getAttribute('href')).toMatch(/[?&]end=999999$/u)
    await page.getByText(t('audit.isFinal')).waitFor()
    await expect.poll(() => revenue.locator('td').nth(1).textContent()).toBe('0')
    await page.getByRole('button', { name: t('audit.asOfNow') }).click()
    await page.waitForURL('**/audit/trial-balance')
    await page.goto('/audit/trial-balance?position=0')
    await page.getByText(upTo('audit.upTo')).waitFor()
    await page.getByText(t('audit.isFinal')).waitFor()
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given the balances, when opened as of now and of a past moment, then only the latter are final',
  async () => {
    await page.goto('/audit/balances')
    await page.getByText(upTo('audit.upToNow')).waitFor()
    expect(await page.getByText(t('audit.isFinal')).count()).toBe(0)
    await page.goto('/audit/balances?moment=1000000')
    await page.getByText(upTo('audit.readUpTo')).waitFor()
    await page.getByText(t('audit.isFinal')).waitFor()
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given the log of events, when filtered and opened, then the hash agrees and links lead on',
  async () => {
    await page.goto('/audit/events?size=50')
    await rows().first().waitFor()
    await watched.expectAccessible()
    await rows()
      .filter({ hasText: 'UsageCharged' })
      .getByRole('button', { name: /^account-/u })
      .click()
    await page.waitForURL('**/audit/events?*stream=account-*')
    await rows().filter({ hasText: 'UsageCharged' }).getByRole('link').click()
    await page.waitForURL(/\/audit\/events\/\d+$/u)
    await page.getByText(t('events.ownGood')).waitFor()
    await page.getByText(t('events.linkGood')).waitFor()
    await page
      .getByText(t('events.here'), { exact: false })
      .or(page.getByText(t('events.alone')))
      .first()
      .waitFor()
    await watched.expectAccessible()
    await foldAndCopy(page.getByRole('tree', { name: t('events.data'), exact: true }))
    await watched.expectAccessible()
    const charged = page.url()
    await page.getByRole('link', { name: t('events.previous') }).click()
    await page.waitForURL((url) => url.href !== charged)
    await page.getByText(t('events.ownGood')).waitFor()
    await page.getByRole('link', { name: t('events.next') }).click()
    await page.waitForURL(charged)
    await page.getByRole('link', { name: requestId }).last().click()
    await page.waitForURL(`**/audit/charges/${requestId}`)
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

/** Goes through a tree of JSON by keyboard alone: what is nested folds, and each value can be copied. */
async function foldAndCopy(tree: Locator): Promise<void> {
  const frame = tree.locator('..')
  const line = (text: RegExp) => tree.getByRole('treeitem').filter({ hasText: text })
  const focused = () => tree.page().evaluate('document.activeElement.textContent')
  const whole = await tree.getByRole('treeitem').count()
  await tree.getByRole('treeitem').first().focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Home')
  expect(await focused()).toMatch(/^\{/u)
  await line(/^"request": \{/u).focus()
  await page.keyboard.press('ArrowLeft')
  await line(/^"request": \{…\} \d+,?$/u).waitFor()
  expect(await line(/^"model":/u).count()).toBe(0)
  await page.keyboard.press('ArrowRight')
  await line(/^"model":/u)
    .first()
    .focus()
  await frame.getByRole('button', { name: t('json.copyValue') }).click()
  await frame.getByRole('button', { name: t('copy.done') }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(MODEL)

  await frame.getByRole('button', { name: t('json.foldAll') }).click()
  expect(await line(/^"request": \{…\}/u).getAttribute('aria-expanded')).toBe('false')
  await line(/^"request": \{…\}/u).click()
  await line(/^"model":/u).waitFor()
  await frame.getByRole('button', { name: t('json.foldAll') }).click()
  await frame.getByRole('button', { name: t('json.unfoldAll') }).click()
  expect(await tree.getByRole('treeitem').count()).toBe(whole)
  await frame.getByRole('button', { name: t('copy.code', { name: t('events.data') }) }).click()
  const copied = String(await page.evaluate('navigator.clipboard.readText()'))
  expect(JSON.parse(copied)).toMatchObject({ request: { model: MODEL } })
}

test(
  'given a part of the log without a hit, when events are filtered, then the search goes on by itself',
  async () => {
    const before: (string | null)[] = []
    await page.route('**/api/ledger/events?*', async (route) => {
      const place = new URL(route.request().url()).searchParams.get('before')
      before.push(place)
      const data = { events: [], next: 1_000_000, searched: 20_000 }
      if (place === null) await route.fulfill({ json: { success: true, message: '', data } })
      else await route.continue()
    })
    await page.goto('/audit/events?type=QuotaCredited')
    await rows().first().waitFor()
    expect(before.slice(0, 2)).toEqual([null, '1000000'])
    await page.unroute('**/api/ledger/events?*')
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given bytes that were changed on the way, when the event is opened, then the check says so',
  async () => {
    const stopChanging = await changeAnswers(page, '**/api/ledger/events/*', (body) =>
      body.replace(/(\\"amount\\":)\d+/u, '$17'),
    )
    await page.goto('/audit/events?type=QuotaCredited')
    await rows().first().getByRole('link').click()
    await page.getByText(t('events.ownBad')).waitFor()
    await stopChanging()
  },
  BUSY_MS,
)

test(
  'given a charge, when explained, then sentence, arithmetic and postings agree with the ledger',
  async () => {
    await page.goto('/log')
    await rows().filter({ hasText: MODEL }).first().click()
    await page.getByRole('link', { name: t('log.explainPage') }).click()
    await page.waitForURL(`**/audit/charges/${requestId}`)
    for (const column of ['said', 'counted', 'price', 'amount'] as const)
      await page.getByRole('heading', { name: t(`charge.${column}`), exact: true }).waitFor()
    await expect.poll(() => page.getByText(t('charge.equal'), { exact: true }).count()).toBe(3)
    const { usage, times } = await gateway.root.ask(
      'GET',
      `/api/ledger/charges/${requestId}/recalculation`,
      z.object({
        usage: z.object({ upstream: z.string() }),
        times: z.object({ started_at: z.int(), admitted_at: z.int() }),
      }),
    )
    const said = page
      .locator('h2')
      .filter({ hasText: t('charge.said') })
      .locator('..')
    const { prompt_tokens: asked } = z
      .object({ prompt_tokens: z.int() })
      .parse(JSON.parse(usage.upstream))
    const member = said.locator('dl div').filter({ hasText: 'prompt_tokens' }).first()
    expect(await member.locator('dd').textContent()).toBe(String(asked))
    expect(await said.locator('[data-counted] dt').allTextContents()).toEqual([
      'prompt_tokens',
      'completion_tokens',
    ])
    expect(usage.upstream).toContain('total_tokens')
    await said.getByText(t('charge.countedNote')).waitFor()
    await page.getByText(t('charge.defaultPrice')).waitFor()
    await page.getByRole('heading', { name: t('charge.attempts'), exact: true }).waitFor()
    const origin = page
      .locator('h2')
      .filter({ hasText: t('charge.who') })
      .locator('..')
    const queued = origin.locator('dl div').filter({ hasText: t('charge.queued') })
    const queuedMs = times.admitted_at - times.started_at
    await expect
      .poll(() => queued.locator('dd').textContent())
      .toEqual(queuedMs < 1000 ? `${queuedMs} ms` : expect.stringMatching(/ s$/u))
    await watched.expectAccessible()
    await origin.getByRole('link', { name: /ann$/u }).click()
    await page.waitForURL(/\/audit\/statement\?user=\d+/u)
    await page.goBack()
    await origin.getByRole('link', { name: 'notebook' }).click()
    await page.waitForURL('**/log?token=notebook&username=ann')
    await rows().filter({ hasText: MODEL }).waitFor()
    await page.goBack()
    await page
      .getByRole('link', { name: /^Event /u })
      .first()
      .click()
    await page.getByText(t('events.ownGood')).waitFor()
    await page.goto('/audit/charges/nothing')
    await page.getByText(t('charge.missing')).waitFor()
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a charge’s owner on a phone in Chinese, when explained, then all fits, without channels',
  async () => {
    const phone = await openBeside(page, gateway, {
      language: 'zh',
      theme: 'dark',
      width: 390,
      who: ANN,
    })
    await phone.page.goto(`/audit/charges/${requestId}`)
    await expect
      .poll(() => phone.page.getByText(zh('charge.equal'), { exact: true }).count())
      .toBe(3)
    await phone.page.getByText(zh('charge.saidHidden')).waitFor()
    const notebook = phone.page.getByRole('link', { name: 'notebook', exact: true })
    expect(await notebook.getAttribute('href')).toBe('/token?keyword=notebook')
    const account = phone.page.getByRole('link', { name: /^\d+ ann$/u })
    expect(await account.getAttribute('href')).toBe('/statement')
    expect(await phone.page.getByText(zh('charge.postings'), { exact: true }).count()).toBe(0)
    await phone.expectAccessible()
    const sideways = () =>
      phone.page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
    expect(await sideways()).toBe(0)
    await phone.page.goto('/audit/events')
    await phone.page.getByText(zh('place.forbidden')).waitFor()
    phone.expectNoComplaint()
    await phone.page.context().close()

    const root = await openBeside(page, gateway, { language: 'zh', theme: 'dark', width: 390 })
    for (const path of ['/audit/events', '/audit/events/5', '/audit/trial-balance']) {
      await root.page.goto(path)
      await root.page.waitForLoadState('networkidle')
      await root.expectAccessible()
      expect(
        await root.page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        ),
      ).toBe(0)
    }
    const balances = root.page.getByRole('region', { name: zh('place.trialBalance') })
    expect(await balances.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
    root.expectNoComplaint()
    await root.page.context().close()
  },
  BUSY_MS,
)
