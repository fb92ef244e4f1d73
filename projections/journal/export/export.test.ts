import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Caller } from '@tollgate/command-api/http-contract/api-route.ts'
import { askRoute } from '@tollgate/tests/support/ask-route.ts'
import { randomHistory } from '@tollgate/tests/support/histories/ledger-history.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { unzip } from '@tollgate/tests/support/unzip.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { openArchives } from '../../archive/archives.ts'
import { journal } from '../projector.ts'
import { journalRoutes } from '../routes.ts'
import { journalExportRoute } from './export-route.ts'

const HOUR_MS = 3_600_000

let log: ProjectionLog
let isComplete = false
const times: number[] = []
/** Long after all of it. */
const clock = { now: () => Date.UTC(2027, 0, 1) }

beforeAll(async () => {
  log = await openProjectionLog()
  const from = Date.UTC(2026, 8, 20)
  const history = randomHistory({ seed: 11, steps: 1_500, users: 3, from, stepMs: HOUR_MS })
  for (const { stream, event } of history.events) {
    times.push(event.data.at)
    await log.append(stream, event)
  }
  await log.project([journal])
})
afterAll(() => log.close())

const root: Caller = { userId: 1, username: 'root', role: 100, group: 'default', sessionId: null }
const named = async <Id>(ids: readonly Id[]): Promise<ReadonlyMap<Id, string>> =>
  new Map(ids.map((id) => [id, `=name "${String(id)}",\nof it`]))
const routes = () => {
  const names = { users: named, tokens: named, channels: named, notes: named }
  const deps = { reads: log.reads, names, clock, isComplete: async () => isComplete }
  return [...journalRoutes(deps), journalExportRoute(deps, openArchives(log.reads))]
}

const fileSchema = z.object({
  name: z.string(),
  bytes: z.int(),
  sha256: z.string(),
  rows: z.int(),
  debits: z.string(),
  credits: z.string(),
})
const manifestSchema = z.looseObject({ files: z.array(fileSchema), final: z.boolean() })
const LINES = z.object({ lines: z.array(z.looseObject({ amount: z.int() })) })
const TOTALS = z.object({
  amount: z.string(),
  debits: z.string().nullable(),
  credits: z.string().nullable(),
  postings: z.int().nullable(),
})

async function ask(path: string, asked = routes()): Promise<Readable> {
  const reply = await askRoute(asked, path, root)
  if (!(reply.whole instanceof Readable)) throw new Error(reply.message)
  return reply.whole
}

async function exportOf(query: string) {
  const files = await unzip(await buffer(await ask(`/api/ledger/journal/export?${query}`)))
  return { files, manifest: manifestSchema.parse(JSON.parse(files.get('manifest.json') ?? '')) }
}

const dataOf = async (path: string): Promise<unknown> =>
  (await askRoute(routes(), `/api/ledger/journal${path}`, root)).data

test.each([
  ['', { account: null, user_id: null }],
  ['account=wallet', { account: 'wallet', user_id: null }],
  ['account=held:2&type=UsageCharged', { account: 'held', user_id: 2, type: 'UsageCharged' }],
  ['user_id=1&min=2&max=100000&from_position=10', { min: 2, max: 100_000, from_position: 10 }],
])(
  'given the filter %s, when exported, then manifest, totals and files are those of the journal',
  async (filter, told) => {
    const { files, manifest } = await exportOf(`${filter}&format=jsonl,csv`)
    const { lines: wanted } = LINES.parse(await dataOf(`?limit=1000&${filter}`))
    const totals = TOTALS.parse(await dataOf(`/totals?${filter}`))
    expect([...files.keys()]).toEqual(['journal.csv', 'journal.jsonl', 'manifest.json'])
    expect(manifest).toMatchObject({ version: 1, from: null, to: null, filter: told, totals })
    const lines = (files.get('journal.jsonl') ?? '')
      .trimEnd()
      .split('\n')
      .map((line) => LINES.shape.lines.element.parse(JSON.parse(line)))
    expect(lines.length).toBeGreaterThan(10)
    const shown = wanted.map(({ before: _before, after, ...line }) =>
      Object.assign(line, after, { time: new Date(Number(line['at'])).toISOString() }),
    )
    expect(lines.slice(0, shown.length)).toEqual(shown)
    const sum = String(lines.reduce((total, { amount }) => total + BigInt(amount), 0n))
    expect(totals.amount).toBe(sum)
    for (const { name, bytes, sha256, rows, debits, credits } of manifest.files) {
      const content = Buffer.from(files.get(name) ?? '')
      expect([name, bytes, sha256, rows]).toEqual([
        name,
        content.length,
        createHash('sha256').update(content).digest('hex'),
        lines.length,
      ])
      expect([debits, credits]).toEqual([totals.debits ?? sum, totals.credits ?? sum])
    }
    const csv = files.get('journal.csv') ?? ''
    expect(csv.startsWith('\uFEFFposition,line,time,')).toBe(true)
    expect(
      csv
        .replaceAll(/"(?:[^"]|"")*"/g, '"')
        .trimEnd()
        .split('\r\n'),
    ).toHaveLength(lines.length + 1)
  },
)

test('given a journal of more than one batch, when all is exported, then each posting is there once', async () => {
  const { files } = await exportOf('format=jsonl')
  const places = (files.get('journal.jsonl') ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => z.object({ position: z.int(), line: z.int() }).parse(JSON.parse(line)))
    .map(({ position, line }) => `${position}:${line}`)
  const { rows } = await log.pool.query<{ place: string }>(
    `select position || ':' || line as place from journal.postings
     order by position desc, line desc`,
  )
  expect(rows.length).toBeGreaterThan(1_000)
  expect(places).toEqual(rows.map(({ place }) => place))
})

test('given an end, when exported, then it is final where no event can come before it', async () => {
  const end = Math.max(...times)
  const { rows } = await log.pool.query<{ last: number }>(
    'select max(position) as last from journal.postings',
  )
  const finalOf = async (query: string): Promise<boolean> =>
    (await exportOf(`format=csv&${query}`)).manifest.final
  expect(await finalOf(`to=${end - HOUR_MS}`)).toBe(true)
  expect(await finalOf(`to_position=${rows[0]?.last ?? 0}`)).toBe(true)
  expect(await finalOf(`to_position=${(rows[0]?.last ?? 0) + 1_000}`)).toBe(false)
  expect(await finalOf('')).toBe(false)
  const later = end + 1
  expect(await finalOf(`to=${later}`)).toBe(false)
  isComplete = true
  expect(await finalOf(`to=${later}`)).toBe(true)
  isComplete = false
})

test.each(['format=', 'format=hledger', 'format=csv,csv2'])(
  'given %s, when exported, then it is refused with a reason',
  async (query) => {
    await expect(ask(`/api/ledger/journal/export?${query}`)).rejects.toThrow(/format/)
  },
)

test('given an export under way, when its caller asks for another, then that is refused until it is left', async () => {
  const asked = routes()
  const first = await ask('/api/ledger/journal/export?format=csv', asked)
  await expect(ask('/api/ledger/journal/export?format=csv', asked)).rejects.toThrow(/导出/)
  first.destroy()
  await expect
    .poll(async () =>
      ask('/api/ledger/journal/export?format=csv', asked).then(
        (archive) => archive.destroy() !== null,
        () => false,
      ),
    )
    .toBe(true)
})
