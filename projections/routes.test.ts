import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { bareAttempt } from '@tollgate/domain/account/request-facts.ts'
import type { DomainEvent } from '@tollgate/domain/event.ts'
import { channelId } from '@tollgate/domain/ids.ts'
import type { ApiReply, Caller } from '@tollgate/command-api/http-contract/api-route.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { askRoute } from '@tollgate/tests/support/ask-route.ts'
import { randomHistory } from '@tollgate/tests/support/histories/ledger-history.ts'
import {
  openProjectionLog,
  type ProjectionLog,
  testClock,
} from '@tollgate/tests/support/projection-log.ts'
import { sql } from 'slonik'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { balancesAsOf } from './journal/queries.ts'
import { findDirectoryToken, loadDirectory } from './directory/queries.ts'
import { readModels } from './read-models.ts'
import { readRoutes } from './routes.ts'
import { sqlFilter } from './usage-log/filter.ts'
import { logPage as pageOfLog, rowsBelow } from './usage-log/queries.ts'
import type { LogRow } from './usage-log/row.ts'

let log: ProjectionLog
let optionTexts: [string, string][] = []
const history = randomHistory({ seed: 42, steps: 300, stepMs: 60_000 })

beforeAll(async () => {
  log = await openProjectionLog()
  const { events } = history
  for (const { stream, event } of events.filter(({ stream }) => stream !== 'settings')) {
    await log.append(stream, event)
  }
  await log.append('relay-failures-r2-2026-11-01', failedInPlayground)
  await log.append(
    'settings',
    changed('RetryTimes', '2'),
    changed('GroupRatio', '{"default":1,"vip":0.5}'),
  )
  await log.project(readModels)
})
afterAll(() => log.close())

const changed = (key: string, value: string): DomainEvent =>
  ({
    type: 'OptionChanged',
    data: { at: 5, key, value, previous: null, note: null },
  }) as DomainEvent

/** A failure of user 2, at a channel that another has replaced since. */
const failedInPlayground = {
  type: 'RequestFailed',
  data: {
    at: 1_700_000_000_000,
    account: 2,
    token: null,
    request: 'request-playground',
    model: 'gpt-4o',
    group: 'vip',
    channel: 3,
    channelType: 14,
    attempts: [bareAttempt(channelId(2)), bareAttempt(channelId(3))],
    stream: true,
    firstByteMs: null,
    durationMs: 1_200,
    status: 503,
    errorType: 'upstream_error',
    errorCode: 'bad_response_status_code',
    message: 'upstream answered 503',
    suppressed: 4,
  },
} as DomainEvent

const nameAll =
  (prefix: string) =>
  async (ids: readonly number[]): Promise<ReadonlyMap<number, string>> =>
    new Map(ids.map((id) => [id, `${prefix}${id}`]))

let isAddressAllowed = true

const routes = () =>
  readRoutes({
    isComplete: async () => true,
    imagesAt: () => null,
    fetchPicture: () => Promise.reject(new Error('nobody is asked')),
    log: { warn() {} },
    reads: log.reads,
    preparedReads: log.reads,
    store: log.store,
    clock: testClock,
    names: {
      users: nameAll('user'),
      tokens: nameAll('token'),
      channels: nameAll('channel'),
      notes: async () => new Map(),
      userIdByName: async (name) => (name.startsWith('user') ? Number(name.slice(4)) : null),
      tokenIdsByName: async (name) => (name.startsWith('token') ? [Number(name.slice(5))] : []),
    },
    secrets: {
      describe: async (ids) =>
        new Map(
          ids.map((id) => [id, { name: `token${id}`, key: `k${id}`, modelList: ['gpt-4o', 'x'] }]),
        ),
      search: async (_user, { key }) => (key === '10' ? [10] : [10, 11, 20]),
    },
    redemptionSecrets: {
      describe: async () => new Map(),
      findByCode: async () => null,
      searchByName: async () => [],
    },
    taskContents: async () => new Map(),
    findTokenByKey: async (key) => ({ k10: { id: 10 }, orphan: { id: 99 } })[key] ?? null,
    isAllowedAddress: () => isAddressAllowed,
    readAddresses: async (lists) => lists,
    searchChannels: async (keyword) => (keyword === 'channel2' ? [2] : []),
    currentOptions: () => optionsFrom(optionTexts),
    modelCatalogue: [{ id: 'gpt-4o', ownedBy: 'openai' }],
    modelsByType: { 1: ['gpt-4o'] },
  })

