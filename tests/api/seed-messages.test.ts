import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PASSWORD, startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'
import { call } from './seeded.ts'
import { addPerson, type Person, signIn } from './people.ts'

/**
 * Both specifications' "Validation rules", rule by rule: whoever calls is told what the console's forms say (decision
 * 26). Where the specifications name a rule without its text, the text is ours. Those of the first-run setup are held
 * by command-api/setup/routes.test.ts, as this Tollgate is set up already.
 */
interface Rule {
  readonly rule: string
  readonly as: 'nobody' | 'user' | 'root'
  readonly call: `${ApiRoute['method']} ${string}`
  readonly body?: unknown
  readonly says: string
}

let whole: WholeTollgate
let people: Readonly<Record<Rule['as'], Person | null>>

beforeAll(async () => {
  whole = await startWholeTollgate()
  people = { nobody: null, user: await addPerson(whole, 'ann'), root: await signIn(whole, 'root') }
}, 60_000)
afterAll(() => whole.stop(), 30_000)

/** An option's value, sent by root. */
const option = (key: string, value: string, says: string, rule = key): Rule => ({
  rule,
  as: 'root',
  call: 'PUT /api/option',
  body: { key, value },
  says,
})

const SIGN_UP = { username: 'newcomer', password: PASSWORD, password2: PASSWORD }
const CHANNEL = { type: 1, name: 'one', key: 'sk-one', models: 'gpt-4o', group: 'default' }

/** Accounts, sign-in, settings: section 5 of the first specification. */
const ACCOUNTS: readonly Rule[] = [
  {
    rule: 'register: password at least 8 characters',
    as: 'nobody',
    call: 'POST /api/user/register',
    body: { ...SIGN_UP, password: '1234567', password2: '1234567' },
    says: '密码长度不得小于 8 位！',
  },
  {
    rule: 'register: a password is required',
    as: 'nobody',
    call: 'POST /api/user/register',
    body: { username: 'newcomer' },
    says: '密码长度不得小于 8 位！',
  },
  {
    rule: 'register: passwords must match',
    as: 'nobody',
    call: 'POST /api/user/register',
    body: { ...SIGN_UP, password2: 'long-enough-2' },
    says: '两次输入的密码不一致',
  },
  {
    rule: 'login: a user name is required',
    as: 'nobody',
    call: 'POST /api/user/login',
    body: { username: ' ', password: PASSWORD },
    says: '请输入用户名和密码！',
  },
  {
    rule: 'login: a password is required',
    as: 'nobody',
    call: 'POST /api/user/login',
    body: { username: 'ann' },
    says: '请输入用户名和密码！',
  },
  {
    rule: 'add user: a user name is required',
    as: 'root',
    call: 'POST /api/user',
    body: { username: '', password: PASSWORD },
    says: '用户名和密码不能为空！',
  },
  {
    rule: 'add user: a password is required',
    as: 'root',
    call: 'POST /api/user',
    body: { username: 'somebody', password: '' },
    says: '用户名和密码不能为空！',
  },
  {
    rule: 'edit user: password at least 8 characters',
    as: 'root',
    call: 'PUT /api/user',
    body: { id: 2, username: 'ann', password: '1234567' },
    says: '密码长度不得小于 8 位！',
  },
  {
    rule: 'change password: the original is required',
    as: 'user',
    call: 'PUT /api/user/self',
    body: { password: 'long-enough-2' },
    says: '请输入原密码',
  },
  {
    rule: 'change password: a new one is required',
    as: 'user',
    call: 'PUT /api/user/self',
    body: { original_password: PASSWORD },
    says: '请输入新密码',
  },
  {
    rule: 'change password: the new one differs',
    as: 'user',
    call: 'PUT /api/user/self',
    body: { original_password: PASSWORD, password: PASSWORD },
    says: '新密码不能与原密码相同',
  },
  {
    rule: 'bind e-mail: an e-mail is required',
    as: 'user',
    call: 'GET /api/oauth/email/bind?email=&code=123456',
    says: '请输入邮箱！',
  },
  {
    rule: 'bind e-mail: a code is required',
    as: 'user',
    call: 'GET /api/oauth/email/bind?email=ann@example.com&code=',
    says: '请输入邮箱验证码！',
  },
  {
    rule: 'affiliate transfer: at least one unit',
    as: 'user',
    call: 'POST /api/user/aff_transfer',
    body: { quota: 499_999 },
    says: '划转金额最低为 ＄1.000000 额度',
  },
  option('PayAddress', 'https://pay.example.com', '请先填写服务器地址'),
  option('TopupGroupRatio', '{"default":', '充值分组倍率不是合法的 JSON 字符串'),
  option(
    'EmailDomainWhitelist',
    'gmail',
    '邮箱域名格式不正确，请输入有效的域名，如 gmail.com',
    'whitelist: looks like a domain',
  ),
  option(
    'EmailDomainWhitelist',
    'a.example,a.example',
    '该域名已存在于白名单中',
    'whitelist: no duplicates',
  ),
  option(
    'oidc.well_known',
    'idp.example.com',
    'oidc.well_known 不是有效的地址，请以 http:// 或 https:// 开头',
  ),
  option('ModelPrice', '{"m":"a"}', '请输入数字：m', 'price: numeric only'),
  option('ModelRatio', '{"m":"a"}', '请输入数字：m', 'ratio: numeric only'),
  option('CompletionRatio', '{"m":null}', '请输入数字：m', 'completion ratio: numeric only'),
  option(
    'ModelPrice',
    '{"m":0}',
    '价格不能为 0：m，请填写大于 0 的价格；如需免费，请删除其价格，并将其 ModelRatio 设为 0',
    'price: not 0',
  ),
  option('ModelPrice', '{"m":1,"m":2}', '模型名称已存在：m', 'pricing: names are unique'),
  {
    rule: 'log clean-up: a moment is required',
    as: 'root',
    call: 'DELETE /api/log/',
    says: '请选择日志记录时间',
  },
  {
    rule: 'webhooks: https only',
    as: 'user',
    call: 'PUT /api/user/setting',
    body: {
      notify_type: 'webhook',
      quota_warning_threshold: 1,
      webhook_url: 'http://hook.example.com',
    },
    says: '无效的Webhook地址',
  },
  option('DataExportInterval', '0', 'DataExportInterval 必须是不小于 1 的整数'),
  option('ChannelDisableThreshold', '-1', 'ChannelDisableThreshold 必须是不小于 0 的数字'),
  option('QuotaRemindThreshold', '-1', 'QuotaRemindThreshold 必须是不小于 0 的整数'),
]

