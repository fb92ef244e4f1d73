import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Caller } from '@tollgate/command-api/http-contract/api-route.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import type { SettingsEvent } from '@tollgate/domain/settings/events.ts'
import {
  beanProblems,
  hledgerBalances,
  hledgerProblems,
} from '@tollgate/tests/support/accounting/check-book.ts'
import { askRoute } from '@tollgate/tests/support/ask-route.ts'
import { randomHistory } from '@tollgate/tests/support/histories/ledger-history.ts'
import {
  openProjectionLog,
  type ProjectionLog,
  testClock,
} from '@tollgate/tests/support/projection-log.ts'
import { unzip } from '@tollgate/tests/support/unzip.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { openArchives } from '../../archive/archives.ts'
import { journal } from '../../journal/projector.ts'
import { prices } from '../../prices/projector.ts'
import { lineAnswer, statementAnswer } from '../answers.ts'
import { statementRoutes } from '../routes.ts'
import { exportRoutes } from './export-routes.ts'

const HOUR_MS = 3_600_000
const USERS = 3
const ODD_MODELS = [
  'plain',
  'a "quoted", \\ name',
  'two\nlines\r\n; date: 2020-01-01',
  'x, date: 1999-02-30, date2: no',
  '[2020-01-01=2020-01-02]',
  '模型：名 = 1 QUOTA',
  'llama3:8b  100 EUR',
  '\u0007\u2028 * bell | payee',
  '50% off 🧾',
] as const

/** Changes of QuotaPerUnit: the last is of the next day in Kathmandu. */
const UNITS = [
  [Date.UTC(2026, 9, 10, 1), '400000'],
  [Date.UTC(2026, 9, 10, 2), '300000'],
  [Date.UTC(2026, 9, 10, 20), '700000'],
] as const

let log: ProjectionLog
let [start, end] = [Number.MAX_SAFE_INTEGER, 0]

beforeAll(async () => {
  log = await openProjectionLog()
  const from = Date.UTC(2026, 8, 20)
  const history = randomHistory({ seed: 7, steps: 900, users: USERS, from, stepMs: 3 * HOUR_MS })
  let charges = 0
  for (const { stream, event } of history.events) {
    start = Math.min(start, event.data.at)
    end = Math.max(end, event.data.at)
    if (event.type !== 'UsageCharged') {
      await log.append(stream, event)
      continue
    }
    charges += 1
    const model = ODD_MODELS[charges % ODD_MODELS.length] ?? ''
    const charged = event as Extract<AccountEvent, { type: 'UsageCharged' }>
    const request = { ...charged.data.request, model }
    const renamed: AccountEvent = { ...charged, data: { ...charged.data, request } }
    await log.append(stream, renamed)
  }
  for (const [at, value] of UNITS) {
    const changed: SettingsEvent = {
      type: 'OptionChanged',
      data: { at, key: 'QuotaPerUnit', value, previous: null, note: null },
    }
    await log.append(SETTINGS_STREAM, changed)
  }
  await log.project([journal, prices])
})
afterAll(() => log.close())

const root: Caller = { userId: 1, username: 'root', role: 100, group: 'default', sessionId: null }
const named = async (ids: readonly number[]): Promise<ReadonlyMap<number, string>> =>
  new Map(ids.map((id) => [id, `=name "${id}",\nof it`]))
const nobody = async (): Promise<ReadonlyMap<never, string>> => new Map<never, string>()
const routes = (tokens = named) => {
  const names = { users: nobody, tokens, notes: nobody }
  const deps = {
    reads: log.reads,
    store: log.store,
    clock: testClock,
    names,
    isComplete: async () => false,
  }
  return [...statementRoutes(deps), ...exportRoutes(deps, openArchives(log.reads))]
}

type Query = Readonly<Record<string, string | number>>
const search = (query: Query): string => {
  const written = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) written.set(name, String(value))
  return written.toString()
}

async function ask(path: string, caller = root, asked = routes()): Promise<Readable> {
  const reply = await askRoute(asked, path, caller)
  if (!(reply.whole instanceof Readable)) throw new Error(reply.message)
  return reply.whole
}

const manifestSchema = z.looseObject({
  user_id: z.int(),
  opening: z.int(),
  closing: z.int(),
  held: z.int(),
  affiliate: z.int(),
  complete_to: z.int(),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  zone: z.string(),
  files: z.array(
    z.object({
      name: z.string(),
      bytes: z.int(),
      sha256: z.string(),
      rows: z.int(),
      debits: z.string(),
      credits: z.string(),
    }),
  ),
})

async function exportOf(query: Query) {
  const path = `/api/ledger/statement/export?${search(query)}`
  const files = await unzip(await buffer(await ask(path)))
  const manifest = manifestSchema.parse(JSON.parse(files.get('manifest.json') ?? ''))
  return { files, manifest, text: (name: string): string => files.get(name) ?? '' }
}