const root: Caller = { userId: 1, username: 'user1', role: 100, group: 'default', sessionId: null }

const get = (url: string, caller: Caller | null = root): Promise<ApiReply> =>
  askRoute(routes(), url, caller)

const logPage = z.object({
  items: z.array(z.record(z.string(), z.unknown())),
  total: z.number(),
  page: z.number(),
  page_size: z.number(),
})
const rows = z.array(z.record(z.string(), z.unknown()))
const logs = async (url: string, caller = root) => logPage.parse((await get(url, caller)).data)
/** Failures that a row says it stands for besides its own. */
const suppressedOf = (other: unknown): number =>
  z.object({ suppressed: z.int().default(0) }).parse(JSON.parse(String(other))).suppressed
const list = async (url: string, caller = root) => rows.parse((await get(url, caller)).data)

describe('the usage log', () => {
  test('given filters of every kind, when rows are listed and counted, then both agree with the rows', async () => {
    const all = (await logs('/api/log/?page_size=1000')).items
    expect(all.length).toBeGreaterThan(200)
    const first = Number(all.at(-40)?.['created_at'])
    const last = Number(all[40]?.['created_at'])
    const filters: [string, (row: Record<string, unknown>) => boolean][] = [
      ['type=2', (row) => row['type'] === 2],
      ['type=77777', () => false],
      ['username=user2', (row) => row['user_id'] === 2],
      ['token_name=token10', (row) => row['token_id'] === 10],
      ['token_name=nobody', () => false],
      ['token_name=playground-default', (row) => row['token_name'] === 'playground-default'],
      ['token_name=playground-none', () => false],
      [
        `token_name=${encodeURIComponent('模型测试')}`,
        (row) => row['token_name'] === '模型测试' && row['type'] === 2,
      ],
      ['model_name=gpt-4o', (row) => row['model_name'] === 'gpt-4o'],
      ['model_name=gpt-4%25', (row) => String(row['model_name']).startsWith('gpt-4')],
      ['model_name=%25mini', (row) => String(row['model_name']).endsWith('mini')],
      ['channel=2', (row) => row['channel'] === 2],
      ['group=vip', (row) => row['group'] === 'vip'],
      [
        `start_timestamp=${first}&end_timestamp=${last}`,
        (row) => Number(row['created_at']) >= first && Number(row['created_at']) <= last,
      ],
      [
        `type=2&channel=1&start_timestamp=${first}`,
        (row) => row['type'] === 2 && row['channel'] === 1 && Number(row['created_at']) >= first,
      ],
    ]
    for (const [query, fits] of filters) {
      const expected = all.filter(fits)
      const found = await logs(`/api/log/?page_size=1000&${query}`)
      expect([query, found.items]).toEqual([query, expected])
      expect([query, found.total]).toEqual([query, expected.length])
      const quota = expected
        .filter((row) => row['type'] === 2)
        .reduce((sum, row) => sum + Number(row['quota']), 0)
      if (!query.includes('type=77777')) {
        expect([query, (await get(`/api/log/stat?${query}`)).data]).toMatchObject([
          query,
          { quota, rpm: 0 },
        ])
      }
      if (!query.includes('type=')) {
        const failed = expected.filter((row) => row['type'] === 5)
        const count = failed.reduce((sum, { other }) => sum + 1 + suppressedOf(other), 0)
        expect([query, (await get(`/api/log/stat?${query}`)).data]).toMatchObject([
          query,
          { failed: count },
        ])
      }
    }
  })

  test('given pages of ten, when they are turned, then each row is there once, newest first', async () => {
    const all = (await logs('/api/log/?page_size=1000')).items
    const turned: unknown[] = []
    for (let page = 1; turned.length < all.length; page += 1) {
      turned.push(...(await logs(`/api/log/?p=${page}&page_size=10`)).items)
    }
    expect(turned).toEqual(all)
  })

  test('given is_distance, when listed, then the newest of each user, token, model and channel is there', async () => {
    const all = (await logs('/api/log/?page_size=1000')).items
    const seen = new Set<string>()
    const expected = all.filter((row) => {
      const key = [row['user_id'], row['token_id'], row['model_name'], row['channel']].join(' ')
      return !seen.has(key) && seen.add(key)
    })
    const found = await logs('/api/log/?is_distance=1&page_size=1000')
    expect(found.items).toEqual(expected)
    expect(found.total).toBe(expected.length)
    const second = await logs('/api/log/?is_distance=true&page_size=10&p=2')
    expect(second).toMatchObject({ items: expected.slice(10, 20), total: expected.length })
    expect(await logs('/api/log/?is_distance=true&p=999')).toEqual({
      items: [],
      total: expected.length,
      page: 999,
      page_size: 10,
    })
  })

  test.each<[string, { page: number; page_size: number; rows: number }]>([
    ['', { page: 1, page_size: 10, rows: 10 }],
    ['p=0&page_size=0', { page: 1, page_size: 10, rows: 10 }],
    ['p=-3&page_size=-1', { page: 1, page_size: 10, rows: 10 }],
    ['p=NaN&page_size=1.5', { page: 1, page_size: 10, rows: 10 }],
    ['p=2&page_size=20', { page: 2, page_size: 20, rows: 20 }],
    ['page_size=150', { page: 1, page_size: 150, rows: 150 }],
    ['p=2&page_size=10000', { page: 2, page_size: 10_000, rows: 0 }],
    ['p=9999', { page: 9999, page_size: 10, rows: 0 }],
  ])(
    'given the page "%s", when asked for, then sizes and numbers are read leniently',
    async (query, expected) => {
      const { items, page, page_size } = await logs(`/api/log/?${query}`)
      expect({ page, page_size, rows: items.length }).toEqual(expected)
    },
  )

  test('given the log of all, when more is asked for than a page may have, then it says so and is not cut', async () => {
    await expect(get('/api/log/?page_size=10001')).rejects.toThrow(
      '每页最多 10000 条，请减小 page_size 并分页查询',
    )
  })

  test('given one’s own log, when a page over 100 rows is asked for, then it has 100', async () => {
    expect(await logs('/api/log/self?page_size=150')).toMatchObject({ page_size: 100 })
  })

  test('given a consumption row, when an admin reads it, then its charge is explained to the last quota', async () => {
    const [row] = (await logs('/api/log/?type=2&model_name=gpt-4o&page_size=1')).items
    const other = JSON.parse(String(row?.['other'])) as Record<string, unknown>
    expect(row).toMatchObject({
      token_name: expect.stringMatching(/^(token|playground)/),
      username: expect.stringMatching(/^user/),
    })
    expect(row?.['content']).toMatch(/^模型倍率 1\.25，补全倍率 4\.00，分组倍率 1\.00$/)
    expect(other).toMatchObject({
      model_ratio: 1.25,
      group_ratio: 1,
      model_price: -1,
      explanation: { exact: expect.any(String) },
    })
    const { use_channel: path } = other['admin_info'] as { use_channel: readonly string[] }
    expect(path.at(-1)).toBe(String(row?.['channel']))
    const { exact } = other['explanation'] as { exact: string }
    expect(Math.round(Number(exact))).toBe(row?.['quota'])
  })

  test('given one’s own log, when it is read, then others’ rows, channels and true ids are not in it', async () => {
    const caller: Caller = { ...root, userId: 2, username: 'user2', role: 1 }
    const own = await logs('/api/log/self?page_size=100&username=user1&channel=1', caller)
    expect(own.total).toBeGreaterThan(20)
    for (const row of own.items) {
      expect(row).toMatchObject({ user_id: 2, channel_name: '' })
      expect(Number(row['id'])).toBeLessThan(1024)
      expect(row['other']).not.toContain('admin_info')
      expect(row['other']).not.toBe('')
    }
  })

  test('given a failure in the playground, when its log is read, then only admins see its channel', async () => {
    const query = 'type=5&token_name=playground-vip'
    const error = {
      error_type: 'upstream_error',
      error_code: 'bad_response_status_code',
      status_code: 503,
      suppressed: 4,
      duration_ms: 1_200,
      frt: -1000,
    }
    const [shown, ...others] = (await logs(`/api/log/?${query}`)).items
    expect(others).toEqual([])
    expect(shown).toMatchObject({ token_name: 'playground-vip', channel: 3, type: 5 })
    expect(JSON.parse(String(shown?.['other']))).toEqual({
      ...error,
      channel_id: 3,
      channel_name: 'channel3',
      channel_type: 14,
      admin_info: { use_channel: ['2', '3'] },
    })
    const caller: Caller = { ...root, userId: 2, username: 'user2', role: 1 }
    const own = await logs(`/api/log/self?${query}`, caller)
    expect(own.items.map((row) => JSON.parse(String(row['other'])))).toEqual([error])
  })

  test('given a model family’s name, when rows are filtered by it, then those of its models come', async () => {
    await log.pool.query(
      "insert into usage_log.models values ('gpt-4-gizmo-g-x'), ('gpt-4o-gizmo-y')",
    )
    const meant = async (modelPattern: string) =>
      sql.fragment`${(await sqlFilter(log.reads, { modelPattern })).where}`.values
    expect(await meant('gpt-4-gizmo-*')).toEqual(['gpt-4-gizmo-g-x'])
    expect(await meant('gpt-4o-giz%*')).toEqual(['gpt-4o-gizmo-y'])
    expect(await meant('gpt-4-gizmo-g-x')).toEqual(['gpt-4-gizmo-g-x'])
    await log.pool.query("delete from usage_log.models where model like '%gizmo%'")
  })

  test('given a search, when it names a type, a text or a request, then the rows of each are found', async () => {
    const failed = await list('/api/log/search?keyword=5')
    expect(failed.length).toBeGreaterThan(0)
    expect(failed.every((row) => row['type'] === 5)).toBe(true)
    const request = encodeURIComponent(String(failed[0]?.['request_id']))
    expect(await list(`/api/log/search?keyword=${request}`)).toHaveLength(1)
    expect((await list('/api/log/search?keyword=correction')).length).toBeGreaterThan(0)
    const all = (await logs('/api/log/?page_size=1000')).items
    for (const text of ['模型', '模型倍率 1.25，补全']) {
      const said = all.filter((row) => String(row['content']).startsWith(text))
      expect(said.length).toBeGreaterThan(0)
      const found = await list(`/api/log/search?keyword=${encodeURIComponent(text)}`)
      expect(found).toEqual(said.slice(0, 100))
    }
    expect(await list('/api/log/self/search?keyword=nonsense')).toEqual([])
  })

  test('given a key, when its log is read by anybody, then it is that token’s; an unknown key is told', async () => {
    const reply = await get('/api/log/token?key=sk-k10', null)
    const found = rows.parse(reply.data)
    expect(found.every((row) => row['token_id'] === 10)).toBe(true)
    const times = found.map((row) => Number(row['created_at']))
    expect(times.length).toBeGreaterThan(1)
    expect(times).toEqual(times.toSorted((one, other) => one - other))
    const refused = { success: false, data: [] }
    expect(await get('/api/log/token?key=nope', null)).toMatchObject(refused)
    expect(await get('/api/log/token?key=sk-orphan', null)).toMatchObject(refused)
    isAddressAllowed = false
    expect(await get('/api/log/token?key=sk-k10', null)).toMatchObject({
      ...refused,
      message: '您的 IP 不在令牌允许访问的列表中',
    })
    isAddressAllowed = true
  })
})

