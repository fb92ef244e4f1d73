import type { UsageCharged } from '@tollgate/domain/account/events.ts'
import { amountOf } from '@tollgate/domain/pricing/charge.ts'
import { findPrice, priceBookFrom } from '@tollgate/domain/pricing/price-book.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { GoogleGenAI } from '@google/genai'
import { readBooks } from '@tollgate/projections/replays/books.ts'
import { revisionAnswer } from '@tollgate/projections/prices/answers.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { call, chat, type SeededProduct, seedAccounts, MODEL } from '../api/seeded.ts'
import { until } from '../support/processes.ts'
import { startUpstream } from '../support/relay/relay-under-test.ts'

let seeded: SeededProduct
beforeAll(async () => {
  seeded = await seedAccounts()
}, 60_000)
afterAll(() => seeded.stop(), 30_000)

const DAY_MS = 86_400_000
const page = z.object({ items: z.array(revisionAnswer), in_force: z.int() })
const revisions = async () =>
  page.parse((await call(seeded, seeded.admin, 'GET', '/api/ledger/prices')).data)

const save = (body: object) => call(seeded, seeded.root, 'POST', '/api/ledger/prices', body)

async function charges(): Promise<readonly UsageCharged['data'][]> {
  const sql = `select data from ledger.events where type = 'UsageCharged' order by position`
  const { rows } = await seeded.whole.database.pool.query<{ data: string }>(sql)
  return rows.map(({ data }) => JSON.parse(data) as UsageCharged['data'])
}

test('given a plan three seconds ahead, when requests go on, then each is charged by exactly one book', async () => {
  const before = (await revisions()).in_force
  const effectiveAt = Date.now() + 3_000
  const saved = await save({
    options: { ModelRatio: JSON.stringify({ [MODEL]: 40 }) },
    effective_at: effectiveAt,
    base: before,
    note: 'dearer',
  })
  expect(saved).toMatchObject({ success: true, data: { status: 'planned' } })
  const asking = async (): Promise<void> => {
    let startedAt = 0
    while (startedAt < effectiveAt + 500) {
      startedAt = Date.now()
      await chat(seeded)
    }
  }
  await Promise.all([asking(), asking(), asking(), asking()])
  const all = await charges()
  await until('the charges are counted', async () => {
    const { items } = await revisions()
    return items.reduce((sum, one) => sum + one.charges, 0) === all.length
  })
  const { items, in_force: inForce } = await revisions()
  const planned = items.find(({ note }) => note === 'dearer')
  expect(planned).toMatchObject({ number: inForce, status: 'in-force', username: 'root' })
  const books = await readBooks(seeded.whole.tollgate.engines.store)
  for (const { request, amount } of all) {
    const { price, usage, model, group, startedAt, admittedAt } = request
    const isNew = price.bookRevision === planned?.revision
    // Priced between the two: after the request came, before it was admitted.
    if (startedAt >= effectiveAt) expect(isNew).toBe(true)
    if (admittedAt !== null && admittedAt < effectiveAt) expect(isNew).toBe(false)
    const found = findPrice(books.book(price.bookRevision), {
      model,
      group,
      acceptsUnsetRatio: false,
    })
    expect(found.status === 'priced' && amountOf(found.price, usage)).toBe(amount)
  }
  const counted = all.filter(({ request }) => request.price.bookRevision === planned?.revision)
  expect(planned?.charges).toBe(counted.length)
  expect(counted.length).toBeGreaterThan(0)
  expect(counted.length).toBeLessThan(all.length)
}, 60_000)

const previewed = z.object({
  changes: z.array(z.object({ key: z.string(), name: z.string(), to: z.string().nullable() })),
  effect: z.looseObject({
    charges: z.int(),
    quota: z.int(),
    repriced: z.int(),
    is_complete: z.boolean(),
    yesterday: z.looseObject({ from: z.int() }),
  }),
})

test('given a draft, when previewed, then the week costs what pricing each charge by hand gives', async () => {
  const { admin } = seeded
  const options = { ModelRatio: JSON.stringify({ [MODEL]: 7 }), GroupRatio: '{"default":2}' }
  const { in_force: before } = await revisions()
  const { data } = await call(seeded, admin, 'POST', '/api/ledger/prices/preview', { options })
  const { changes, effect } = previewed.parse(data)
  expect(changes).toContainEqual({ key: 'ModelRatio', name: MODEL, to: '7' })
  const book = priceBookFrom(optionsFrom(Object.entries(options)), -1)
  const all = await charges()
  const byHand = all.map(({ request: { model, group, usage } }) => {
    const found = findPrice(book, { model, group, acceptsUnsetRatio: false })
    return found.status === 'priced' ? amountOf(found.price, usage) : 0
  })
  const sum = (amounts: readonly number[]): number => amounts.reduce((so, one) => so + one, 0)
  expect(effect).toMatchObject({
    charges: all.length,
    quota: sum(all.map(({ amount }) => amount)),
    repriced: sum(byHand),
    is_complete: true,
  })
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  expect(effect.yesterday.is_complete).toBe(true)
  // Midnight may have come since the call.
  expect([today - 2 * DAY_MS, today - DAY_MS]).toContain(effect.yesterday.from)
  expect((await revisions()).in_force).toBe(before)
  const nowhere = { options, zone: 'Mars' }
  expect(await call(seeded, admin, 'POST', '/api/ledger/prices/preview', nowhere)).toMatchObject({
    success: false,
    code: 'replay_zone_invalid',
  })
  const refused = { options: { ModelRatio: '{"x":-1}' } }
  expect(await call(seeded, admin, 'POST', '/api/ledger/prices/preview', refused)).toMatchObject({
    success: false,
    code: 'option_entry_negative',
  })
})

