import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { until } from '../support/processes.ts'
import { call, CHANNEL_KEY, type SeededProduct, seedAccounts } from './seeded.ts'

/** Every list as a file: `Accept: text/csv` answers all that is filtered, in one call. */
const SOME = z.array(z.unknown()).nonempty()
const ROWS_THERE = z.union([SOME, z.object({ items: SOME })])

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
  await call(seeded, ann, 'POST', '/api/user/pay', { amount: 10, payment_method: 'zfb' })
  await call(seeded, ann, 'POST', '/api/token', { name: 'second', unlimited_quota: true })
  await call(seeded, root, 'POST', '/api/channel', {
    type: 1,
    name: 'other',
    key: 'sk-another-key',
    models: 'gpt-4o,gpt-4o-mini',
    group: 'default',
  })
  await call(seeded, ann, 'POST', '/api/replays', { name: 'day', from: 0, to: 86_400_000 })
  // Made beside the calls, which the lists do not wait for.
  for (const path of ['/api/task', '/api/mj', '/api/ledger/notices']) {
    await until(`${path} has a row`, async () => {
      const { data } = await call(seeded, admin, 'GET', path)
      return ROWS_THERE.safeParse(data).success
    })
  }
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
  // The apostrophe that disarms formulas would make a number a text, which a spreadsheet does not add.
  expect(text).not.toMatch(/(^|,)'-?\d+(\.\d+)?(,|\r)/mu)
  const [head = '', ...lines] = text.slice(1).trimEnd().split('\r\n')
  return { text, columns: head.split(','), lines }
}

/** Open holds end by themselves. */
const HOLDS = '/api/ledger/holds'

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
  ['ann', '/api/user/redemptions', 'page_size=1'],
  ['ann', '/api/user/topup/orders', 'status=pending&page_size=1'],
  ['admin', '/api/ledger/top-ups', 'page_size=1'],
  ['admin', '/api/task', 'platform=suno'],
  ['ann', '/api/task/self', 'p=0'],
  ['admin', '/api/mj', 'p=0'],
  ['ann', '/api/mj/self', 'p=0'],
  ['ann', '/api/user/sessions', ''],
  ['admin', '/api/user/:id/sessions', ''],
  ['root', '/api/option/history', 'key=SMTPPort&limit=1'],
  ['root', '/api/option/history', 'key=SMTPPort&newest=true'],
  ['admin', '/api/channel/:id/history', 'limit=1'],
  ['admin', HOLDS, 'page_size=1'],
  ['admin', '/api/ledger/balances', 'page_size=1'],
  ['admin', '/api/ledger/notices', 'page_size=1'],
  ['admin', '/api/audit/trial-balance', ''],
  ['admin', '/api/ledger/events', 'type=QuotaCredited&limit=1'],
  ['admin', '/api/ledger/prices', 'limit=1'],
  ['ann', '/api/replays', 'page_size=1'],
] as const

/** Lists that are no file: each with the reason. */
const NO_FILES: Readonly<Record<string, string>> = {
  'GET /api/channel/models': 'what the product knows, not what it keeps',
  'GET /api/data': 'figures of a dashboard; the log has the rows',
  'GET /api/data/self': 'figures of a dashboard; the log has the rows',
  'GET /api/data/self/top': 'figures of a dashboard; the log has the rows',
  'GET /api/data/top': 'figures of a dashboard; the log has the rows',
  'GET /api/ledger/processes': 'gone when done; one answer has all but the 201st',
  'GET /api/ledger/statement': 'has an export of its own',
  'GET /api/ledger/statement/self': 'has an export of its own',
  'GET /api/log/search': 'the log’s list finds the same and has a file',
  'GET /api/log/self/search': 'the log’s list finds the same and has a file',
  'GET /api/log/token': 'read by a token’s key for other programs',
  'GET /api/option': 'settings, whole in one answer',
  'GET /api/option/defaults': 'what the product comes with, whole in one answer',
  'GET /api/option/secrets': 'whether secrets are set, whole in one answer',
  'GET /api/pricing': 'the public price list, whole in one answer',
  'GET /api/replays/:id/data': 'has an export of its own',
}

const nameOf = ({ method, path }: ApiRoute): string => `${method} ${path.replace(/\/$/, '')}`

/** Postings have no id of their own, and are read by position instead of in pages. */
const JOURNAL = '/api/ledger/journal'

test('given the routes, when those with a file are looked for, then they are the lists below', () => {
  const exported = seeded.whole.tollgate.routes.filter(({ csv }) => csv !== undefined)
  const listed = [...new Set(LISTS.map(([, path]) => path)), JOURNAL]
  expect(exported.map(nameOf).toSorted()).toEqual(listed.map((path) => `GET ${path}`).toSorted())
})

test('given the routes, when one lists rows, then it has a file or is named as one without', () => {
  const lists = seeded.whole.tollgate.routes
    .filter((route) => route.method === 'GET' && isOfRows(route))
    .filter(({ csv }) => csv === undefined)
  expect(lists.map(nameOf).toSorted()).toEqual(Object.keys(NO_FILES).toSorted())
})

