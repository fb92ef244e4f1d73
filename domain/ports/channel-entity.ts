import type { LiveChannel } from '../channel/state.ts'

const STATUS_NUMBER = {
  enabled: 1,
  disabled: 2,
  'auto-disabled': 3,
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
    max_input_tokens: 0,
  }
}