const statementOf = async (query: Query) => {
  const reply = await askRoute(routes(), `/api/ledger/statement?${search(query)}`, root)
  return statementAnswer.parse(reply.data)
}

test('given all formats, when exported, then the manifest has each file’s bytes, hash, rows and sums', async () => {
  const query = { user_id: 2, from: start, to: end + 1, zone: 'Asia/Kathmandu' }
  const { files, manifest } = await exportOf({ ...query, format: 'beancount,csv,jsonl,hledger' })
  const names = ['statement.csv', 'statement.jsonl', 'statement.journal', 'statement.beancount']
  expect([...files.keys()]).toEqual([...names, 'manifest.json'])
  expect(manifest.files.map(({ name }) => name)).toEqual(names)
  const {
    lines: _lines,
    next: _next,
    username: _username,
    filter: _filter,
    ...rest
  } = await statementOf({ ...query, limit: 1 })
  const { debits, ...figures } = rest
  const [from, to] = [new Date(start).toISOString(), new Date(end + 1).toISOString()]
  expect(manifest).toMatchObject({ ...figures, from, to, unit: 'QUOTA' })
  for (const { name, bytes, sha256, rows } of manifest.files) {
    const content = Buffer.from(files.get(name) ?? '')
    expect([name, bytes, sha256]).toEqual([
      name,
      content.length,
      createHash('sha256').update(content).digest('hex'),
    ])
    expect(rows).toBeGreaterThan(20)
  }
  const [csv, jsonl] = manifest.files
  expect(csv).toMatchObject({
    debits: String(debits),
    credits: String(figures.credits + figures.refunds),
  })
  expect(jsonl?.rows).toBe(csv?.rows)
})

test('given filters and a grouping, when exported in each format, then the lines are the statement’s', async () => {
  for (const query of [
    { group: 'none', holds: 'true' },
    { group: 'none', term: 'charges', model: ODD_MODELS[1] },
    { group: 'month', term: 'credits' },
    { group: 'token' },
  ]) {
    const asked = { user_id: 1, from: start, to: end + 1, ...query }
    const { text } = await exportOf({ ...asked, format: 'csv,jsonl' })
    const lines = text('statement.jsonl').trimEnd().split('\n')
    const { lines: wanted } = await statementOf({ ...asked, limit: 1_000 })
    expect(lines.map((line) => lineAnswer.parse(JSON.parse(line)))).toEqual(wanted)
    const csv = text('statement.csv')
    expect(csv.startsWith('\uFEFFday,from,to,kind,')).toBe(true)
    const [columns = [], ...records] = csv
      .slice(1)
      .replaceAll(/"(?:[^"]|"")*"/g, '"')
      .trimEnd()
      .split('\r\n')
      .map((record) => record.split(','))
    const figure = (column: string) => records.map((cells) => cells[columns.indexOf(column)])
    expect(figure('debit')).toEqual(wanted.map(({ debit }) => String(debit)))
    expect(figure('unit')).toEqual(wanted.map(() => 'QUOTA'))
  }
})

test.each(['day-model', 'none'])(
  'given odd names, by %s, when books are exported, then hledger and beancount take them strictly',
  async (group) => {
    for (const [user, zone] of [
      [1, 'UTC'],
      [2, 'Asia/Kathmandu'],
      [3, 'America/New_York'],
    ] as const) {
      const [from, to] = [start + 200 * HOUR_MS, end - 100 * HOUR_MS]
      const query = { user_id: user, from, to, zone, group, format: 'hledger,beancount' }
      const { manifest, text } = await exportOf(query)
      const [book, ledger] = [text('statement.journal'), text('statement.beancount')]
      expect([user, await hledgerProblems(book), await beanProblems(ledger)]).toEqual([
        user,
        '',
        '',
      ])
      const balances = await hledgerBalances(book)
      const { held, closing, affiliate } = manifest
      const own = (name: string) =>
        Number((balances.get(`Liabilities:${name}:U${user}`) ?? '0').split(' ')[0])
      expect([own('Wallet'), own('Held'), own('Affiliate')]).toEqual([
        0 - (closing - held),
        0 - held,
        0 - affiliate,
      ])
      const { charges, refunds } = await statementOf({ user_id: user, from, to, limit: 1 })
      expect(balances.get('Income:Usage')).toBe(`${refunds - charges} QUOTA`)
      const [first, second] = manifest.files
      expect(first?.debits).toBe(first?.credits)
      expect(second?.rows).toBe(first?.rows)
    }
  },
)