const moved = history.events.flatMap(({ stream, event: { type, data } }) =>
  type === 'QuotaHeld' || type === 'HoldExpired'
    ? [{ user: Number(stream.slice('account-'.length)), type, data: z.looseObject({}).parse(data) }]
    : [],
)

describe('holds', () => {
  test('given holds that expired, when an admin lists them, then each has cause, amount, token and relay', async () => {
    const grants = new Map(
      moved
        .filter(({ type }) => type === 'QuotaHeld')
        .map(({ data }) => [data['hold'], { token: data['token'], relay: data['relay'] }]),
    )
    const expected = moved
      .filter(({ type }) => type === 'HoldExpired')
      .map(({ user, data }) => ({
        hold: data['hold'],
        status: 'expired',
        user_id: user,
        username: `user${user}`,
        token_id: grants.get(data['hold'])?.token,
        relay: grants.get(data['hold'])?.relay,
        amount: data['amount'],
        cause: 'silent',
        expired_at: Math.floor(Number(data['at']) / 1000),
      }))
    expect(expected.length).toBeGreaterThan(1)
    const all = await logs('/api/ledger/holds?status=expired&page_size=1000')
    const ids = (rows: readonly Record<string, unknown>[]) => rows.map((row) => row['hold'])
    const byHold = (a: Record<string, unknown>, b: Record<string, unknown>) =>
      String(a['hold']) < String(b['hold']) ? -1 : 1
    expect(all.total).toBe(expected.length)
    expect(all.items.toSorted(byHold)).toMatchObject(expected.toSorted(byHold))
    const times = all.items.map((row) => Number(row['expired_at']))
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    const second = await logs('/api/ledger/holds?status=expired&p=2&page_size=1')
    expect(second).toMatchObject({ total: expected.length, page: 2, page_size: 1 })
    expect(ids(second.items)).toEqual(ids(all.items.slice(1, 2)))
    const user = all.items[0]?.['user_id']
    const own = await logs(`/api/ledger/holds?status=expired&user_id=${String(user)}`)
    expect(ids(own.items)).toEqual(ids(all.items.filter((row) => row['user_id'] === user)))
    expect(own.total).toBe(own.items.length)
  })

  test('given open holds, when an admin lists them, then each account’s come with what they reserve', async () => {
    const { items, total } = await logs('/api/ledger/holds?page_size=1000')
    const remaining = [...history.accounts.values()].flatMap((state) =>
      [...state.holds].map(([hold, open]) => [hold, open.remaining, open.token] as const),
    )
    expect(total).toBe(remaining.length)
    expect(new Map(items.map((row) => [row['hold'], [row['remaining'], row['token_id']]]))).toEqual(
      new Map(remaining.map(([hold, left, token]) => [hold, [left, token]])),
    )
    await expect(get('/api/ledger/holds?status=closed')).rejects.toThrow('status 只能是')
  })
})

