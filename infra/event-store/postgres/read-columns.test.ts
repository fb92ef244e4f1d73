import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import { type ColumnPage, columnsOf, NO_WORD } from '@tollgate/domain/event-columns.ts'
import { type EventStore, StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import { REPLAYED_WITH_PRICES as WANTED } from '@tollgate/projections/replays/replayed-events.ts'
import {
  forgedEvent,
  type PostgresAuditedLog,
  postgresAuditedLog,
  strangeEvent,
} from '@tollgate/tests/support/histories/audited-log.ts'
import { randomHistory } from '@tollgate/tests/support/histories/ledger-history.ts'
import { testClock } from '@tollgate/tests/support/projection-log.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPool } from '../../postgres/pool.ts'
import { systemRandomness } from '../../processes/runtime.ts'
import { setAside } from '../../set-aside/set-aside.ts'
import { copyOut } from './copy-out.ts'

let log: PostgresAuditedLog
beforeEach(async () => {
  log = await postgresAuditedLog()
})
afterEach(() => log.close())

const { events } = randomHistory({ seed: 5, steps: 500 })

async function appendHistory(): Promise<void> {
  for (const { stream, event } of events) await log.append(stream, event)
}

/** The rows of a page's tables, as texts. */
const rowsOf = ({ tables, words }: ColumnPage): readonly string[] =>
  tables.flatMap((table) =>
    Array.from({ length: table.count }, (_, row) =>
      JSON.stringify([
        table.type,
        table.positions[row],
        table.streams[row],
        table.numbers.map((column) => column[row]),
        table.words.map((column) => {
          const word = column[row] ?? NO_WORD
          return word === NO_WORD ? null : words[word]
        }),
      ]),
    ),
  )

async function columns(store: EventStore, limit: number, after: Position = LOG_START) {
  const rows: string[] = []
  for (let position = after; ;) {
    const page = await store.readColumns?.(position, WANTED, limit)
    if (page === undefined) throw new Error('no columns')
    if (page.events === 0) return rows.toSorted()
    rows.push(...rowsOf(page))
    position = page.position
  }
}

async function bare(store: EventStore, after: Position = LOG_START) {
  const { streamPrefixes, members } = WANTED
  const filter = { streamPrefixes, types: Object.keys(members) }
  const found = (await store.readBare?.(after, filter, 10_000)) ?? []
  return rowsOf(columnsOf(found, WANTED, 0)).toSorted()
}

test('given a history, when read as columns from any place, then they are what its events hold', async () => {
  await appendHistory()
  const rows = await bare(log.openAgain())
  expect(rows.length).toBeGreaterThan(100)
  for (const limit of [7, 100, 10_000]) expect(await columns(log.openAgain(), limit)).toEqual(rows)
  const middle = Math.floor(events.length / 2)
  expect(await columns(log.openAgain(), 50, middle)).toEqual(await bare(log.openAgain(), middle))
  // Once more by the same store, to which the streams are known.
  const store = log.openAgain()
  expect(await columns(store, 100)).toEqual(await columns(store, 30))
})

const charged = events.find(({ event }) => event.type === 'UsageCharged')
if (charged === undefined) throw new Error('a history without charges')

test('given events of another client, when read as columns, then they are left out and noted', async () => {
  await appendHistory()
  const rows = await bare(log.openAgain())
  await log.forge(charged.stream, forgedEvent(charged.stream, charged.event))
  await log.forge('account-1', strangeEvent())
  const store = log.openAgain()
  expect(await columns(store, 100)).toEqual(rows)
  expect(store.foreignEvents?.()).toEqual(
    expect.arrayContaining([expect.objectContaining({ stream: charged.stream })]),
  )
})

test('given events that were set aside, when read as columns, then those behind them count again', async () => {
  await appendHistory()
  await log.forge(charged.stream, forgedEvent(charged.stream, charged.event))
  const [place] = await foreignOf(log.openAgain())
  if (place === undefined) throw new Error('nothing foreign')
  const engines = { store: log.openAgain(), clock: testClock, randomness: systemRandomness }
  await setAside(engines, place, 'not ours')
  const store = log.openAgain()
  expect(await columns(store, 100)).toEqual(await bare(log.openAgain()))
  expect(store.foreignEvents?.()).toEqual([])
})

async function foreignOf(store: EventStore) {
  await columns(store, 1_000)
  return store.foreignEvents?.() ?? []
}

test.each([false, true])(
  'given rows larger than a read, read buffers %s, when copied out, then each comes whole',
  async (hasReadBuffers) => {
    const { url } = log.database
    const pool = openPool(url, { max: 1, applicationName: 'copied', hasReadBuffers })
    const sizes = [1, 200_000, 70_000, 3, 1_000_000, 0]
    const values = sizes.map((size) => `(${size})`).join(', ')
    const query = `select repeat('x', size) as text from (values ${values}) as t (size)`
    for (let times = 0; times < 2; times += 1) {
      const found: number[] = []
      await copyOut(pool, query, (bytes, from, to) => {
        expect(bytes.subarray(from + 4, to).every((byte) => byte === 0x78)).toBe(true)
        found.push(bytes.readInt32BE(from))
      })
      expect(found).toEqual(sizes)
      // The same connection, read by pg.
      const { rows } = await pool.query<{ text: string }>(query)
      expect(rows.map(({ text }) => text)).toEqual(sizes.map((size) => 'x'.repeat(size)))
    }
    await pool.end()
  },
)

test('given a page at hand, when the next one is read, then the page stays as it was', async () => {
  await appendHistory()
  const store = log.openAgain()
  const page = await store.readColumns?.(LOG_START, WANTED, 100)
  if (page === undefined) throw new Error('no columns')
  const rows = rowsOf(page)
  expect(rows.length).toBeGreaterThan(3)
  await store.readColumns?.(page.position, WANTED, 100)
  expect(rowsOf(page)).toEqual(rows)
})

test('given a copy that fails or whose rows are refused, when it ends, then the pool goes on', async () => {
  const { pool } = log.database
  const failing = `select 1 / (n - 3) from generate_series(1, 5) as t (n)`
  await expect(copyOut(pool, failing, () => undefined)).rejects.toThrow(StoreUnavailable)
  const refused = copyOut(pool, 'select n from generate_series(1, 5000) as t (n)', () => {
    throw new RangeError('no')
  })
  await expect(refused).rejects.toThrow(new RangeError('no'))
  await copyOut(pool, 'select 1 where false', () => expect.unreachable())
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

test('given a timeout for answers, when a copy is done before it, then its connection stays', async () => {
  const pool = openPool(log.database.url, {
    max: 1,
    applicationName: 'copied',
    answerTimeoutMs: 300,
    isPipelined: true,
  })
  const process = async (): Promise<unknown> =>
    (await pool.query('select pg_backend_pid() as id, pg_sleep(0.1)')).rows
  await copyOut(pool, 'select 1', () => undefined)
  const first = await process()
  for (let passed = 0; passed < 4; passed += 1) expect(await process()).toEqual(first)
  await expect(copyOut(pool, 'select pg_sleep(5)', () => undefined)).rejects.toThrow(
    StoreUnavailable,
  )
  expect(await process()).not.toEqual(first)
  await pool.end()
})