test.each([
  ['UTC', ['2026-10-05 0.000002', '2026-10-10 0.000001428571428571']],
  [
    'Asia/Kathmandu',
    ['2026-10-05 0.000002', '2026-10-10 0.000003333333333333', '2026-10-11 0.000001428571428571'],
  ],
] as const)(
  'given changes of QuotaPerUnit, when books are exported in %s, then days have their price',
  async (zone, wanted) => {
    const [from, to] = [Date.UTC(2026, 9, 5, 12), Date.UTC(2026, 9, 20)]
    const query = { user_id: 1, from, to, zone, format: 'hledger,beancount' }
    const { text } = await exportOf(query)
    const of = (book: string, pattern: RegExp): readonly string[] =>
      [...book.matchAll(pattern)].map(([, day, usd]) => `${day} ${usd}`)
    expect(of(text('statement.journal'), /^P (\S+) QUOTA (\S+) USD$/gmu)).toEqual(wanted)
    const priced = of(text('statement.beancount'), /^(\S+) price QUOTA (\S+) USD$/gmu)
    expect(priced).toEqual(wanted)
    expect(await hledgerProblems(text('statement.journal'))).toBe('')
    expect(await beanProblems(text('statement.beancount'))).toBe('')
  },
)

test('given a change before the period, when its book is exported, then it begins with that price', async () => {
  const from = Date.UTC(2026, 9, 12)
  const { text } = await exportOf({ user_id: 1, from, to: from + HOUR_MS, format: 'hledger' })
  expect(text('statement.journal')).toContain('P 2026-10-12 QUOTA 0.000001428571428571 USD\n')
})

test('given a book, when an amount in it is altered, then hledger and beancount refuse it', async () => {
  const query = { user_id: 1, from: start, to: end + 1, format: 'hledger,beancount' }
  const { text } = await exportOf(query)
  const altered = (book: string): string => {
    const [one, other] = [/( +Liabilities:Wallet:U1  )(\d+)( QUOTA\n)/, /( +Income:Usage  -)(\d+)/]
    const more = (_: string, before: string, amount: string, after: unknown): string =>
      `${before}${Number(amount) + 1}${typeof after === 'string' ? after : ''}`
    return book.replace(one, more).replace(other, more)
  }
  expect(await hledgerProblems(altered(text('statement.journal')))).toContain('balance assertion')
  expect(await beanProblems(altered(text('statement.beancount')))).toContain('Balance failed')
})

test('given a period without bookings, when its books are exported, then they carry the balance over', async () => {
  for (const [from, to] of [
    [0, start - HOUR_MS],
    [end + HOUR_MS, end + 2 * HOUR_MS],
  ] as const) {
    const query = { user_id: 1, from, to, format: 'csv,jsonl,hledger,beancount' }
    const { manifest, text } = await exportOf(query)
    expect(manifest.opening).toBe(manifest.closing)
    expect(manifest.files.map(({ rows }) => rows)).toEqual([0, 0, 0, 0])
    expect(await hledgerProblems(text('statement.journal'))).toBe('')
    expect(await beanProblems(text('statement.beancount'))).toBe('')
  }
})

test('given a user, when they export their own statement, then it has neither channels nor actors', async () => {
  const caller: Caller = { ...root, userId: 3, role: 1 }
  const archive = await ask(
    '/api/ledger/statement/self/export?format=jsonl&group=none&holds=true',
    caller,
  )
  const files = await unzip(await buffer(archive))
  const lines = (files.get('statement.jsonl') ?? '').trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(20)
  for (const line of lines) {
    expect(lineAnswer.parse(JSON.parse(line))).toMatchObject({ channel: 0, actor: '' })
  }
})

test.each([
  ['format=', /format/],
  ['format=xlsx', /format/],
  ['format=csv,csv2', /format/],
  ['format=hledger&term=charges', /筛选/],
  ['format=csv,beancount&model=x', /筛选/],
  ['format=hledger&group=token', /group/],
  ['format=csv&from=2&to=1', /早于/],
])('given %s, when exported, then it is refused with a reason', async (query, why) => {
  const path = `/api/ledger/statement/export?user_id=1&${query}`
  await expect(ask(path)).rejects.toThrow(why)
})

test('given an export under way, when it is left, then its transaction ends and its caller may ask again', async () => {
  const asked = routes()
  const path = '/api/ledger/statement/export?user_id=1&format=csv'
  const first = await ask(path, root, asked)
  await expect(ask(path, root, asked)).rejects.toThrow(/导出/)
  expect(await openTransactions()).toHaveLength(1)
  first.destroy()
  await expect.poll(openTransactions).toEqual([])
  expect((await unzip(await buffer(await ask(path, root, asked)))).size).toBe(2)
})

test('given an export that its database breaks off, when it is read on, then the archive fails', async () => {
  // Lines wait for their tokens' names: an archive that is made already is whole, and may be read.
  const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const asked = routes((ids) => {
    reached.resolve()
    return held.promise.then(() => named(ids))
  })
  const stream = await ask('/api/ledger/statement/export?user_id=1&format=csv', root, asked)
  await reached.promise
  await log.pool.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [
    await openTransactions(),
  ])
  await expect(buffer(stream)).rejects.toThrow(/terminat|connection|closed/i)
  held.resolve()
})

/** Process ids of the database's other connections that are inside a transaction, asking or not. */
async function openTransactions(): Promise<number[]> {
  const { rows } = await log.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and xact_start is not null
       and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  )
  return rows.map(({ pid }) => pid)
}
