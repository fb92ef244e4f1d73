import type { Channel, Token } from '../src/core/contract.ts'
import { channels, logs, options, pricing, tokens, usage } from './mock-data.ts'

interface Call {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Record<string, unknown>
}

/** An envelope, with an HTTP status when it is not 200. */
export type Answer = Record<string, unknown> & { status?: number }

const ok = (data?: unknown, more: Record<string, unknown> = {}): Answer => ({
  success: true,
  message: '',
  data,
  ...more,
})
const refused = (message: string): Answer => ({
  success: false,
  message,
  code: 'foreign_words',
  params: { words: message },
})

let isSetUp = false
const root = {
  id: 1,
  username: 'root',
  display_name: 'Root User',
  role: 100,
  status: 1,
  group: 'default',
}

const routes: Record<string, (call: Call, id: number) => Answer> = {
  'GET /status': () =>
    ok({
      version: 'mock',
      start_time: Math.floor(Date.now() / 1000) - 3600,
      time_zone: 'Asia/Shanghai',
      setup: isSetUp,
      demo: false,
      system_name: 'Tollgate',
      logo: '',
      footer_html: '',
      quota_per_unit: 500000,
      display_in_currency: true,
      docs_link: '',
      contact_image_url: '/favicon.svg',
      server_address: 'http://localhost:3000',
      self_use_mode_enabled: false,
      demo_site_enabled: false,
      enable_data_export: true,
      data_export_default_time: 'hour',
      data_export_interval: 5,
      default_collapse_sidebar: false,
      email_verification: false,
      turnstile_check: false,
      turnstile_site_key: '',
      github_oauth: false,
      oidc_enabled: false,
      wechat_login: false,
      telegram_oauth: false,
      linuxdo_oauth: false,
      chats: [],
    }),
  'GET /freshness': () =>
    ok({
      as_of: Date.now(),
      head: 1_204_551,
      is_caught_up: true,
      read_models: [
        { name: 'usage-log', position: 1_204_551, state: 'live', delay_ms: 40, stopped_at: null },
      ],
    }),
  'GET /notice': () => ok('**Maintenance** on Sunday, see [the page](https://status.example.com).'),
  'GET /home_page_content': () => ok(''),
  'GET /setup': () => ok({ status: isSetUp, root_init: false, database_type: 'postgres' }),
  'POST /setup': () => {
    isSetUp = true
    return ok()
  },
  'POST /user/login': ({ body }) =>
    body['password']
      ? ok({ ...root, username: body['username'] })
      : refused('用户名或密码错误，或用户已被封禁'),
  'GET /user/logout': () => ok(),
  'GET /user/self': () =>
    ok({
      ...root,
      quota: 98_765_432,
      used_quota: 104_331_732,
      held: 12_000,
      request_count: 20_431,
    }),
  'PUT /user/self': ({ body }) =>
    body['original_password'] === 'wrong' ? refused('原密码错误') : ok(),
  'GET /user/token': () => ok('c2VjcmV0LXRva2VuLWZvci1tb2Nrcw=='),
  'GET /user/self/groups': () =>
    ok({ default: { ratio: 1, desc: '默认分组' }, vip: { ratio: 0.8, desc: 'vip 分组' } }),
  'GET /user/models': () => ok(pricing.map((row) => row.model_name)),
  'GET /group': () => ok(['default', 'vip', 'svip']),
  'GET /models': () =>
    ok({
      1: ['gpt-4o', 'gpt-4o-mini', 'o3-mini'],
      14: ['claude-3-5-sonnet-20241022'],
      24: ['gemini-2.0-flash'],
    }),
  'GET /channel/models': () => ok(pricing.map((row) => ({ id: row.model_name }))),
  'GET /channel/models_enabled': () =>
    ok([...pricing.map((row) => row.model_name), 'my-model', 'brand-new-model']),
  'GET /token': ({ query }) => {
    const size = Number(query.get('size') ?? 10)
    const page = Number(query.get('p') ?? 0)
    return ok([...tokens].reverse().slice(page * size, page * size + size))
  },
  'GET /token/search': ({ query }) =>
    ok(
      tokens.filter(
        (row) =>
          row.name.includes(query.get('keyword') ?? '') &&
          row.key.includes((query.get('token') ?? '').replace(/^sk-/, '')),
      ),
    ),
  'POST /token': ({ body }) => {
    if (body['name'] === 'no balance') return refused('余额不足')
    tokens.push({
      ...tokens[0],
      ...body,
      id: tokens.length + 1,
      used_quota: 0,
      status: 1,
      key: Math.random().toString(36).slice(2).padEnd(48, 'k'),
    } as Token)
    return ok()
  },
  'PUT /token': ({ body, query }) => {
    const row = tokens.find((row) => row.id === body['id'])
    if (row) Object.assign(row, query.get('status_only') ? { status: body['status'] } : body)
    return ok(row)
  },
  'DELETE /token/:id': (_call, id) => {
    tokens.splice(
      tokens.findIndex((row) => row.id === id),
      1,
    )
    return ok()
  },
  'GET /channel': ({ query }) =>
    ok(
      query.get('tag_mode') === 'true'
        ? channels.filter((row) => row.tag)
        : Number(query.get('p')) > 0
          ? []
          : channels,
    ),
  'GET /channel/search': ({ query }) =>
    ok(
      channels.filter(
        (row) =>
          row.name.toLowerCase().includes((query.get('keyword') ?? '').toLowerCase()) &&
          row.models.includes(query.get('model') ?? ''),
      ),
    ),
  'GET /channel/:id': (_call, id) => ok(channels.find((row) => row.id === id)),
  'POST /channel': ({ body }) => {
    channels.push({ ...channels[0], ...body, id: channels.length + 1 } as Channel)
    return ok()
  },
  'PUT /channel': ({ body }) => {
    const row = channels.find((row) => row.id === body['id'])
    if (row) Object.assign(row, body)
    return ok(row)
  },
  'DELETE /channel/:id': (_call, id) => {
    channels.splice(
      channels.findIndex((row) => row.id === id),
      1,
    )
    return ok()
  },
  'GET /channel/test/:id': (_call, id) =>
    id === 3
      ? { ...refused('status code 429: quota exceeded'), time: 1.2 }
      : ok(undefined, { time: 0.83 }),
  'GET /channel/update_balance/:id': () => ok(undefined, { balance: 120.5 }),
  'POST /channel/fetch_models': () => ok(['gpt-4o', 'gpt-4.1', 'gpt-5']),
  'GET /channel/fetch_models/:id': () => ok(['gpt-4o', 'gpt-4.1', 'gpt-5']),
  'GET /log': (call) => logPage(call),
  'GET /log/self': (call) => logPage(call),
  'GET /log/stat': () =>
    ok({ quota: 104_331_732, rpm: 12, failed: 4, tpm: 48_211, token: 9_000_000 }),
  'GET /log/self/stat': () =>
    ok({ quota: 4_331_732, rpm: 2, failed: 0, tpm: 8_211, token: 900_000 }),
  'GET /data': () => ok(usage),
  'GET /data/self': () => ok(usage),
  'GET /pricing/completion_ratios': () =>
    ok(Object.fromEntries(pricing.map((row) => [row.model_name, 4]))),
  'GET /pricing': () => ({
    success: true,
    data: pricing,
    group_ratio: { default: 1, vip: 0.8 },
    usable_group: { default: '默认分组', vip: 'vip 分组' },
  }),
  'GET /option': () => ok(Object.entries(options).map(([key, value]) => ({ key, value }))),
  'GET /ledger/prices': () => ok({ items: [], in_force: 0, next: null }),
  'POST /ledger/prices': ({ body }) => {
    Object.assign(options, body['options'])
    return ok({ number: 1, status: 'in-force', effective_at: null })
  },
  'PUT /option': ({ body }) => {
    options[String(body['key'])] = String(body['value'])
    return ok()
  },
}

/** Finds the route of a call; what the mock does not know is said, as the server would. */
export function answer(call: Call): Answer {
  const exact = routes[`${call.method} ${call.path}`]
  if (exact) return exact(call, 0)
  const [, head, id] = /^(.*)\/(\d+)$/.exec(call.path) ?? []
  const byId = routes[`${call.method} ${head}/:id`]
  if (byId) return byId(call, Number(id))
  return { status: 404, error: { message: `Invalid URL (${call.method} /api${call.path})` } }
}

function logPage({ query }: Call): Answer {
  const page = Math.max(1, Number(query.get('p')))
  const size = Number(query.get('page_size')) || 10
  const type = Number(query.get('type'))
  const model = (query.get('model_name') ?? '').replaceAll('%', '')
  const found = logs.filter((row) => (!type || row.type === type) && row.model_name.includes(model))
  return ok({
    items: found.slice((page - 1) * size, page * size),
    total: found.length,
    page,
    page_size: size,
  })
}