const GROUP_LIMITS =
  'ModelRequestRateLimitGroup 格式不正确：vip 应为 [最多请求次数, 最多请求完成次数]，且分别不小于 0 和 1'
const CLAUDE_BUDGET = 'claude.thinking_adapter_budget_tokens_percentage'
const GEMINI_BUDGET = 'gemini.thinking_adapter_budget_tokens_percentage'

/** Channels, tokens, wallet: section 5 of the second specification. */
const GATEWAY: readonly Rule[] = [
  option('GroupRatio', 'x', '不是合法的 JSON 字符串', 'options: JSON is valid'),
  option(
    'ModelRequestRateLimitDurationMinutes',
    '-1',
    'ModelRequestRateLimitDurationMinutes 必须是不小于 0 的整数',
  ),
  option('ModelRequestRateLimitCount', '-1', 'ModelRequestRateLimitCount 必须是不小于 0 的整数'),
  option(
    'ModelRequestRateLimitSuccessCount',
    '0',
    'ModelRequestRateLimitSuccessCount 必须是不小于 1 的整数',
  ),
  option('ModelRequestRateLimitGroup', '{"vip":[-1,1]}', GROUP_LIMITS, 'group limits: requests'),
  option('ModelRequestRateLimitGroup', '{"vip":[1,0]}', GROUP_LIMITS, 'group limits: successes'),
  option(CLAUDE_BUDGET, '0.05', `${CLAUDE_BUDGET} 必须是 0.1 到 1 之间的数字`),
  option(GEMINI_BUDGET, '1.5', `${GEMINI_BUDGET} 必须是 0.1 到 1 之间的数字`),
  option(
    'general_setting.ping_interval_seconds',
    '0',
    'general_setting.ping_interval_seconds 必须是不小于 1 的整数',
  ),
  ...(
    [
      ['a name is required', { name: ' ' }, '请填写渠道名称和渠道密钥！'],
      ['a key is required', { key: '' }, '请填写渠道名称和渠道密钥！'],
      ['at least one model', { models: ' , ' }, '请至少选择一个模型！'],
      ['the mapping is JSON', { model_mapping: '{' }, '模型映射必须是合法的 JSON 格式！'],
      ['weight is not negative', { weight: -1 }, '权重必须是非负整数！'],
      ['priority is at least −999', { priority: -1000 }, '优先级必须是整数，且不小于 -999！'],
    ] as const
  ).map(([rule, fields, says]): Rule => ({
    rule: `channel: ${rule}`,
    as: 'root',
    call: 'POST /api/channel',
    body: { ...CHANNEL, ...fields },
    says,
  })),
  {
    rule: 'fetching models: a key is required',
    as: 'root',
    call: 'POST /api/channel/fetch_models',
    body: { type: 1, key: '', base_url: '' },
    says: '请填写密钥',
  },
  {
    rule: 'batch delete: a selection is required',
    as: 'root',
    call: 'POST /api/channel/batch',
    body: { ids: [] },
    says: '参数错误',
  },
  {
    rule: 'batch tag: a selection is required',
    as: 'root',
    call: 'POST /api/channel/batch/tag',
    body: { ids: [], tag: 'main' },
    says: '参数错误',
  },
  {
    rule: 'batch tag: a tag is required',
    as: 'root',
    call: 'POST /api/channel/batch/tag',
    body: { ids: [1], tag: '' },
    says: '标签不能为空！',
  },
  {
    rule: 'tag edit: something must change',
    as: 'root',
    call: 'PUT /api/channel/tag',
    body: { tag: 'main', models: '', groups: '', model_mapping: '' },
    says: '没有任何修改！',
  },
  {
    rule: 'token: a name is required',
    as: 'user',
    call: 'POST /api/token',
    body: { name: '', expired_time: -1 },
    says: '令牌名称不能为空',
  },
  {
    rule: 'token: the expiry can be read',
    as: 'user',
    call: 'POST /api/token',
    body: { name: 'one', expired_time: 'soon' },
    says: '过期时间格式错误！',
  },
  {
    rule: 'token: the expiry can be read when changed',
    as: 'user',
    call: 'PUT /api/token',
    body: { id: 1, name: 'one', expired_time: 1.5 },
    says: '过期时间格式错误！',
  },
  {
    rule: 'redemption: a name of 1 to 20 characters',
    as: 'root',
    call: 'POST /api/redemption',
    body: { name: 'x'.repeat(21), quota: 1, count: 1 },
    says: '兑换码名称长度必须在1-20之间',
  },
  {
    rule: 'redemption: more than 0 at once',
    as: 'root',
    call: 'POST /api/redemption',
    body: { name: 'x', quota: 1, count: 0 },
    says: '兑换码个数必须大于0',
  },
  {
    rule: 'redemption: at most 100 at once',
    as: 'root',
    call: 'POST /api/redemption',
    body: { name: 'x', quota: 1, count: 101 },
    says: '一次兑换码批量生成的个数不能大于 100',
  },
  {
    rule: 'wallet: a code is required',
    as: 'user',
    call: 'POST /api/user/topup',
    body: { key: ' ' },
    says: '请输入兑换码！',
  },
]