describe('tokens and channels', () => {
  test('given tokens, when listed, searched and opened, then only one’s own come, with name and key', async () => {
    const all = await list('/api/token/?p=0&size=100')
    expect(all.map((row) => row['id'])).toEqual([11, 10])
    expect(all[1]).toMatchObject({
      name: 'token10',
      key: 'k10',
      user_id: 1,
      expired_time: expect.any(Number),
      model_limits_enabled: false,
      model_limits: 'gpt-4o,x',
    })
    expect(await list('/api/token/?p=1&size=1')).toMatchObject([{ id: 10 }])
    expect(await list('/api/token/search?keyword=&token=sk-10')).toMatchObject([{ id: 10 }])
    expect(await list('/api/token/search?keyword=&token=s-k10ks')).toMatchObject([{ id: 10 }])
    expect(await get('/api/token/10')).toMatchObject({ data: { id: 10 } })
    expect(await get('/api/token/20')).toEqual({
      success: false,
      message: 'record not found',
      status: 200,
    })
    await expect(get('/api/token/ten')).rejects.toThrow('id 不是有效的数字: "ten"')
  })

  test('given channels, when listed by page, tag, group and keyword, then the right ones come without keys', async () => {
    const all = await list('/api/channel/?id_sort=true&page_size=100')
    expect(all.map((row) => row['id'])).toEqual([3, 2, 1])
    expect(all.every((row) => row['key'] === '')).toBe(true)
    const spentThrough = (id: unknown): number =>
      history.events.reduce((sum, { event }) => {
        const { type, data } = event as AccountEvent
        if (type === 'UsageCharged' && data.request.channel === id) return sum + data.amount
        return type === 'UsageRefunded' && data.channel === id ? sum - data.amount : sum
      }, 0)
    for (const row of all) expect(row['used_quota']).toBe(spentThrough(row['id']))
    for (const url of [
      '/api/channel/?p=0&page_size=2',
      '/api/channel/search?group=null&model=o3-mini',
    ]) {
      expect((await list(url)).length).toBeGreaterThan(0)
    }
    expect(await list('/api/channel/search?keyword=channel2')).toMatchObject([{ id: 2 }])
    expect(await list('/api/channel/search?keyword=3&group=default')).toMatchObject([{ id: 3 }])
    const tagged = all.filter((row) => row['tag'] !== '').map((row) => row['id'])
    expect((await list('/api/channel/?tag_mode=true&id_sort=1')).map((row) => row['id'])).toEqual(
      tagged,
    )
    expect(
      (await list('/api/channel/search?tag_mode=true&id_sort=1')).map((row) => row['id']),
    ).toEqual(tagged)
    expect(await get('/api/channel/2')).toMatchObject({
      data: { id: 2, name: 'channel2', auto_ban: 1 },
    })
    expect(await get('/api/channel/99')).toMatchObject({
      success: false,
      message: 'record not found',
    })
    expect((await get('/api/channel/models_enabled')).data).toContain('gpt-4o')
    expect((await get('/api/channel/models')).data).toMatchObject([
      { id: 'gpt-4o', owned_by: 'openai' },
    ])
  })
})

