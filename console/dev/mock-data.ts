import type { Row } from '../src/core/calls.ts'
import type { Channel, Log, Token } from '../src/core/contract.ts'

const MODELS = [
  'gpt-4o',
  'gpt-4o-mini',
  'claude-3-5-sonnet-20241022',
  'gemini-2.0-flash',
  'deepseek-chat',
  'o3-mini',
  'text-embedding-3-small',
  'grok-3-beta',
  'qwen-max',
]
const HOUR = 3600

/** A repeatable stand-in for chance, so that two runs show the same screens. */
function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296
    return state / 4294967296
  }
}

const next = sequence(7)
const pick = <Item>(items: readonly Item[]): Item =>
  items[Math.floor(next() * items.length)] as Item
const now = Math.floor(Date.now() / 1000)

/** Tokens in every state. */
export const tokens: Token[] = [
  'ci',
  'backend',
  'research notebook',
  'batch embeddings',
  'old',
].map((name, index) => ({
  id: index + 1,
  user_id: 1,
  name,
  key: 'aB3xY9kLmN0pQrStUvWxYz12'
    .repeat(2)
    .slice(index, index + 48)
    .padEnd(48, 'Q'),
  status: [1, 1, 4, 1, 2][index] ?? 1,
  remain_quota: [12_345_678, 0, 0, 900_000, 50_000][index] ?? 0,
  used_quota: [4_500_123, 98_765_432, 5_000_000, 177, 0][index] ?? 0,
  unlimited_quota: index === 1,
  created_time: now - index * 86_400 * 9,
  accessed_time: now - index * 5000,
  expired_time: index === 3 ? now + 86_400 * 3 : -1,
  model_limits_enabled: index === 2,
  model_limits: index === 2 ? 'gpt-4o,gpt-4o-mini' : '',
  allow_ips: '',
  group: index === 1 ? 'vip' : '',
  DeletedAt: null,
}))

/** Channels of several types and states. */
export const channels: Channel[] = [1, 14, 24, 43, 3, 8, 48].map((type, index) => ({
  id: index + 1,
  name:
    ['OpenAI primary', 'Anthropic', 'Gemini EU', 'DeepSeek', 'Azure east', 'Local proxy', 'xAI'][
      index
    ] ?? 'channel',
  type,
  key: '',
  status: [1, 1, 3, 1, 1, 2, 1][index] ?? 1,
  models:
    [
      MODELS.slice(0, 2),
      MODELS.slice(2, 3),
      MODELS.slice(3, 4),
      MODELS.slice(4, 5),
      MODELS.slice(0, 6),
      ['my-model'],
      ['grok-3-beta'],
    ][index]?.join(',') ?? '',
  group: index % 2 ? 'default' : 'default,vip',
  tag: index < 2 ? 'main' : '',
  priority: 10 - index,
  weight: index,
  auto_ban: 1,
  base_url: index === 5 ? 'http://127.0.0.1:9000/v1/chat/completions' : '',
  other: type === 3 ? '2024-12-01-preview' : '',
  openai_organization: '',
  test_model: '',
  model_mapping: '',
  status_code_mapping: '',
  setting: '',
  param_override: '',
  other_info:
    index === 2
      ? JSON.stringify({
          status_reason: 'status 429: quota exceeded for project',
          status_time: now - 4000,
        })
      : '',
  response_time: [820, 2400, 0, 4100, 9000, 0, 640][index] ?? 0,
  test_time: index === 2 ? 0 : now - 900,
  balance: type === 1 ? 123.4567 : 0,
  balance_updated_time: now,
  used_quota: Math.floor(next() * 90_000_000),
  created_time: now - 86_400 * 30,
  max_input_tokens: 0,
}))

const RATE = '1.25'

function explained(prompt: number, completion: number) {
  const ratio = { name: 'model-ratio', value: RATE }
  const group = { name: 'group-ratio', value: '1' }
  return {
    lines: [
      {
        kind: 'text-in',
        count: prompt,
        factors: [ratio, group],
        rate: RATE,
        quota: String(prompt * 1.25),
      },
      {
        kind: 'text-out',
        count: completion,
        factors: [ratio, { name: 'completion-ratio', value: '4' }, group],
        rate: '5',
        quota: String(completion * 5),
      },
    ],
    exact: String(prompt * 1.25 + completion * 5),
    rounding: 'half-up',
  }
}

