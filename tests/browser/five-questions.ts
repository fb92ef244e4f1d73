import type { Locator, Page } from 'playwright-core'
import type { textsOf } from './texts.ts'

/** Answers of the console to a question: how many clicks it took, and what it says. */
export interface Answered<Answer> {
  readonly clicks: number
  readonly answer: Answer
}

export interface Asker {
  readonly page: Page
  readonly t: ReturnType<typeof textsOf>
}

/** Figures of a statement's band, in quota. */
export interface Sum {
  readonly opening: number
  readonly credits: number
  readonly charges: number
  readonly refunds: number
  readonly closing: number
}

const QUOTA_PER_DOLLAR = 500_000

/** Amounts in dollars with all their digits, as quota. */
export const quotasIn = (text: string): readonly number[] =>
  [...text.matchAll(/\$([\d,]+\.\d+)/gu)].map(([, dollars = '']) =>
    Math.round(Number(dollars.replaceAll(',', '')) * QUOTA_PER_DOLLAR),
  )

/** Begins at the dashboard, as every question does, and counts the clicks from there on. */
async function counting(page: Page): Promise<{ click(on: Locator): Promise<void>; n(): number }> {
  await page.goto('/detail')
  let clicks = 0
  return {
    async click(on) {
      clicks += 1
      await on.click()
    },
    n: () => clicks,
  }
}

/** Opens somebody's statement by the list of users. */
async function toStatement({ page, t }: Asker, username: string) {
  const hand = await counting(page)
  await hand.click(page.getByRole('link', { name: t('place.users'), exact: true }))
  const row = page.locator('tbody tr[data-row]').filter({ hasText: username })
  await hand.click(row.getByRole('link').first())
  await page.waitForURL('**/audit/statement?*')
  return hand
}

const band = ({ page, t }: Asker): Locator => page.getByRole('group', { name: t('statement.sum') })

/** Answers where a balance came from: the sum that proves it. */
export async function whereFrom(asker: Asker, username: string): Promise<Answered<Sum>> {
  const hand = await toStatement(asker, username)
  const figures = quotasIn((await band(asker).textContent()) ?? '')
  const [opening = -1, credits = -1, charges = -1, refunds = -1] = figures
  const closing = figures.at(-1) ?? -1
  return { clicks: hand.n(), answer: { opening, credits, charges, refunds, closing } }
}

/** Answers what a balance was at a moment, which is typed as the page writes moments. */
export async function whatThen(
  asker: Asker,
  username: string,
  moment: string,
): Promise<Answered<number>> {
  const { page, t } = asker
  const hand = await toStatement(asker, username)
  const field = page.getByRole('textbox', { name: t('statement.moment'), exact: true })
  await hand.click(field)
  const balance = page
    .locator('dl div')
    .filter({ hasText: t('statement.posted') })
    .locator('dd')
    .first()
  const shown = balance.filter({ hasText: '$' })
  // The page asks for a moment of its own first: the next answer is the typed one's.
  await shown.waitFor()
  const asked = page.waitForResponse((answer) => answer.url().includes('/api/ledger/balance?'))
  await field.fill(moment)
  await page.keyboard.press('Enter')
  await asked
  await shown.waitFor()
  return { clicks: hand.n(), answer: quotasIn((await balance.textContent()) ?? '')[0] ?? -1 }
}

/** Answers who changed a balance and why: the lines of its credits. */
export async function whoAndWhy(
  asker: Asker,
  username: string,
): Promise<Answered<readonly string[]>> {
  const { page, t } = asker
  const hand = await toStatement(asker, username)
  await hand.click(
    band(asker).getByRole('button', { name: new RegExp(`^${t('statement.credits')}`) }),
  )
  await page.waitForURL('**term=credits**')
  const lines = page.getByRole('table', { name: t('statement.lines') }).locator('tbody tr')
  await lines
    .filter({ hasText: t('statement.kind_grant') })
    .first()
    .waitFor()
  return { clicks: hand.n(), answer: await lines.allTextContents() }
}

/** Answers what the newest charge of somebody consists of: the page that explains it. */
export async function whatOf(
  asker: Asker,
  username: string,
): Promise<
  Answered<{ readonly requestId: string; readonly text: string; readonly equal: number }>
> {
  const { page, t } = asker
  const hand = await counting(page)
  await hand.click(page.getByRole('link', { name: t('place.log'), exact: true }))
  await hand.click(page.locator('tbody tr[data-row]').filter({ hasText: username }).first())
  await hand.click(page.getByRole('link', { name: t('log.explainPage') }))
  await page.waitForURL('**/audit/charges/**')
  const equal = page.getByText(t('charge.equal'), { exact: true })
  await equal.nth(2).waitFor()
  return {
    clicks: hand.n(),
    answer: {
      requestId: page.url().split('/').at(-1) ?? '',
      text: (await page.getByRole('main').textContent()) ?? '',
      equal: await equal.count(),
    },
  }
}

/** Answers what a time would have cost at today's prices: a new replay, which opens by itself. */
export async function whatAtOtherPrices(
  asker: Asker,
  name: string,
  until: string,
): Promise<Answered<{ readonly charged: number; readonly repriced: number }>> {
  const { page, t } = asker
  const hand = await counting(page)
  await hand.click(page.getByRole('link', { name: t('place.replays'), exact: true }))
  await hand.click(page.getByRole('button', { name: t('replays.create') }).first())
  const form = page.getByRole('dialog')
  await form.getByLabel(t('replays.name')).fill(name)
  await form.getByRole('textbox').nth(2).fill(until)
  await hand.click(form.getByRole('button', { name: t('replays.start') }))
  const steps = page.getByRole('list', { name: t('replays.waterfall') })
  const panel = page.getByRole('complementary').filter({ has: page.getByLabel(t('list.details')) })
  await panel.getByText(t('replays.status_done')).waitFor()
  await steps.getByText(t('replays.repriced')).waitFor()
  const [charged = -1] = quotasIn((await steps.getByRole('listitem').first().textContent()) ?? '')
  const [repriced = -1] = quotasIn((await steps.getByRole('listitem').last().textContent()) ?? '')
  return { clicks: hand.n(), answer: { charged, repriced } }
}
