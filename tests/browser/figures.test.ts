import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { hledgerProblems } from '../support/accounting/check-book.ts'
import { logCaughtUp } from '../support/books.ts'
import { changeAnswers, type WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { unzip } from '../support/unzip.ts'
import { bytesOf } from './sign-in.ts'
import { openBeside, openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Figures that open the statement they stand in, in a real browser; and a statement saved as files. */
let gateway: Gateway
let watched: WatchedPage
let page: Page
let annId: number
let code: string
const t = textsOf('en')
const MODEL = 'gpt-4o-mini'
const ANN = { username: 'ann', password: 'long-enough-2' } as const
const CALLS = 3
const BUSY_MS = 180_000
const LINES = z.looseObject({
  data: z.looseObject({
    lines: z.array(z.looseObject({ kind: z.string(), facts: z.looseObject({}).optional() })),
  }),
})

beforeAll(async () => {
  gateway = await startGateway({ models: [MODEL] })
  const ann = await gateway.root.addUser(ANN.username, ANN.password, 1_500_000)
  annId = ann.userId
  const made = { name: 'spring', quota: 5_000, count: 1 }
  code = (await gateway.root.ask('POST', '/api/redemption/', z.array(z.string()), made))[0] ?? ''
  await ann.ask('POST', '/api/user/topup', z.number(), { key: code })
  const { key } = await ann.createToken({ name: 'notebook' })
  for (let call = 0; call < CALLS; call += 1)
    await gateway
      .openai(key)
      .chat.completions.create({ model: MODEL, messages: [{ role: 'user', content: 'hello' }] })
  await logCaughtUp(gateway.product, ann)
  watched = await openSignedIn(gateway, { language: 'en' })
  page = watched.page
})
afterAll(() => stopAll(page, gateway))

test(
  'given the list of users, when a balance is clicked, then the user’s statement closes with it',
  async () => {
    await page.goto('/user')
    const row = page.locator('tbody tr').filter({ hasText: 'ann' })
    const balance = row.getByRole('link').filter({ hasText: /\d/ }).first()
    const shown = await balance.textContent()
    await balance.click()
    await page.waitForURL('**/audit/statement?user=*')
    const closing = page
      .getByRole('group', { name: t('statement.sum') })
      .locator('> div')
      .last()
    await expect
      .poll(async () => Number((await closing.textContent())?.split('$')[1]))
      .toBeCloseTo(Number(shown?.replace('$', '')), 2)
    await watched.expectAccessible()
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a user’s wallet and token, when spending is clicked, then its charges are in the statement',
  async () => {
    const own = await openBeside(page, gateway, { who: ANN, language: 'en' })
    const wallet = own.page
    await wallet.goto('/topup')
    const used = wallet.locator('dl div').filter({ hasText: t('wallet.used') })
    await used.getByRole('link').click()
    await wallet.waitForURL('**/statement?*term=charges*')
    await wallet.getByRole('button', { name: /Up to \d{4}-\d\d-\d\d/u }).waitFor()
    const lines = wallet.getByRole('table', { name: t('statement.lines') }).locator('tbody')
    await lines.getByRole('button', { name: t('statement.charges') }).waitFor()
    expect(await lines.getByText(t('statement.everything')).count()).toBe(0)
    await wallet.getByText(t('statement.requests', { count: String(CALLS) })).waitFor()
    await wallet.goto('/token')
    await wallet.locator('tbody tr').filter({ hasText: 'notebook' }).first().click()
    await wallet
      .getByRole('complementary')
      .getByRole('link', { name: t('place.statement') })
      .click()
    await wallet.waitForURL('**/statement?*token=*')
    await wallet.getByText(t('statement.requests', { count: String(CALLS) })).waitFor()
    own.expectNoComplaint()
    await wallet.context().close()
  },
  BUSY_MS,
)

test(
  'given a position, when a balance is asked for as of it, then the last event before it opens',
  async () => {
    const line = z.object({
      position: z.int(),
      after: z.object({ wallet: z.int(), held: z.int() }),
    })
    const { lines } = await gateway.root.ask(
      'GET',
      `/api/ledger/journal?user_id=${annId}&type=QuotaCredited`,
      z.object({ lines: z.array(line).min(2) }),
    )
    const [newest, oldest] = [lines[0], lines.at(-1)]
    if (newest === undefined || oldest === undefined) throw new Error('nothing was credited')
    await page.goto(`/audit/statement?user=${annId}`)
    const fact = (label: string) =>
      page.locator('dl div').filter({ hasText: label }).locator('dd').first()
    await fact(t('statement.lastEntry')).getByRole('link').waitFor()
    const field = page.getByRole('textbox', { name: t('statement.position'), exact: true })
    const posted = async () =>
      Number((await fact(t('statement.posted')).textContent())?.replaceAll(/[$,]/gu, ''))
    for (const { position, after } of [oldest, newest]) {
      await field.fill(String(position))
      await field.press('Enter')
      await expect.poll(posted).toBeCloseTo((after.wallet + after.held) / 500_000, 6)
    }
    await page.getByText(t('statement.isFinal')).last().waitFor()
    await field.fill('a word')
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await watched.expectAccessible()
    await page.goto(`/audit/statement?user=${annId}`)
    await fact(t('statement.lastEntry')).getByRole('link').click()
    await page.waitForURL(/\/audit\/events\/\d+$/u)
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given the balance curve, when a day is chosen, then each of its events is a step',
  async () => {
    await page.goto(`/audit/statement?user=${annId}`)
    const title = t('statement.curve')
    const toggle = (label: string) => t('chart.toggleOf', { label, title })
    await page.getByRole('button', { name: toggle(t('chart.showTable')) }).click()
    const twin = page.getByRole('region', { name: title })
    const days = twin.getByRole('row').filter({ has: page.getByRole('button') })
    await days.first().waitFor()
    // Columns are day, debit, credit, closing.
    const texts = await days.evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)),
    )
    const busy = texts.findLastIndex(([, debit]) => /[1-9]/u.test(debit ?? ''))
    await days.nth(busy).getByRole('button').click()
    await page.waitForURL('**group=none**')
    await twin.getByRole('columnheader', { name: t('statement.time') }).waitFor()
    const last = twin.getByRole('row').last().getByRole('cell').last()
    expect(await last.textContent()).toBe(texts[busy]?.[3])
    // Head and opening stand above the events.
    expect(await twin.getByRole('row').count()).toBeGreaterThan(2)
    await page.getByRole('button', { name: toggle(t('chart.showChart')) }).click()
    await watched.expectAccessible()
    await page.getByRole('button', { name: t('statement.curveDays') }).click()
    await expect.poll(() => page.url()).not.toContain('group=none')
    await page.getByText(t('statement.curveHelp')).waitFor()
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a statement, when exported as a book, then the file is a ZIP whose journal hledger takes',
  async () => {
    await page.goto('/statement')
    await page.getByRole('button', { name: t('list.archive'), exact: true }).click()
    await page.getByRole('menuitem').first().waitFor()
    await watched.expectAccessible()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: t('statement.export_hledger') }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^statement-\d{4}-\d\d-\d\d\.zip$/)
    const files = await unzip(await bytesOf(download))
    expect([...files.keys()]).toEqual(['statement.journal', 'manifest.json'])
    expect(await hledgerProblems(files.get('statement.journal') ?? '')).toBe('')
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a statement being exported, when its button is pressed by key, then no menu opens meanwhile',
  async () => {
    const held = Promise.withResolvers<void>()
    await page.route(/statement.*export/u, async (route) => {
      await held.promise
      await route.continue()
    })
    const button = page.getByRole('button', { name: t('list.archive'), exact: true })
    await button.click()
    const asked = page.waitForRequest(/statement.*export/u)
    await page.getByRole('menuitem', { name: t('list.archive_csv') }).click()
    await asked
    await button.press('ArrowDown')
    const saved = page.waitForEvent('download')
    held.resolve()
    await saved
    expect(await page.getByRole('menuitem').count()).toBe(0)
    await page.unroute(/statement.*export/u)
    await button.press('ArrowDown')
    await page.getByRole('menuitem').first().waitFor()
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a statement by token, when it lists what no token did, then the line says so and opens',
  async () => {
    await page.goto(`/audit/statement?user=${annId}&group=token`)
    const lines = page.getByRole('table', { name: t('statement.lines') }).locator('tbody tr')
    await lines.getByRole('button', { name: t('statement.without_token') }).click()
    await lines.filter({ hasText: t('statement.kind_redemption') }).waitFor()
    expect(await lines.filter({ hasText: t('statement.everything') }).count()).toBe(0)
  },
  BUSY_MS,
)

test(
  'given lines that are opened, when others lie between their entries, then no balance stands there',
  async () => {
    const lines = page.getByRole('table', { name: t('statement.lines') }).locator('tbody tr')
    const balances = async () => lines.locator('td:nth-last-child(1)').allTextContents()
    const apart = page.getByText(t('statement.insideApart'))
    await page.goto(`/audit/statement?user=${annId}`)
    await lines.getByRole('button', { name: MODEL }).click()
    await apart.waitFor()
    const charges = lines.filter({ has: page.getByRole('link') }).filter({ hasText: MODEL })
    expect(await charges.count()).toBe(CALLS)
    expect(await charges.locator('td:nth-last-child(1)').allTextContents()).toEqual(['', '', ''])
    await watched.expectAccessible()
    // A whole day has all of its entries: their balances follow from their amounts.
    await page.goto(`/audit/statement?user=${annId}&group=day`)
    await lines.getByRole('button').first().click()
    await expect.poll(() => lines.count()).toBeGreaterThan(CALLS)
    expect(await apart.count()).toBe(0)
    const [sum, ...inside] = await balances()
    expect(inside.at(-1)).toBe(sum)
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a statement of another zone, when read or printed, then the zone stands beside its period',
  async () => {
    await page.evaluate(() => localStorage.setItem('time-zone', 'Asia/Shanghai'))
    await page.goto(`/audit/statement?user=${annId}`)
    const zone = 'UTC+8 · Asia/Shanghai'
    await page.getByText(zone, { exact: true }).waitFor()
    await page.emulateMedia({ media: 'print' })
    await expect.poll(() => page.getByText(zone).filter({ visible: true }).count()).toBe(1)
    await page.emulateMedia({ media: null })
    await page.evaluate(() => localStorage.removeItem('time-zone'))
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given single entries, when their references are clicked, then each leads to its cause',
  async () => {
    const lines = `/audit/statement?user=${annId}&group=none`
    const line = (words: string) =>
      page
        .getByRole('table', { name: t('statement.lines') })
        .locator('tbody tr')
        .filter({ hasText: words })
    await page.goto(lines)
    await line(MODEL).first().getByRole('link').click()
    await page.waitForURL('**/audit/charges/*')
    await page.goto(lines)
    await line(t('statement.kind_redemption')).getByRole('link').click()
    await page.waitForURL('**/redemption?row=*')
    await page.getByRole('complementary').getByText('spring').first().waitFor()
    await page.goto(lines)
    await line(t('statement.kind_grant')).getByRole('link').click()
    await page.waitForURL('**/audit/events/*')
    await page.goto(`/audit/journal?type=QuotaCredited&user=${annId}`)
    await page
      .locator('tbody tr[data-row]')
      .first()
      .getByText(t('audit.type_QuotaCredited'))
      .click()
    const reason = page
      .getByRole('complementary')
      .locator('dl div')
      .filter({ hasText: t('audit.reason') })
    await reason.getByRole('link').click()
    await page.waitForURL('**/redemption?row=*')
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given late charges and refunds, when listed, then badges say of when their usage was',
  async () => {
    const at = new Date(2026, 9, 31, 9, 5).getTime()
    const told = [
      {
        kind: 'usage',
        at: at + 3_600_000,
        late: true,
        says: t('statement.lateOf', { date: '09:05' }),
      },
      {
        kind: 'usage',
        at: at + 3 * 86_400_000,
        late: true,
        says: t('statement.lateOf', { date: '2026-10-31' }),
      },
      {
        kind: 'usage-refund',
        at: at + 86_400_000,
        late: false,
        says: t('statement.serviceOf', { date: '2026-10-31' }),
      },
    ]
    const stopChanging = await changeAnswers(page, '**/api/ledger/statement?*', (text) => {
      const answer = LINES.parse(JSON.parse(text))
      const one = answer.data.lines.find(({ kind }) => kind === 'usage')
      const lines = told.map(({ kind, at: booked, late }, index) => ({
        ...one,
        kind,
        position: index,
        at: booked,
        facts: { ...one?.facts, late, service_at: at },
      }))
      return JSON.stringify({ ...answer, data: { ...answer.data, lines } })
    })
    await page.goto(`/audit/statement?user=${annId}&group=none`)
    const rows = page.getByRole('table', { name: t('statement.lines') }).locator('tbody tr')
    for (const [index, { says }] of told.entries())
      await rows.nth(index).getByText(says, { exact: true }).waitFor()
    await watched.expectAccessible()
    await stopChanging()
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given more lines than a page has, when printed, then all lines and the period are on paper',
  async () => {
    await page.route('**/api/ledger/statement?*', (route) =>
      route.continue({ url: route.request().url().replace('limit=100', 'limit=2') }),
    )
    await page.addInitScript(`print = () => {
      printedRows = document.querySelectorAll('main tbody tr').length
    }`)
    await page.goto(`/audit/statement?user=${annId}&group=none`)
    const rows = page.getByRole('table', { name: t('statement.lines') }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(2)
    await page.emulateMedia({ media: 'print' })
    const missing = page.getByText(t('statement.printedInPart'))
    expect(await missing.isVisible()).toBe(true)
    await page.emulateMedia({ media: 'screen' })
    expect(await missing.isVisible()).toBe(false)
    // A page that failed to load is asked for again.
    await page.route(
      /\/api\/ledger\/statement\?.*after=[^&]/u,
      (route) => route.fulfill({ json: { success: false, message: 'not now' } }),
      { times: 1 },
    )
    await page.getByRole('button', { name: t('statement.more') }).click()
    await page.getByText('not now').waitFor()
    await page.getByRole('button', { name: t('statement.print') }).click()
    // The grant, the redeemed code, and each call.
    await expect
      .poll(() => page.evaluate('typeof printedRows === "undefined" ? null : printedRows'))
      .toBe(CALLS + 2)
    await page.emulateMedia({ media: 'print' })
    expect(await missing.count()).toBe(0)
    await page.getByText(/ to .*, the end not included · \S+/u).waitFor()
    await page.emulateMedia({ media: 'screen' })
    await page.unroute('**/api/ledger/statement?*')
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a statement, when its lines are scrolled, then their headings stay right below the sum',
  async () => {
    await page.goto(`/audit/statement?user=${annId}&group=none`)
    const lines = page.getByRole('table', { name: t('statement.lines') })
    await lines.locator('tbody tr').nth(2).waitFor()
    const whole = page.viewportSize()
    await page.setViewportSize({ width: 1440, height: 320 })
    await lines
      .locator('tbody tr')
      .nth(2)
      .evaluate((row) => row.scrollIntoView())
    const sum = page.getByRole('group', { name: t('statement.sum') })
    const edgeOf = async (part: Locator, edge: 'top' | 'bottom') =>
      Math.round(
        z.number().parse(await part.evaluate((one, at) => one.getBoundingClientRect()[at], edge)),
      )
    // Fractions of a pixel lie under the sum.
    await expect
      .poll(async () =>
        Math.abs((await edgeOf(lines.locator('thead'), 'top')) - (await edgeOf(sum, 'bottom'))),
      )
      .toBeLessThanOrEqual(1)
    expect(await edgeOf(lines.locator('tbody tr').nth(2), 'top')).toBeLessThan(
      await edgeOf(sum, 'bottom'),
    )
    if (whole) await page.setViewportSize(whole)
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a statement, when its holds are shown, then they are lines without debit and credit',
  async () => {
    await page.goto(`/audit/statement?user=${annId}`)
    await page.getByRole('button', { name: t('statement.showHolds') }).click()
    await page.waitForURL(/holds=true/u)
    const rows = page.getByRole('table', { name: t('statement.lines') }).locator('tbody tr')
    const hold = rows.filter({ hasText: t('statement.hold_placed', { amount: '' }).trim() })
    await hold
      .first()
      .getByText(/: \$\d/u)
      .waitFor()
    for (const column of [2, 3]) {
      expect(await hold.first().locator('td').nth(column).textContent()).toBe('')
    }
    await watched.expectAccessible()
    const clear = t('list.clearFilter', { label: t('statement.filter_holds') })
    await page.getByRole('button', { name: clear }).click()
    await expect.poll(() => hold.count()).toBe(0)
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given quota held at a moment or position, when the figure is clicked, then its holds add up to it',
  async () => {
    const lines = await gateway.root.ask(
      'GET',
      `/api/ledger/statement?user_id=${annId}&group=none&holds=true`,
      z.object({
        lines: z.array(
          z.object({ kind: z.string(), at: z.int(), position: z.int(), held_change: z.int() }),
        ),
      }),
    )
    const granted = lines.lines.find(({ kind }) => kind === 'hold')
    if (granted === undefined) throw new Error('nothing was ever held')
    const moment = Math.ceil((granted.at + 1) / 1000)
    await page.goto(`/audit/statement?user=${annId}&start=0&end=${moment}`)
    const held = page
      .locator('dl div')
      .filter({ has: page.getByText(t('statement.held'), { exact: true }) })
      .getByRole('button')
    const holds = page.getByRole('table', { name: t('statement.openHolds') }).locator('tbody tr')
    await held.click()
    await holds.first().waitFor()
    await page.getByLabel(t('statement.position')).fill(String(granted.position))
    await page.keyboard.press('Enter')
    await expect.poll(() => holds.locator('td').last().textContent()).toBe(await held.textContent())
    expect(await holds.count()).toBe(1)
    await watched.expectAccessible()
    await holds.getByRole('link').click()
    await page.waitForURL(`**/audit/events/${granted.position}`)
    // The address is there before the screen: who turns back at once has never left the statement.
    await holds.first().waitFor({ state: 'detached' })
    await page.goBack()
    await held.click()
    await page.getByRole('link', { name: t('statement.holdsOfDay') }).click()
    await page.waitForURL(/holds=true/u)
    const rows = page.getByRole('table', { name: t('statement.lines') }).locator('tbody tr')
    await rows
      .filter({ hasText: t('statement.hold_placed', { amount: '' }).trim() })
      .first()
      .waitFor()
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a user’s own held quota, when the figure is clicked, then its holds stand in the statement',
  async () => {
    const own = await openBeside(page, gateway, { who: ANN, language: 'zh' })
    const [granted] = (
      await gateway.root.ask(
        'GET',
        `/api/ledger/journal?user_id=${annId}&type=QuotaHeld&limit=1`,
        z.object({ lines: z.array(z.object({ position: z.int() })) }),
      )
    ).lines
    const zh = textsOf('zh')
    await own.page.goto('/statement')
    await own.page.getByLabel(zh('statement.position')).fill(String(granted?.position))
    await own.page.keyboard.press('Enter')
    const held = own.page
      .locator('dl div')
      .filter({ has: own.page.getByText(zh('statement.held'), { exact: true }) })
      .getByRole('button')
    await held.click()
    const row = own.page.getByRole('table', { name: zh('statement.openHolds') }).locator('tbody tr')
    await row.getByText('notebook').waitFor()
    expect(await row.getByRole('link').count()).toBe(0)
    expect(await row.locator('td').last().textContent()).toBe(await held.textContent())
    own.expectNoComplaint()
    await own.page.context().close()
  },
  BUSY_MS,
)

test(
  'given an adjustment’s event, when opened, then it says why, by whom and from which balance',
  async () => {
    const ann = { id: annId, username: ANN.username, display_name: 'Ann', group: 'default' }
    const change = { ...ann, quota: 2_500_000, quota_before: 2_000_000, reason: 'an outage' }
    await gateway.root.ask('PUT', '/api/user/', z.unknown(), change)
    const { events } = await gateway.root.ask(
      'GET',
      `/api/ledger/events?stream=account-${annId}&type=QuotaCredited&limit=2`,
      z.object({ events: z.array(z.object({ position: z.int() })).length(2) }),
    )
    const fact = (label: string) =>
      page.locator('dl div').filter({ has: page.getByText(label, { exact: true }) })
    await page.goto(`/audit/events/${events[0]?.position}`)
    expect(await fact(t('events.field_reason')).locator('dd').textContent()).toBe('an outage')
    expect(await fact(t('events.changedBy')).locator('dd').textContent()).toBe('root')
    expect(await fact(t('events.balanceSeen')).locator('dd').textContent()).toContain('4.00')
    const cause = fact(t('events.causation')).locator('dd')
    await watched.expectAccessible()
    // A redeemed code is an event, which the credit came from.
    await page.goto(`/audit/events/${events[1]?.position}`)
    await cause.getByRole('link').click()
    await page.getByRole('heading', { level: 1 }).filter({ hasText: 'redeemed' }).waitFor()
    watched.expectNoComplaint()
  },
  BUSY_MS,
)