/** Log rows, newest first. */
export const logs: Log[] = Array.from({ length: 437 }, (_, index) => {
  const type = index % 29 === 3 ? 5 : index % 61 === 7 ? 1 : 2
  const prompt = Math.floor(next() * 6000) + 20
  const completion = Math.floor(next() * 1500) + 1
  const model = pick(MODELS)
  return {
    id: 437 - index,
    retry: '',
    user_id: 1,
    created_at: now - index * 331,
    type,
    content:
      type === 5
        ? 'status_code=429, Rate limit reached for requests'
        : type === 1
          ? '通过兑换码充值 ＄1.000000 额度，兑换码ID 3'
          : '',
    username: pick(['root', 'alice', 'bob']),
    token_name: type === 1 ? '' : pick(tokens).name,
    token_id: 1,
    model_name: type === 1 ? '' : model,
    quota: type === 2 ? Math.ceil((prompt + completion * 4) * 1.25) : 0,
    prompt_tokens: type === 2 ? prompt : 0,
    completion_tokens: type === 2 ? completion : 0,
    use_time: Math.floor(next() * 40),
    is_stream: index % 3 !== 0,
    channel: type === 1 ? 0 : 1,
    channel_name: type === 1 ? '' : 'OpenAI primary',
    group: 'default',
    request_id: `req${437 - index}`,
    event_id: `event-${437 - index}`,
    other: JSON.stringify(
      type === 2
        ? {
            model_ratio: 1.25,
            group_ratio: 1,
            completion_ratio: 4,
            cache_tokens: index % 5 ? 0 : 12,
            cache_ratio: 0.5,
            model_price: -1,
            explanation: explained(prompt, completion),
            duration_ms: 1234 + index * 37,
            frt: 420 + index,
            admin_info: { use_channel: index % 11 ? ['1'] : ['3', '1'] },
          }
        : {},
    ),
  }
})

/** Two weeks of hourly use. */
export const usage: Row<'GET /api/data'>[] = Array.from({ length: 24 * 14 }, (_, hour) => hour)
  .flatMap((hour) => MODELS.map((model_name, index) => ({ hour, model_name, index })))
  .filter(() => next() > 0.3)
  .map(({ hour, model_name, index }) => ({
    id: 0,
    user_id: 0,
    username: '',
    model_name,
    created_at: (Math.floor(now / HOUR) - hour) * HOUR,
    count: Math.ceil(next() * (20 - index)),
    quota: Math.ceil(next() * 400_000 * (1 + Math.sin(hour / 4)) * (10 - index)) + 100,
    token_used: Math.ceil(next() * 90_000),
  }))

/** Prices of the models, one of them per call. */
export const pricing: Row<'GET /api/pricing'>[] = [...MODELS, 'dall-e-3'].map(
  (model_name, index) => ({
    model_name,
    quota_type: model_name === 'dall-e-3' ? 1 : 0,
    model_ratio:
      model_name === 'dall-e-3'
        ? 0
        : ([1.25, 0.075, 1.5, 0.05, 0.135, 0.55, 0.01, 1.5, 1.2][index] ?? 1),
    model_price: model_name === 'dall-e-3' ? 0.04 : 0,
    completion_ratio: 4,
    owner_by: '',
    has_price: true,
    enable_groups: index % 3 ? ['default'] : ['default', 'vip'],
  }),
)

/** Some options with their texts. */
export const options: Record<string, string> = {
  ModelRatio: '{"gpt-4o":1.25,"gpt-4o-mini":0.075}',
  ModelPrice: '{"dall-e-3":0.04}',
  CompletionRatio: '{}',
  CacheRatio: '{}',
  GroupRatio: '{"default":1,"vip":0.8,"svip":0.5}',
  UserUsableGroups: '{"default":"默认分组","vip":"vip 分组"}',
  QuotaPerUnit: '500000',
  RetryTimes: '0',
  DisplayInCurrencyEnabled: 'true',
  DisplayTokenStatEnabled: 'true',
  DefaultCollapseSidebar: 'false',
  DemoSiteEnabled: 'false',
  SelfUseModeEnabled: 'false',
  LogConsumeEnabled: 'true',
  DataExportEnabled: 'true',
  DataExportInterval: '5',
  DataExportDefaultTime: 'hour',
  ChannelDisableThreshold: '5',
  QuotaRemindThreshold: '1000',
  AutomaticDisableChannelEnabled: 'false',
  AutomaticEnableChannelEnabled: 'false',
  AutomaticDisableKeywords: '',
  QuotaForNewUser: '0',
  PreConsumedQuota: '500',
  QuotaForInviter: '0',
  QuotaForInvitee: '0',
  TopUpLink: '',
  ContactImageURL: '',
  'general_setting.docs_link': '',
}