test.each([...ACCOUNTS, ...GATEWAY])(
  'given the rule "$rule", when $call breaks it, then it is refused with $says',
  async (rule) => {
    const [method, path = ''] = rule.call.split(' ')
    const answer = await call(
      { whole },
      people[rule.as],
      method as ApiRoute['method'],
      path,
      rule.body,
    )
    expect(answer).toMatchObject({ success: false, message: rule.says })
  },
)

test('given top-ups, when ordered, then they need a gateway and the configured minimum', async () => {
  const ask = (amount: number) =>
    call({ whole }, people.user, 'POST', '/api/user/pay', { amount, payment_method: 'zfb' })
  expect(await ask(1)).toMatchObject({ message: 'error', data: '管理员未开启在线充值！' })
  await whole.root.setOption('MinTopUp', '3')
  expect(await ask(2)).toMatchObject({ message: 'error', data: '充值数量不能小于 3' })
})

test('given addresses that end in a slash, when saved, then they are kept without', async () => {
  const addresses = [
    ['ServerAddress', 'https://gate.example.com'],
    ['WorkerUrl', 'https://worker.example.com'],
    ['PayAddress', 'https://pay.example.com/epay'],
  ] as const
  for (const [key, address] of addresses) await whole.root.setOption(key, `${address}/`)
  const { data } = await call({ whole }, people.root, 'GET', '/api/option')
  for (const [key, value] of addresses) expect(data).toContainEqual({ key, value })
})

test.each([-1, 0.05, 1.1, 'warm'])(
  'given the temperature %j, when played with, then it is refused as out of the slider’s range',
  async (temperature) => {
    const answer = await call({ whole }, people.user, 'POST', '/pg/chat/completions', {
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: 'hello' }],
      temperature,
    })
    expect(answer).toMatchObject({ status: 400, error: { param: 'temperature' } })
  },
)
