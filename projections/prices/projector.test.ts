import { SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { decideSettings, evolveSettings } from '@tollgate/domain/settings/decider.ts'
import type { SettingsCommand } from '@tollgate/domain/settings/decider.ts'
import type { SettingsEvent } from '@tollgate/domain/settings/events.ts'
import { NO_SETTINGS, type SettingsState } from '@tollgate/domain/settings/state.ts'
import { chargeAt } from '@tollgate/tests/support/histories/charge-history.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { reconcile } from '../audit/reconcile.ts'
import { loadDirectory } from '../directory/queries.ts'
import { readModels } from '../read-models.ts'
import { readBooks } from '../replays/books.ts'
import { pricedBy } from '../usage-log/priced-by.ts'
import { distinctPage, logPage, logStatistics } from '../usage-log/queries.ts'
import { revisionPage } from './queries.ts'
import { priceSteps } from './steps.ts'

let log: ProjectionLog
let state: SettingsState
beforeEach(async () => {
  log = await openProjectionLog()
  state = NO_SETTINGS
})
afterEach(() => log.close())

const T = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000

async function append(...events: readonly SettingsEvent[]): Promise<number> {
  state = events.reduce(evolveSettings, state)
  return log.append(SETTINGS_STREAM, ...events)
}

async function decide(at: number, command: SettingsCommand): Promise<number> {
  const decision = decideSettings(state, command, { at, nextRevision: 0 })
  if (decision.status === 'rejected') throw new Error(decision.rejection.message)
  return append(...decision.events)
}

const revise = (at: number, ratio: number, effectiveAt: number | null = null) =>
  decide(at, {
    type: 'RevisePrices',
    options: { ModelRatio: JSON.stringify({ 'gpt-4o': ratio }) },
    effectiveAt,
    base: null,
    note: null,
  })

/** One charge by each of these revisions. */
async function charge(...revisions: readonly number[]): Promise<void> {
  const books = await readBooks(log.store)
  for (const [index, revision] of revisions.entries()) {
    const event = chargeAt(T + index, `r${index}-${revision}`, books.book(revision), {
      usage: { ...NO_USAGE, textIn: 100 },
    })
    await log.append('account-1', event)
  }
}

test('given a log with and without revisions, when projected, then all of them stand with their charges', async () => {
  const key = 'ModelRatio'
  const old = await append({
    type: 'OptionChanged',
    data: { at: T, key, value: '{"gpt-4o":1}', previous: null, note: null },
  })
  const now = await revise(T + 1, 2)
  const planned = await revise(T + 2, 3, T + HOUR)
  const withdrawn = await revise(T + 3, 9, T + 2 * HOUR)
  await charge(-1, old, old, now)
  await decide(T + 4, { type: 'WithdrawPrices', number: 4 })
  await decide(T + HOUR + 5, { type: 'TakeEffect' })
  await charge(planned)
  const still = await revise(T + HOUR + 6, 5, T + 9 * HOUR)
  await log.project(readModels)

  const rows = await revisionPage(log.reads, { model: '', group: '', before: null }, 10)
  expect(
    rows.map((row) => [row.revision, row.number, row.is_in_force, row.charges, row.in_force_at]),
  ).toEqual([
    [still, 5, false, 0, null],
    [withdrawn, 4, false, 0, null],
    [planned, 3, true, 1, T + HOUR],
    [now, 2, false, 1, T + 1],
    [old, 1, false, 2, T],
  ])
  expect(rows.map(({ withdrawn_at: at }) => at)).toEqual([null, T + 4, null, null, null])
  const steps = await priceSteps(log.reads, 'gpt-4o', 'default')
  expect(steps.map(({ number, input, isPlanned }) => [number, input, isPlanned])).toEqual([
    [0, '1250000', false],
    [1, '1000000', false],
    [2, '2000000', false],
    [3, '3000000', false],
    [5, '5000000', true],
  ])
  expect(steps.every(({ factors }) => factors === null)).toBe(true)
  const directory = await loadDirectory(log.reads)
  expect(directory?.pricingRevision).toBe(planned)
  expect(directory?.plannedPrices).toMatchObject([{ number: 5, revision: still }])
  const { differences, first } = await reconcile({ store: log.store, pool: log.pool })
  expect([differences, first]).toEqual([0, []])
})

test('given charges by revisions, when the log is asked for one, then it has as many as the revision', async () => {
  const first = await revise(T, 2)
  const second = await revise(T + 1, 3)
  await charge(-1, first, second, first, second, second)
  await log.project(readModels)
  const read = async (number: string) => {
    const filter = await pricedBy(log.reads, {}, number)
    if (filter === null) return null
    const all = await logPage(log.reads, filter, 1, 10)
    const { quota } = await logStatistics(log.reads, filter, T)
    const distinct = await distinctPage(log.reads, filter, 1, 10)
    return [all.total, all.rows.map(({ quota }) => quota), quota, distinct.total]
  }
  expect(await read('0')).toEqual([1, [125], 125, 1])
  expect(await read('1')).toEqual([2, [200, 200], 400, 1])
  expect(await read('2')).toEqual([3, [300, 300, 300], 900, 1])
  for (const none of ['3', '-1', 'x', '1.5']) expect(await read(none)).toBeNull()
  const revisions = await revisionPage(log.reads, { model: '', group: '', before: null }, 10)
  for (const { number, charges, quota } of revisions)
    expect(await read(String(number))).toMatchObject([charges, expect.anything(), quota, 1])
})

test('given factors of a model, when they change, then its line has a step with them', async () => {
  const factors = { priority: 2, above: { tokens: 1_000, in: 2, out: 1.5 } }
  const set = (at: number, options: object) =>
    decide(at, {
      type: 'RevisePrices',
      options: { PriceFactors: JSON.stringify(options) },
      effectiveAt: null,
      base: null,
      note: null,
    })
  await revise(T, 1)
  await set(T + 1, { 'gpt-4o': factors, other: { flex: 0.5 } })
  await set(T + 2, { 'gpt-4o': factors })
  await set(T + 3, {})
  await log.project(readModels)
  const steps = await priceSteps(log.reads, 'gpt-4o', 'default')
  const told = { priority: '2', above: { tokens: 1_000, in: '2', out: '1.5' } }
  expect(steps.map((step) => [step.number, step.input, step.factors])).toEqual([
    [0, '1250000', null],
    [1, '1000000', null],
    [2, '1000000', told],
    [4, '1000000', null],
  ])
})