describe('dashboard and pricing', () => {
  test('given a range, when the dashboard is read, then it adds up to what the accounts used', async () => {
    const end = Date.UTC(2027, 0) / 1000
    const used = [...history.accounts.values()].reduce((sum, state) => sum + state.usedQuota, 0)
    const refunded = history.events
      .filter(({ event: { type } }) => type === 'UsageRefunded')
      .reduce((sum, { event }) => sum + (event.data as unknown as { amount: number }).amount, 0)
    const sum = (found: readonly Record<string, unknown>[]): number =>
      found.reduce((total, row) => total + Number(row['quota']), 0)
    expect(sum(await list(`/api/data/?start_timestamp=0&end_timestamp=${end}`))).toBe(
      used + refunded,
    )
    const range = `start_timestamp=${end - 2_592_000}&end_timestamp=${end}`
    expect(sum(await list(`/api/data/top?start_timestamp=0&end_timestamp=${end}&by=channel`))).toBe(
      used + refunded,
    )
    expect(await list(`/api/data/?${range}&username=user2`)).toEqual(
      await list(`/api/data/self?${range}`, { ...root, userId: 2, username: 'user2' }),
    )
    expect(await get(`/api/data/self?start_timestamp=0&end_timestamp=${end}`)).toMatchObject({
      success: false,
      message: '时间跨度不能超过 1 个月',
    })
    expect(await list(`/api/data/self/top?${range}`)).toEqual(expect.any(Array))
    optionTexts = [['DataExportEnabled', 'false']]
    expect(await list(`/api/data/?start_timestamp=0&end_timestamp=${end}`)).toEqual([])
    optionTexts = []
  })

  test('given prices and groups, when read, then models come with theirs and visitors see their groups', async () => {
    optionTexts = [
      ['GroupRatio', '{"default":1,"vip":0.5,"secret":9}'],
      ['UserUsableGroups', '{"default":"standard"}'],
      ['ModelPrice', '{"o3-mini":0.1}'],
    ]
    const vip: Caller = { ...root, group: 'vip' }
    const reply = await get('/api/pricing', vip)
    expect(reply.extra).toEqual({
      group_ratio: { default: 1, vip: 0.5 },
      usable_group: { default: 'standard', vip: '用户分组' },
    })
    const models = rows.parse(reply.data)
    expect(models.find((row) => row['model_name'] === 'o3-mini')).toMatchObject({
      quota_type: 1,
      model_price: 0.1,
      model_ratio: 0,
    })
    expect(models.find((row) => row['model_name'] === 'gpt-4o')).toMatchObject({
      quota_type: 0,
      model_ratio: 1.25,
      completion_ratio: 4,
      has_price: true,
    })
    expect((await get('/api/group/')).data).toEqual(['default', 'vip', 'secret'])
    expect((await get('/api/user/self/groups', vip)).data).toEqual({
      default: { ratio: 1, desc: 'standard' },
      vip: { ratio: 0.5, desc: '用户分组' },
    })
    expect((await get('/api/user/groups', null)).data).toEqual({
      default: { ratio: 1, desc: 'standard' },
    })
    expect((await get('/api/pricing', null)).extra).toMatchObject({
      usable_group: { '': '用户分组' },
    })
    expect((await get('/api/user/models', vip)).data).toContain('gpt-4o')
    expect((await get('/api/models')).data).toEqual({ 1: ['gpt-4o'] })
    optionTexts = []
  })

  test('given completion ratios, when asked what holds without them, then families and rules answer', async () => {
    optionTexts = [
      ['CompletionRatio', '{"gpt-4o":9,"gpt-4-gizmo-*":7}'],
      ['ModelPrice', '{"gpt-4-turbo":0.1}'],
    ]
    const path = '/api/pricing/completion_ratios'
    const ratios = z.record(z.string(), z.number())
    const listed = ratios.parse((await get(path)).data)
    expect(listed).toMatchObject({ 'gpt-4o': 4, 'gpt-4-gizmo-*': 1, 'gpt-4-turbo': 3 })
    expect(listed).not.toHaveProperty('gpt-4-gizmo-g-x')
    const asked = ratios.parse((await get(`${path}?models=gpt-4-gizmo-g-x,,my-model`)).data)
    expect(asked).toEqual({ ...listed, 'gpt-4-gizmo-g-x': 7, 'my-model': 1 })
    optionTexts = []
  })
})

