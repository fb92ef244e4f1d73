import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { logCaughtUp } from '../support/books.ts'
import type { WatchedPage } from '../support/browser/browser.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'
import { quotasIn } from './five-questions.ts'
import { textOf } from './sign-in.ts'
import { openBeside, openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** The balances of all users and all orders in a real browser: as of any moment, filtered, opened, exported. */
let gateway: Gateway
let watched: WatchedPage
let page: Page
let annId: number
const t = textsOf('en')
const GRANTED = 1_500_000
const MODEL = 'gpt-4o-mini'
const ANN = { username: 'ann', password: 'long-enough-2' } as const
const BUSY_MS = 180_000
const PAYMENT = {
  ServerAddress: 'https://gate.example',
  PayAddress: 'https://pay.example',
  EpayId: '1001',
  EpayKey: 'epay-secret',
  Price: '7.3',
} as const

beforeAll(async () => {
  gateway = await startGateway({ models: [MODEL] })
  for (const [key, value] of Object.entries(PAYMENT)) await gateway.root.setOption(key, value)
  const ann = await gateway.root.addUser(ANN.username, ANN.password, GRANTED)
  annId = ann.userId
  const { key } = await ann.createToken({ name: 'notebook' })
  await gateway
    .openai(key)
    .chat.completions.create({ model: MODEL, messages: [{ role: 'user', content: 'hello' }] })
  await logCaughtUp(gateway.product, ann)
  for (const [amount, method] of [
    [10, 'zfb'],
    [3, 'wx'],
  ] as const)
    await ann.fetch('POST', '/api/user/pay', { amount, payment_method: method })
  const orders = z.object({ total: z.number() })
  await until(
    'both orders are listed',
    async () => (await gateway.root.ask('GET', '/api/ledger/top-ups', orders)).total === 2,
  )
  watched = await openSignedIn(gateway, { language: 'en' })
  page = watched.page
})
afterAll(() => stopAll(page, gateway))

const rows = () => page.locator('tbody tr[data-row]')
const annRow = () => rows().filter({ hasText: ANN.username })
const total = async (): Promise<number> => {
  const text = await page.getByRole('definition').first().textContent()
  return quotasIn(text ?? '')[0] ?? -1
}

/** The sum of what was granted and charged up to a position, by the events alone. */
async function postedBy(position: number): Promise<number> {
  const found = await gateway.product.query(`
    select coalesce(sum(case type when 'QuotaCredited' then 1 when 'UsageCharged' then -1 else 0 end
      * (data::jsonb->>'amount')::bigint), 0)::text as posted
    from ledger.events where stream like 'account-%' and position <= ${position}`)
  const [row] = z.array(z.object({ posted: z.coerce.number() })).parse(found)
  return row?.posted ?? -1
}

async function firstChargeAt(): Promise<number> {
  const found = await gateway.product.query(
    `select position from ledger.events where type = 'UsageCharged' order by position limit 1`,
  )
  const [row] = z.array(z.object({ position: z.coerce.number() })).parse(found)
  return row?.position ?? -1
}

test(
  'given all balances, when asked as of now and as of a position, then totals are what the events say',
  async () => {
    await page.goto('/detail')
    await page.getByRole('link', { name: t('place.balances'), exact: true }).click()
    await page.waitForURL('**/audit/balances')
    await annRow().waitFor()
    await expect.poll(total).toBe(await postedBy(Number.MAX_SAFE_INTEGER))
    await watched.expectAccessible()
    const before = (await firstChargeAt()) - 1
    await page.getByRole('button', { name: t('audit.asOfPosition') }).click()
    await page.getByRole('textbox', { name: t('audit.asOfPosition') }).fill(String(before))
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/audit/balances?position=${before}`)
    await expect.poll(total).toBe(await postedBy(before))
    await annRow().getByRole('link', { name: '3.000000' }).waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: t('list.export') }).click()
    expect(await textOf(await saved)).toContain(`${annId},ann,${GRANTED},`)
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a moment before everything, when chosen, then it replaces the position and lists no account',
  async () => {
    await page.goto(`/audit/balances?position=${(await firstChargeAt()) - 1}`)
    await annRow().waitFor()
    await page.getByRole('button', { name: t('audit.asOfMoment'), exact: true }).click()
    const field = page.getByRole('textbox', { name: t('audit.asOfMoment'), exact: true })
    await field.fill('yesterday')
    await page.keyboard.press('Enter')
    await page
      .getByRole('alert')
      .filter({ hasText: t('list.notAMoment') })
      .waitFor()
    await watched.expectAccessible()
    await field.fill('2020-01-02 03:04:05')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/audit\/balances\?moment=\d+$/u)
    await expect.poll(total).toBe(0)
    await page.getByText(t('audit.isFinal')).waitFor()
    await page.getByText(t('audit.balancesNone')).waitFor()
    await page.goto('/audit/balances')
    await annRow().getByRole('link').first().click()
    await page.waitForURL(`**/audit/statement?*user=${annId}*`)
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given all orders, when filtered and opened, then each explains its price and leads to its events',
  async () => {
    await page.goto('/detail')
    await page.getByRole('link', { name: t('place.orders'), exact: true }).click()
    await page.waitForURL('**/audit/orders')
    await expect.poll(() => rows().count()).toBe(2)
    await watched.expectAccessible()
    await rows()
      .filter({ hasText: t('orders.wx') })
      .getByText('21.90')
      .click()
    const panel = page.getByRole('complementary').filter({ hasText: t('orders.unitPrice') })
    await panel.getByText(t('orders.unit_usd', { amount: '3' })).waitFor()
    await panel.getByText(t('orders.status_pending')).waitFor()
    await watched.expectAccessible()
    await panel.getByRole('link', { name: t('ledger.events') }).click()
    await page.waitForURL('**/audit/events?*stream=topup-*')
    await rows().filter({ hasText: 'TopUpRequested' }).waitFor()
    await page.goto('/audit/orders?status=paid')
    await page.getByText(t('orders.noneFound')).waitFor()
    const saved = page.waitForEvent('download')
    await page.goto(`/audit/orders?user=${annId}`)
    await expect.poll(() => rows().count()).toBe(2)
    await page.getByRole('button', { name: t('list.export') }).click()
    expect((await textOf(await saved)).trim().split('\n')).toHaveLength(3)
    watched.expectNoComplaint()
  },
  BUSY_MS,
)

test(
  'given a phone in Chinese and dark, when both screens open, then all fits and axe finds nothing',
  async () => {
    const phone = await openBeside(page, gateway, { language: 'zh', theme: 'dark', width: 390 })
    for (const path of ['/audit/balances', '/audit/balances?moment=4102444800', '/audit/orders']) {
      await phone.page.goto(path)
      await phone.page.locator('[data-row]').first().waitFor()
      await phone.expectAccessible()
      expect(
        await phone.page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        ),
      ).toBe(0)
    }
    phone.expectNoComplaint()
    await phone.page.context().close()
  },
  BUSY_MS,
)
