import { Socket } from 'node:net'
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
import { seededChance } from '@tollgate/infra/demo/seeded-chance.ts'
import { Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
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

const charged = events.find(({ event }) => event.type === 'UsageCharged')
if (charged === undefined) throw new Error('a history without charges')

describe.each([0, 2])('given %i threads that read', (threads) => {
  const open = (): PostgresEventStore => log.openAgain(threads)

  test('given a history, when read as columns from any place, then they are what its events hold', async () => {
    await appendHistory()
    const rows = await bare(log.openAgain())
    expect(rows.length).toBeGreaterThan(100)
    for (const limit of [7, 100, 10_000]) expect(await columns(open(), limit)).toEqual(rows)
    const middle = Math.floor(events.length / 2)
    expect(await columns(open(), 50, middle)).toEqual(await bare(log.openAgain(), middle))
    // Once more by the same store, to which the streams are known.
    const store = open()
    expect(await columns(store, 100)).toEqual(await columns(store, 30))
  })

  test('given events of another client, when read as columns, then they are left out and noted', async () => {
    await appendHistory()
    const rows = await bare(log.openAgain())
    await log.forge(charged.stream, forgedEvent(charged.stream, charged.event))
    await log.forge('account-1', strangeEvent())
    const store = open()
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
    const store = open()
    expect(await columns(store, 100)).toEqual(await bare(log.openAgain()))
    expect(store.foreignEvents?.()).toEqual([])
  })

  test('given a page at hand, when the next one is read, then the page stays as it was', async () => {
    await appendHistory()
    const store = open()
    let page = await readColumns(store, LOG_START, 20)
    for (let pages = 0; pages < 10; pages += 1) {
      const rows = rowsOf(page)
      const next = await readColumns(store, page.position, 20)
      expect(rowsOf(page)).toEqual(rows)
      page = next
    }
  })

  test('given a reader who goes to and fro, when read as columns, then each page is what stands there', async () => {
    await appendHistory()
    const rows = await bare(log.openAgain())
    const store = open()
    const chance = seededChance(3)
    for (let jumps = 0; jumps < 60; jumps += 1) {
      const place = Math.floor(chance() * events.length)
      for (const after of [place, place + 20, place + 40]) {
        const page = await readColumns(store, after, chance() < 0.8 ? 20 : 10)
        const isOfPage = (row: string): boolean =>
          positionIn(row) > after && positionIn(row) <= page.position
        expect(rowsOf(page).toSorted()).toEqual(rows.filter(isOfPage))
      }
    }
  })

  test('given a log that grows behind its end, when read on, then what was added comes', async () => {
    const store = open()
    let position = LOG_START
    const rows: string[] = []
    for (let from = 0; from < events.length; from += 60) {
      for (const { stream, event } of events.slice(from, from + 60)) await log.append(stream, event)
      for (;;) {
        const page = await readColumns(store, position, 25)
        if (page.events === 0) break
        rows.push(...rowsOf(page))
        position = page.position
      }
    }
    expect(rows.toSorted()).toEqual(await bare(log.openAgain()))
  })

  test('given a log that grew since a page was read ahead, when it is read, then it is whole', async () => {
    const [first, second] = [events.slice(0, 30), events.slice(30, 90)]
    for (const { stream, event } of first) await log.append(stream, event)
    const store = open()
    const { position } = await readColumns(store, LOG_START, 25)
    for (const { stream, event } of second) await log.append(stream, event)
    expect(await readColumns(store, position, 25)).toMatchObject({ events: 25 })
  })

  test('given connections that break, when read as columns, then it fails and can be read again', async () => {
    await appendHistory()
    const store = open()
    const first = await readColumns(store, LOG_START, 50)
    await log.database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'tollgate-log-reader' and datname = current_database()`,
    )
    let failures = 0
    const read = async (after: Position): Promise<ColumnPage> => {
      for (;;) {
        try {
          return await readColumns(store, after, 50)
        } catch (error) {
          expect(error).toBeInstanceOf(StoreUnavailable)
          failures += 1
          expect(failures).toBeLessThan(20)
        }
      }
    }
    const rows = [...rowsOf(first)]
    for (let { position } = first; ;) {
      const page = await read(position)
      if (page.events === 0) break
      rows.push(...rowsOf(page))
      position = page.position
    }
    expect(rows.toSorted()).toEqual(await bare(log.openAgain()))
  })
})

type PostgresEventStore = ReturnType<PostgresAuditedLog['openAgain']>

async function readColumns(
  store: PostgresEventStore,
  after: Position,
  limit: number,
): Promise<ColumnPage> {
  const page = await store.readColumns?.(after, WANTED, limit)
  if (page === undefined) throw new Error('no columns')
  return page
}

const positionIn = (row: string): Position => (JSON.parse(row) as [string, Position])[1]

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

/** Hands over what it reads in pieces. */
class PieceSocket extends Socket {
  readonly #bytes: number

  constructor(bytes: number) {
    super()
    this.#bytes = bytes
  }

  override push(chunk: Buffer | null): boolean {
    if (chunk === null) return super.push(null)
    let isWanted = true
    for (let from = 0; from < chunk.length; from += this.#bytes) {
      isWanted = super.push(chunk.subarray(from, from + this.#bytes))
    }
    return isWanted
  }
}

test.each([1, 2, 3, 4, 5, 6, 7, 23])(
  'given reads of %i bytes, when rows are copied out, then each comes whole and pg goes on',
  async (bytes) => {
    const { url } = log.database
    const pool = new Pool({
      connectionString: url,
      max: 1,
      stream: () => new PieceSocket(bytes),
    })
    // The database goes while its last session ends.
    pool.on('connect', (client) => client.on('error', () => undefined))
    const sizes = Array.from({ length: 40 }, (_, index) => (index * 7) % 60)
    const values = sizes.map((size) => `(${size})`).join(', ')
    const found: number[] = []
    await copyOut(
      pool,
      `select repeat('x', size) from (values ${values}) as t (size)`,
      (row, from, to) => {
        expect(row.toString('latin1', from + 4, to)).toBe('x'.repeat(row.readInt32BE(from)))
        found.push(row.readInt32BE(from))
      },
    )
    expect(found).toEqual(sizes)
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await pool.end()
  },
)

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