describe('the relay’s directory', () => {
  test('given channels, options and tokens, when a relay starts, then it gets them with the position', async () => {
    const directory = await loadDirectory(log.reads)
    if (directory === null) throw new Error('the options are not built')
    expect(directory.channels.map(({ id }) => id).sort((a, b) => a - b)).toEqual([1, 2, 3])
    expect(Object.fromEntries(directory.options)).toMatchObject({ RetryTimes: '2' })
    expect(directory.position).toBe(await log.store.headPosition())
    expect(directory.pricingRevision).toBe(directory.position)
    expect(await findDirectoryToken(log.reads, 10)).toMatchObject({
      id: 10,
      userId: 1,
      user: { role: 100, isActive: true },
    })
    expect(await findDirectoryToken(log.reads, 99)).toBeNull()
  })

  test('given a moment, when balances are asked for as of it, then they follow the last posting before it', async () => {
    expect(await balancesAsOf(log.reads, 1, { before: 0 })).toEqual({
      position: -1,
      wallet: 0,
      held: 0,
      affiliate: 0,
    })
    const end = await balancesAsOf(log.reads, 1, { before: Date.UTC(2030, 0) })
    const state = [...history.accounts.values()][0]
    expect(end.wallet + end.held).toBe(state?.posted)
  })
})

