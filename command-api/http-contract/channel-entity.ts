import type { LiveChannel } from '@tollgate/domain/channel/state.ts'
import { objectSchema } from './json-schema.ts'

const STATUS_NUMBER = {
  enabled: 1,
  disabled: 2,
  'auto-disabled': 3,
  // Old consoles know three statuses; until a request has shown that it works, the channel is not back.
  'half-open': 3,
} as const satisfies Record<LiveChannel['status'], number>

/** The channel object of console-api 4, with all its fields; the key never leaves. Times in unix seconds. */
export function channelEntity(
  id: number,
  channel: Pick<LiveChannel, 'terms' | 'status' | 'reason' | 'statusAt' | 'test' | 'balance'>,
  beside: { readonly name: string; readonly createdAtMs: number; readonly usedQuota: number },
) {
  const { terms, status, reason, statusAt, test, balance } = channel
  return {
    id,
    type: terms.type,
    key: '',
    openai_organization: terms.openaiOrganization,
    test_model: terms.testModel,
    status: STATUS_NUMBER[status],
    name: beside.name,
    weight: terms.weight,
    created_time: Math.floor(beside.createdAtMs / 1000),
    test_time: Math.floor((test?.at ?? 0) / 1000),
    response_time: test?.durationMs ?? 0,
    base_url: terms.baseUrl,
    other: terms.other,
    balance: Number(balance?.usd ?? 0),
    balance_updated_time: Math.floor((balance?.at ?? 0) / 1000),
    models: terms.models.join(','),
    group: terms.groups.join(','),
    used_quota: beside.usedQuota,
    model_mapping: terms.modelMapping,
    status_code_mapping: terms.statusCodeMapping,
    priority: terms.priority,
    auto_ban: terms.autoBan ? 1 : 0,
    other_info:
      reason === ''
        ? ''
        : JSON.stringify({ status_reason: reason, status_time: Math.floor(statusAt / 1000) }),
    tag: terms.tag,
    setting: terms.setting,
    param_override: terms.paramOverride,
    max_input_tokens: terms.maxInputTokens,
  }
}

/** A channel as answers carry it. */
export type ChannelEntity = ReturnType<typeof channelEntity>

export const CHANNEL_SCHEMA = objectSchema<ChannelEntity>({
  id: 'integer',
  type: 'integer',
  key: 'string',
  openai_organization: 'string',
  test_model: 'string',
  status: 'integer',
  name: 'string',
  weight: 'integer',
  created_time: 'integer',
  test_time: 'integer',
  response_time: 'integer',
  base_url: 'string',
  other: 'string',
  balance: 'number',
  balance_updated_time: 'integer',
  models: 'string',
  group: 'string',
  used_quota: 'integer',
  model_mapping: 'string',
  status_code_mapping: 'string',
  priority: 'integer',
  auto_ban: 'integer',
  other_info: 'string',
  tag: 'string',
  setting: 'string',
  param_override: 'string',
  max_input_tokens: 'integer',
})

/** For the API reference. */
export const EXAMPLE_CHANNEL: ChannelEntity = channelEntity(
  3,
  {
    terms: {
      type: 1,
      openaiOrganization: '',
      testModel: 'gpt-4o-mini',
      baseUrl: '',
      other: '',
      models: ['gpt-4o', 'gpt-4o-mini'],
      groups: ['default', 'vip'],
      modelMapping: '',
      statusCodeMapping: '',
      paramOverride: '',
      setting: '',
      priority: 10,
      weight: 0,
      autoBan: true,
      tag: 'openai',
      maxInputTokens: 0,
    },
    status: 'enabled',
    reason: '',
    statusAt: Date.UTC(2026, 1, 3, 12),
    test: { at: Date.UTC(2026, 1, 4, 9), succeeded: true, durationMs: 640 },
    balance: { at: Date.UTC(2026, 1, 4, 9), usd: '41.5' },
  },
  { name: 'OpenAI', createdAtMs: Date.UTC(2026, 1, 3, 12), usedQuota: 1_250_000 },
)
