import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { call, CHANNEL_KEY, type SeededProduct, seedAccounts } from './seeded.ts'

/** Every list as a file: `Accept: text/csv` answers all that is filtered, in one call. */
let seeded: SeededProduct
let codes: readonly string[]

beforeAll(async () => {
  seeded = await seedAccounts()
  const { root, ann, admin } = seeded
  const made = await call(seeded, admin, 'POST', '/api/redemption', {
    name: '=1+1',
    quota: 100_000,
    count: 3,
  })
  codes = z.array(z.string()).parse(made.data)
  await call(seeded, ann, 'POST', '/api/user/topup', { key: codes[0] })
  await call(seeded, ann, 'POST', '/api/token', { name: 'second', unlimited_quota: true })
  await call(seeded, root, 'POST', '/api/channel', {
    type: 1,
    name: 'other',
    key: 'sk-another-key',
    models: 'gpt-4o,gpt-4o-mini',
    group: 'default',
  })
}, 60_000)
afterAll(() => seeded.stop(), 30_000)

/** Fields of each line; the texts of this test hold no line breaks. */
async function csvOf(who: 'root' | 'admin' | 'ann', path: string) {
  const answer = await fetch(`${seeded.whole.tollgate.url}${path}`, {
    headers: { ...seeded[who].headers, accept: 'text/csv' },
  })
  const text = Buffer.from(await answer.arrayBuffer()).toString('utf8')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/csv; charset=utf-8',
  ])
  expect(text.startsWith('\uFEFF')).toBe(true)
  const [head = '', ...lines] = text.slice(1).trimEnd().split('\r\n')
  return { text, columns: head.split(','), lines }
}

const LISTS = [
  ['root', '/api/user', 'page_size=1'],
  ['admin', '/api/user/search', 'keyword=ann&page_size=1'],
  ['ann', '/api/token', 'size=1'],
  ['ann', '/api/token/search', 'keyword=sec&token='],
  ['admin', '/api/channel', 'page_size=1'],
  ['admin', '/api/channel/search', 'keyword=oth&group=&model='],
  ['admin', '/api/redemption', 'page_size=1'],
  ['admin', '/api/redemption/search', 'keyword=&user_id=0&page_size=1'],
  ['admin', '/api/log', 'type=2&page_size=1'],
  ['ann', '/api/log/self', 'type=2&page_size=1'],
] as const

const nameOf = ({ method, path }: ApiRoute): string => `${method} ${path.replace(/\/$/, '')}`

/** Postings have no id of their own, and are read by position instead of in pages. */
const JOURNAL = '/api/ledger/journal'

test('given the routes, when those with a file are looked for, then they are the lists below', () => {
  const exported = seeded.whole.tollgate.routes.filter(({ csv }) => csv !== undefined)
  const listed = [...LISTS.map(([, path]) => path), JOURNAL]
  expect(exported.map(nameOf).toSorted()).toEqual(listed.map((path) => `GET ${path}`).toSorted())
})

test('given the journal, when asked for as CSV, then all its lines are there, whatever limit was asked for', async () => {
  const { columns, lines } = await csvOf('admin', `${JOURNAL}?limit=1`)
  const { data } = await call(seeded, seeded.admin, 'GET', `${JOURNAL}?limit=100`)
  const { lines: all } = z
    .object({ lines: z.array(z.object({ position: z.number() })) })
    .parse(data)
  expect(all.length).toBeGreaterThan(1)
  const at = columns.indexOf('position')
  expect(lines.map((line) => Number(line.split(',')[at]))).toEqual(
    all.map(({ position }) => position),
  )
})

test.each(LISTS)(
  'given %s, when %s?%s is asked for as CSV, then all rows are there, whatever page was asked for, and no key',
  async (who, path, query) => {
    const { text, columns, lines } = await csvOf(who, `${path}?${query}`)
    const all = query.replace(/(page_size|size)=1$/, '$1=100')
    const { data } = await call(seeded, seeded[who], 'GET', `${path}?${all}`)
    const row = z.object({ id: z.number() })
    const items = z.union([z.array(row), z.object({ items: z.array(row) })]).parse(data)
    const ids = (Array.isArray(items) ? items : items.items).map(({ id }) => String(id))
    expect(ids.length).toBeGreaterThan(0)
    expect(columns[0]).toBe('id')
    expect(lines.map((line) => line.split(',')[0])).toEqual(ids)
    expect(text).not.toContain(CHANNEL_KEY)
    expect(text).not.toContain('sk-another-key')
    expect(text).not.toContain(seeded.token.key)
  },
)

test('given a name that is a formula, when exported, then a spreadsheet does not run it', async () => {
  const { text } = await csvOf('admin', '/api/redemption')
  expect(text).toContain(",'=1+1,")
  expect(text).toContain(codes[2])
})

test('given a user’s own log, when exported, then it is theirs, without channels; a user exports no list of administrators', async () => {
  const { columns, lines } = await csvOf('ann', '/api/log/self?username=root')
  const at = (name: string) => columns.indexOf(name)
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) {
    const fields = line.split(',')
    expect([fields[at('username')], fields[at('channel_name')]]).toEqual(['ann', ''])
    expect(fields[at('time')]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
  }
  const refused = await fetch(`${seeded.whole.tollgate.url}/api/log`, {
    headers: { ...seeded.ann.headers, accept: 'text/csv' },
  })
  expect(await refused.json()).toMatchObject({ success: false, code: 'role_too_low' })
})
