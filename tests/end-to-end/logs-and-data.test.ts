import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { logCaughtUp } from '../support/books.ts'
import { ConsoleClient } from '../support/console-client.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'

/** The usage log, its statistics, the dashboard's data and the groups, as two users, an admin and a visitor see them. */
let gateway: Gateway
let ann: ConsoleClient
let bob: ConsoleClient
let annsKey: string

const MODELS = ['gpt-4o-mini', 'gpt-4o'] as const

beforeAll(async () => {
  gateway = await startGateway({ models: MODELS })
  ann = await gateway.root.addUser('ann', 'long-enough-2', 50_000_000)
  bob = await gateway.root.addUser('bob', 'long-enough-2', 50_000_000)
  annsKey = await keyOf(ann, 'first')
  const keys = [annsKey, await keyOf(ann, 'second'), await keyOf(bob, 'first')]
  for (const model of MODELS) {
    for (const key of keys) {
      await gateway
        .openai(key)
        .chat.completions.create({ model, messages: [{ role: 'user', content: 'hello' }] })
    }
  }
  await logCaughtUp(gateway.product, ann)
  await logCaughtUp(gateway.product, bob)
})
afterAll(() => gateway.stop())

const keyOf = async (user: ConsoleClient, name: string): Promise<string> =>
  (await user.createToken({ name })).key

const pageOf = z.object({
  items: z.array(
    z.object({
      username: z.string(),
      token_name: z.string(),
      model_name: z.string(),
      channel: z.number(),
      channel_name: z.string(),
      quota: z.number(),
      other: z.string(),
    }),
  ),
  total: z.number(),
})
const all = (query: string) => gateway.root.ask('GET', `/api/log/?type=2&${query}`, pageOf)
const figures = z.object({
  quota: z.number(),
  token: z.number(),
  rpm: z.number(),
  tpm: z.number(),
})

test('given charges of two users, when an admin filters them, then each filter finds what it says', async () => {
  for (const [query, total] of [
    ['', 6],
    ['username=ann', 4],
    ['username=nobody', 0],
    ['token_name=first', 4],
    ['token_name=first&username=bob', 2],
    ['model_name=gpt-4o', 3],
    ['model_name=gpt-4o%25', 6],
    ['group=default', 6],
    ['group=vip', 0],
    ['channel=1', 6],
    ['channel=2', 0],
    ['is_distance=true', 6],
    ['end_timestamp=1', 0],
  ] as const) {
    expect([query, (await all(query)).total]).toEqual([query, total])
  }
  const { items } = await all('username=ann&token_name=second&model_name=gpt-4o')
  expect(items).toMatchObject([{ username: 'ann', token_name: 'second', channel_name: 'steady' }])
  expect(JSON.parse(items[0]?.other ?? '')).toMatchObject({ admin_info: { use_channel: ['1'] } })
})

test('given one’s own log, when it is read and counted, then it is one’s own, without what is the admins’', async () => {
  const rows = await bob.logs({ type: '2', username: 'ann', channel: '9' })
  expect(rows.map(({ token_name: name }) => name)).toEqual(['first', 'first'])
  expect(rows.every(({ id, other }) => id < 1024 && !other.includes('admin_info'))).toBe(true)
  const spent = sumOf(rows, ({ quota }) => quota)
  const tokens = sumOf(rows, (row) => row.prompt_tokens + row.completion_tokens)
  const own = { quota: spent, token: tokens, rpm: 2, tpm: tokens }
  expect(await bob.ask('GET', '/api/log/self/stat?type=1', figures)).toEqual(own)
  expect(await gateway.root.ask('GET', '/api/log/stat?username=bob', figures)).toEqual(own)
  const refused = await bob.send('GET', '/api/log/?p=1')
  expect(refused).toMatchObject({ success: false, message: '无权进行此操作，权限不足' })
})

test('given a key, when a page of another site asks for its log, then it gets just that', async () => {
  const address = `${gateway.product.url}/api/log/token`
  const asked = await fetch(address, {
    method: 'OPTIONS',
    headers: { origin: 'https://a.example' },
  })
  expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
  const answer = await fetch(`${address}?key=sk-${annsKey}`)
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  const { data } = z
    .object({ data: z.array(z.object({ token_name: z.string(), channel_name: z.string() })) })
    .parse(await answer.json())
  expect(data).toEqual(Array.from({ length: 2 }, () => ({ token_name: 'first', channel_name: '' })))
})