test('given revisions, when a model is asked for, then its price is a line of steps, planned ones last', async () => {
  const { admin } = seeded
  const { in_force: base } = await revisions()
  const options = { ModelRatio: JSON.stringify({ [MODEL]: 8, other: 1 }) }
  await save({ options, effective_at: Date.now() + 3_600_000, base })
  const step = z.looseObject({ input: z.string().nullable(), is_planned: z.boolean() })
  const steps = async () => {
    const answered = await call(seeded, admin, 'GET', `/api/ledger/prices/steps?model=${MODEL}`)
    return z
      .object({ steps: z.array(step) })
      .parse(answered.data)
      .steps.map(({ input, is_planned: isPlanned }) => [input, isPlanned])
  }
  await expect.poll(steps).toEqual([
    ['75000', false],
    ['40000000', false],
    ['8000000', true],
  ])
  expect(await call(seeded, admin, 'GET', '/api/ledger/prices/steps')).toMatchObject({
    code: 'price_model_missing',
  })
})

test('given a charge, when worked out again, then its revision says who set the price and from when', async () => {
  const { rows } = await seeded.whole.database.pool.query<{ id: string; times: object }>(
    `select data::jsonb->'request'->>'id' as id, json_build_object(
       'started_at', data::jsonb->'request'->'startedAt', 'admitted_at', data::jsonb->'request'->'admittedAt',
       'ended_at', data::jsonb->'endedAt') as times
     from ledger.events where type = 'UsageCharged' order by position desc limit 1`,
  )
  const path = `/api/ledger/charges/${rows[0]?.id}/recalculation`
  const { items, in_force: inForce } = await revisions()
  const revision = items.find(({ number }) => number === inForce)
  expect(await call(seeded, seeded.admin, 'GET', path)).toMatchObject({
    data: {
      price: { is_equal: true },
      times: rows[0]?.times,
      set_by: {
        position: revision?.revision,
        number: inForce,
        keys: ['ModelRatio'],
        effective_at: revision?.in_force_at,
        actor_name: 'root',
      },
    },
  })
})

const explained = z.object({
  items: z.array(
    z.looseObject({
      quota: z.int(),
      other: z.string().transform(
        (text) =>
          z
            .looseObject({
              explanation: z.object({
                lines: z.array(
                  z.looseObject({ kind: z.string(), pricedAs: z.string().optional() }),
                ),
              }),
            })
            .parse(JSON.parse(text)).explanation.lines,
      ),
    }),
  ),
})

test('given a ratio for pictures, when Google’s SDK has one drawn, then the row says its price', async () => {
  const model = 'gemini-3-pro-image'
  const google = await startUpstream()
  google.behave((response) => {
    const part = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }
    const usageMetadata = {
      promptTokenCount: 10,
      candidatesTokenCount: 1_130,
      candidatesTokensDetails: [
        { modality: 'TEXT', tokenCount: 10 },
        { modality: 'IMAGE', tokenCount: 1_120 },
      ],
    }
    const candidates = [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }]
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ candidates, usageMetadata }))
  })
  const { whole, ann, admin, token } = seeded
  await whole.root.addChannel({
    name: 'painter',
    type: 24,
    key: 'google-key',
    base_url: google.url,
    models: model,
  })
  const client = new GoogleGenAI({
    apiKey: `sk-${token.key}`,
    httpOptions: { baseUrl: whole.tollgate.url },
  })
  const draw = () => client.models.generateContent({ model, contents: 'draw' })
  const own = z.looseObject({ quota: z.int() })
  const balance = async () =>
    own.parse((await call(seeded, ann, 'GET', '/api/user/self')).data).quota
  const priced = async (imageOut: object) => {
    const options = {
      ModelRatio: JSON.stringify({ [MODEL]: 0.075, [model]: 1 }),
      CompletionRatio: JSON.stringify({ [model]: 6 }),
      ImageOutRatio: JSON.stringify(imageOut),
      GroupRatio: '{"default":1}',
    }
    // The list of revisions may be behind the save before.
    const saved = async () =>
      save({ options, effective_at: null, base: (await revisions()).in_force, note: '' })
    await expect.poll(saved).toMatchObject({ success: true })
  }
  const path = `/api/log/?type=2&model_name=${model}`
  const rows = async () => explained.parse((await call(seeded, admin, 'GET', path)).data).items
  try {
    await priced({})
    const before = await balance()
    await draw()
    await priced({ [model]: 60 })
    const answer = await draw()
    expect(answer.usageMetadata?.candidatesTokenCount).toBe(1_130)
    // 10 + 1,130 × 6 as text; 10 + 10 × 6 + 1,120 × 60 by its own ratio.
    await expect.poll(async () => (await rows()).map(({ quota }) => quota)).toEqual([67_270, 6_790])
    const [own, asText] = (await rows()).map(({ other }) =>
      other.find(({ kind }) => kind === 'image-out'),
    )
    expect(own).toMatchObject({ count: 1_120, rate: '60', quota: '67200' })
    expect(own).not.toHaveProperty('pricedAs')
    expect(asText).toMatchObject({ count: 1_120, pricedAs: 'text-out' })
    await expect.poll(balance).toBe(before - 67_270 - 6_790)
  } finally {
    await google.close()
  }
})