const ROWS = z.looseObject({
  type: z.literal('array'),
  items: z.union([
    z.looseObject({ type: z.literal('object') }),
    z.looseObject({ anyOf: z.array(z.unknown()) }),
    z.looseObject({ oneOf: z.array(z.unknown()) }),
  ]),
})
const PAGE = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), z.json()),
})

/** Whether `data` is a list of objects, or a part of one, which says how to go on or how long it is. */
function isOfRows({ answer }: ApiRoute): boolean {
  const data = answer?.data?.['~standard'].jsonSchema.output({ target: 'draft-2020-12' })
  if (ROWS.safeParse(data).success) return true
  const page = PAGE.safeParse(data)
  if (!page.success) return false
  const { properties } = page.data
  const goesOn = ['total', 'next', 'next_before'].some((name) => name in properties)
  return goesOn && Object.values(properties).some((member) => ROWS.safeParse(member).success)
}

test('given the journal, when asked for as CSV, then all lines are there, whatever the limit', async () => {
  const { columns, lines } = await csvOf('admin', `${JOURNAL}?limit=1`)
  const { data } = await call(seeded, seeded.admin, 'GET', `${JOURNAL}?limit=100`)
  const { lines: all } = z
    .object({ lines: z.array(z.object({ position: z.number() })) })
    .parse(data)
  expect(all.length).toBeGreaterThan(1)
  const at = columns.indexOf('position')
  const found = lines.map((line) => Number(line.split(',')[at]))
  // Holds end by themselves: one may have ended between the two answers.
  const known = all.map(({ position }) => position).filter((one) => one <= (found[0] ?? 0))
  expect(found).toEqual(known)
})

const ID = z.union([z.string(), z.number()])
const LIST = z.array(z.unknown())
/** A list, or the page or sheet that it is in. */
const ROWS_OF = z.union([
  LIST,
  z.object({ items: LIST }).transform(({ items }) => items),
  z.object({ events: LIST }).transform(({ events }) => events),
  z.object({ rows: LIST, total: z.unknown() }).transform(({ rows, total }) => [...rows, total]),
])

test.each(LISTS)(
  'given %s, when %s?%s is asked for as CSV, then all rows are there, without keys',
  async (who, path, query) => {
    const id = path.includes('channel') ? seeded.channelId : seeded.ann.id
    const filled = path.replace(':id', String(id))
    const { text, columns, lines } = await csvOf(who, `${filled}?${query}`)
    const all = query.replace(/(page_size|size|limit)=1$/, '$1=100')
    const { data } = await call(seeded, seeded[who], 'GET', `${filled}?${all}`)
    const row = z.record(z.string(), z.unknown())
    const items = ROWS_OF.transform((list) => list.map((one) => row.parse(one))).parse(data)
    const [key = ''] = columns
    const ids = items.map((item) => String(ID.parse(item[key])))
    if (path !== HOLDS) expect(ids.length).toBeGreaterThan(0)
    expect(key).toMatch(/^(?:id|user_id|event_id|trade_no|hold|account|position|revision)$/)
    expect(lines.map((line) => line.split(',')[0])).toEqual(ids)
    expect(text).not.toContain(CHANNEL_KEY)
    expect(text).not.toContain('sk-another-key')
    expect(text).not.toContain(seeded.token.key)
  },
)

test.each([
  ['admin', '/api/channel/999/history', 'record not found'],
  ['admin', '/api/user/1/sessions', '无权获取同级或更高等级用户的信息'],
  ['admin', '/api/ledger/notices?status=lost', '状态只能是 waiting、delivered、given-up、skipped'],
] as const)(
  'given %s, when %s is asked for as CSV, then it is refused as it is without',
  async (who, path, message) => {
    const answer = await fetch(`${seeded.whole.tollgate.url}${path}`, {
      headers: { ...seeded[who].headers, accept: 'text/csv' },
    })
    expect(await answer.json()).toMatchObject({ success: false, message })
  },
)

test('given the files of events and replays, when read, then their times are in RFC 3339', async () => {
  for (const [path, name] of [
    ['/api/ledger/events', 'at'],
    ['/api/ledger/events', 'recorded_at'],
    ['/api/replays', 'created_at'],
  ] as const) {
    const { columns, text } = await csvOf('root', `${path}?type=CodeIssued&correlation_id=`)
    const [, row = ''] = text.split('\r\n')
    expect(row.split(',')[columns.indexOf(name)]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/u)
  }
})

test('given a name that is a formula, when exported, then a spreadsheet does not run it', async () => {
  const { text } = await csvOf('admin', '/api/redemption')
  expect(text).toContain(",'=1+1,")
  expect(text).toContain(codes[2])
})

test('given a user’s own log, when exported, then it has no channels; administrators’ lists are refused', async () => {
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
