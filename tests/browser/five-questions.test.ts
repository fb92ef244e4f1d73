import type { UsageCharged } from '@tollgate/domain/account/events.ts'
import { amountOf } from '@tollgate/domain/pricing/charge.ts'
import { findPrice, priceBookFrom } from '@tollgate/domain/pricing/price-book.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { logCaughtUp } from '../support/books.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'
import {
  type Answered,
  type Asker,
  whatAtOtherPrices,
  whatOf,
  whatThen,
  whereFrom,
  whoAndWhy,
} from './five-questions.ts'
import { openBeside, openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Five questions that the audit is for: three clicks from the dashboard lead to each answer, which SQL gives, too. */
let gateway: Gateway
let page: Page
let annId: number
/** Between what was granted and what came after. */
let then: number
const MODEL = 'gpt-4o-mini'
const QUOTA_OF_A_DOLLAR = 500_000
const ANN = { username: 'ann', password: 'long-enough-2' } as const
const WHY = 'an outage in spring'
const RATIOS = JSON.stringify({ [MODEL]: 75 })
const CLICKS_MAX = 3
const BUSY_MS = 180_000
const LANGUAGES = ['en', 'zh'] as const

beforeAll(async () => {
  gateway = await startGateway({ models: [MODEL] })
  const { root } = gateway
  const ann = await root.addUser(ANN.username, ANN.password, 1_500_000)
  annId = ann.userId
  const { key } = await ann.createToken({ name: 'notebook' })
  const granted = Math.ceil(Date.now() / 1000) + 1
  await until('the second is over', async () => Date.now() > granted * 1000)
  then = granted
  const more = { id: annId, username: ANN.username, display_name: 'Ann', group: 'default' }
  const change = { ...more, quota: 1_700_000, quota_before: 1_500_000, reason: WHY }
  await root.ask('PUT', '/api/user/', z.unknown(), change)
  for (let call = 0; call < 3; call += 1)
    await gateway
      .openai(key)
      .chat.completions.create({ model: MODEL, messages: [{ role: 'user', content: 'hello' }] })
  await logCaughtUp(gateway.product, ann)
  await root.setOption('ModelRatio', RATIOS)
  ;({ page } = await openSignedIn(gateway, { language: 'en' }))
}, 240_000)
afterAll(() => stopAll(page, gateway))

/** An account's balance of what is dated before a moment, and what made it, by the events alone. */
async function sumsBefore(moment: number) {
  const rows = await gateway.product.query(`
    with moves as (
      select type, (data::jsonb->>'amount')::bigint as amount from ledger.events
      where stream = 'account-${annId}' and (data::jsonb->>'at')::bigint < ${moment}
    ) select
      coalesce(sum(amount) filter (where type = 'QuotaCredited'), 0)::bigint as credits,
      coalesce(sum(amount) filter (where type = 'UsageCharged'), 0)::bigint as charges
    from moves`)
  const [sums] = z
    .array(z.object({ credits: z.coerce.number(), charges: z.coerce.number() }))
    .parse(rows)
  if (sums === undefined) throw new Error('SQL told no sums')
  return sums
}

async function charges(): Promise<readonly UsageCharged['data'][]> {
  const rows = await gateway.product.query(
    `select data from ledger.events where type = 'UsageCharged' order by position`,
  )
  return z
    .array(z.object({ data: z.string() }))
    .parse(rows)
    .map(({ data }) => JSON.parse(data) as UsageCharged['data'])
}

const total = (amounts: readonly number[]): number =>
  amounts.reduce((sum, amount) => sum + amount, 0)

const two = (value: number): string => String(value).padStart(2, '0')

/** A second as the console writes it, in the zone of machine and browser. */
function written(seconds: number): string {
  const at = new Date(seconds * 1000)
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

function answerOf<Answer>({ clicks, answer }: Answered<Answer>): Answer {
  expect(clicks).toBeLessThanOrEqual(CLICKS_MAX)
  return answer
}

const LATER = 4_000_000_000_000

test.for(LANGUAGES)(
  'given an operator, when they ask the five questions in %s, then three clicks each answer by events',
  { timeout: BUSY_MS },
  async (language) => {
    const own = await openBeside(page, gateway, { language })
    await own.page.goto('/token')
    const asker: Asker = { page: own.page, t: textsOf(language) }
    const all = await sumsBefore(LATER)

    const sum = answerOf(await whereFrom(asker, ANN.username))
    expect(sum.closing).toBe(all.credits - all.charges)
    expect(sum.opening + sum.credits - sum.charges + sum.refunds).toBe(sum.closing)

    const past = answerOf(await whatThen(asker, ANN.username, written(then)))
    const wanted = await sumsBefore(then * 1000)
    expect(past).toBe(wanted.credits - wanted.charges)
    expect(past).not.toBe(sum.closing)

    const lines = answerOf(await whoAndWhy(asker, ANN.username))
    expect(lines.find((line) => line.includes(WHY))).toContain('root')

    const booked = await charges()
    const explained = answerOf(await whatOf(asker, ANN.username))
    const charge = booked.find(({ request }) => request.id === explained.requestId)
    expect(charge).toBeDefined()
    expect(explained.text).toMatch(/\$\d+\.\d+ \/ 1M tokens/u)
    const currency = `$${((charge?.amount ?? 0) / QUOTA_OF_A_DOLLAR).toFixed(6)}`
    const quota = String(charge?.amount)
    expect(explained.text).toContain(asker.t('log.charged', { quota, currency }))
    expect(explained.equal).toBe(3)

    const tomorrow = written(Date.now() / 1000 + 86_400)
    const costs = answerOf(await whatAtOtherPrices(asker, `dearer ${language}`, tomorrow))
    const book = priceBookFrom(optionsFrom([['ModelRatio', RATIOS]]), -1)
    const byHand = booked.map(({ request: { model, group, usage } }) => {
      const found = findPrice(book, { model, group, acceptsUnsetRatio: false })
      return found.status === 'priced' ? amountOf(found.price, usage) : 0
    })
    expect(costs.charged).toBe(total(booked.map(({ amount }) => amount)))
    expect(costs.repriced).toBe(total(byHand))
    expect(costs.repriced).toBeGreaterThan(costs.charged)
    own.expectNoComplaint()
    await own.page.context().close()
  },
)