describe('single rows and charges', () => {
  const user1: Caller = { ...root, role: 1 }
  const stranger: Caller = { ...user1, userId: 987_654 }
  interface Row {
    readonly event_id: string
    readonly created_at: number
    readonly request_id: string
    readonly user_id: number
    readonly quota: number
    readonly other: string
  }
  const chargedRow = async (): Promise<Row> => {
    const { items } = (await get('/api/log/?type=2&page_size=50')).data as {
      items: readonly Row[]
    }
    const row = items.find(({ other }) => other.includes('"usage"'))
    if (row === undefined) throw new Error('the history has no charge')
    return row
  }

  test('given a row, when asked for by its event, then its user and administrators see it, nobody else', async () => {
    const row = await chargedRow()
    const path = `/api/log/${row.event_id}?created_at=${row.created_at}`
    expect((await get(path)).data).toEqual(row)
    const own = await get(path, { ...user1, userId: row.user_id })
    expect(own.data).toMatchObject({ event_id: row.event_id, channel_name: '', retry: '' })
    const newest = `/api/log/${row.event_id}`
    expect((await get(newest)).data).toEqual(row)
    expect((await get(newest, { ...user1, userId: row.user_id })).data).toEqual(own.data)
    const refused = { success: false, message: 'record not found' }
    for (const asked of [path, newest]) expect(await get(asked, stranger)).toMatchObject(refused)
    expect(await get(`/api/log/${row.event_id}?created_at=1`)).toMatchObject(refused)
    expect(await get('/api/log/no-uuid?created_at=1')).toMatchObject(refused)
  })

  test('given a charge, when asked for by request, then all is explained, channels to administrators only', async () => {
    const row = await chargedRow()
    const path = `/api/ledger/charges/${row.request_id}`
    const { data } = await get(path)
    const other = JSON.parse(row.other) as Readonly<Record<string, unknown>>
    expect(data).toMatchObject({
      request_id: row.request_id,
      event: { id: row.event_id, stream: `account-${row.user_id}` },
      amount: row.quota,
      usage: other['usage'],
      price: other['price'],
      arithmetic: other['explanation'],
      attempts: (other['admin_info'] as { use_channel: readonly string[] }).use_channel.map(
        (id) => ({ channel_id: Number(id), channel_name: `channel${id}` }),
      ),
    })
    const own = await get(path, { ...user1, userId: row.user_id })
    expect(own.data).toMatchObject({ request_id: row.request_id, attempts: [] })
    const refused = { success: false, message: 'record not found' }
    expect(await get(path, stranger)).toMatchObject(refused)
    expect(await get('/api/ledger/charges/nothing')).toMatchObject(refused)
  })
})

test('given the log, when read in small parts below the last row, then each fitting row comes once', async () => {
  for (const filter of [{}, { type: 2 }, { userId: 2 }, { from: 1_700_000_000 }]) {
    const fitting = await sqlFilter(log.reads, filter)
    const { rows: all } = await pageOfLog(log.reads, filter, 1, 10_000)
    const read: number[] = []
    let place: LogRow | null = null
    while (true) {
      const rows: readonly LogRow[] = await rowsBelow(log.reads, fitting, place, 7)
      read.push(...rows.map(({ id }) => id))
      place = rows.at(-1) ?? null
      if (rows.length < 7) break
    }
    expect(read).toEqual(all.map(({ id }) => id))
  }
})