test('given the dashboard’s data, when read for all, for one and by oneself, then each adds up to the log', async () => {
  const row = z.object({
    username: z.string(),
    user_id: z.number(),
    model_name: z.string(),
    count: z.number(),
    quota: z.number(),
  })
  const end = Math.floor(Date.now() / 1000) + 3600
  const range = `start_timestamp=${end - 86_400}&end_timestamp=${end}&default_time=day`
  const read = (who: ConsoleClient, path: string) => who.ask('GET', path, z.array(row))
  await until('all charges are in the data', async () => {
    const grouped = await read(gateway.root, `/api/data/?${range}`)
    return sumOf(grouped, ({ count }) => count) === 6
  })
  const grouped = await read(gateway.root, `/api/data/?${range}`)
  expect(new Set(grouped.map(({ username, user_id: id }) => `${username} ${id}`))).toEqual(
    new Set([' 0']),
  )
  const ofBob = await read(gateway.root, `/api/data/?${range}&username=bob`)
  expect(ofBob).toEqual(await read(bob, `/api/data/self?${range}`))
  expect(new Set(ofBob.map(({ username }) => username))).toEqual(new Set(['bob']))
  const spent = sumOf(await bob.logs({ type: '2' }), ({ quota }) => quota)
  expect(sumOf(ofBob, ({ quota }) => quota)).toBe(spent)
  const tooLong = await bob.send('GET', `/api/data/self?start_timestamp=0&end_timestamp=${end}`)
  expect(tooLong).toMatchObject({ success: false, message: '时间跨度不能超过 1 个月' })
})

test('given groups, when visitor, user and admin ask, then each gets those that are for them', async () => {
  await gateway.root.setOption('GroupRatio', '{"default":1,"vip":0.5,"inner":0.1}')
  await gateway.root.setOption('UserUsableGroups', '{"vip":"VIP 分组"}')
  const visitor = new ConsoleClient(gateway.product.url)
  const groups = z.record(z.string(), z.object({ ratio: z.number(), desc: z.string() }))
  const vip = { vip: { ratio: 0.5, desc: 'VIP 分组' } }
  await until('the options are in force', async () => {
    const names = await gateway.root.ask('GET', '/api/group/', z.array(z.string()))
    return names.includes('inner')
  })
  expect(await visitor.ask('GET', '/api/user/groups', groups)).toEqual({
    ...vip,
    default: { ratio: 1, desc: 'default' },
  })
  expect(await ann.ask('GET', '/api/user/self/groups', groups)).toEqual({
    ...vip,
    default: { ratio: 1, desc: '用户分组' },
  })
  const models = await ann.ask('GET', '/api/user/models', z.array(z.string()))
  expect(new Set(models)).toEqual(new Set(MODELS))
  const pricing = z.object({
    usable_group: z.record(z.string(), z.string()),
    group_ratio: z.record(z.string(), z.number()),
  })
  const priced = async (headers: Record<string, string> = {}) =>
    pricing.parse(await (await fetch(`${gateway.product.url}/api/pricing`, { headers })).json())
  expect(await priced()).toEqual({
    usable_group: { vip: 'VIP 分组', '': '用户分组', default: 'default' },
    group_ratio: { default: 1, vip: 0.5 },
  })
})

test('given models that nobody serves, when their ratios of output are asked for, then rules give them', async () => {
  const path = '/api/pricing/completion_ratios?models=o3-of-mine'
  const ratios = await gateway.root.ask('GET', path, z.record(z.string(), z.number()))
  expect(ratios).toMatchObject({ 'gpt-4o': 4, 'claude-2.1': 3, 'o3-of-mine': 4 })
  expect(await ann.send('GET', path)).toMatchObject({ success: false, code: 'role_too_low' })
})

test('given an admin who clears the log, when it is read, then rows are gone and the ledger is whole', async () => {
  const nothing = await gateway.root.send('DELETE', '/api/log/?target_timestamp=0')
  expect(nothing).toMatchObject({ success: false, message: '请选择日志记录时间' })
  const before = await gateway.root.ask('GET', '/api/log/?p=1', z.object({ total: z.number() }))
  const { quota } = await ann.self()
  // All rows are of seconds before this one.
  let now = Math.floor(Date.now() / 1000)
  const newest = (await ann.logs())[0]?.created_at ?? 0
  await until('a second has passed', () => (now = Math.floor(Date.now() / 1000)) > newest)
  const gone = await gateway.root.ask('DELETE', `/api/log/?target_timestamp=${now}`, z.number())
  expect(gone).toBe(before.total)
  // The administrator who cleared it waits for it; by then nobody else sees the rows either.
  expect(await all('')).toEqual({ items: [], total: 0 })
  expect(await ann.logs()).toEqual([])
  expect((await ann.self()).quota).toBe(quota)
})

const sumOf = <Row>(rows: readonly Row[], figure: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + figure(row), 0)
