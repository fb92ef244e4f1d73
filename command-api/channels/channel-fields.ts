import type { ChannelTerms } from '@tollgate/domain/channel/events.ts'
import { int, optional, text } from '../http/body.ts'
import { type SplitSetting, splitSetting } from './setting.ts'

/** What a channel's form sends (console-api 2.7); counters and times that it sends back with it are ignored. */
export const CHANNEL_FIELDS = {
  type: int(),
  key: text(),
  status: int(),
  name: text(),
  other: text(),
  models: text(),
  group: text(),
  openai_organization: optional(text()),
  test_model: optional(text()),
  base_url: optional(text()),
  model_mapping: optional(text()),
  status_code_mapping: optional(text()),
  param_override: optional(text()),
  setting: optional(text()),
  tag: optional(text()),
  weight: optional(int()),
  priority: optional(int()),
  auto_ban: optional(int()),
  max_input_tokens: optional(int()),
} as const

export interface ChannelFields {
  readonly type: number
  readonly key: string
  readonly status: number
  readonly name: string
  readonly other: string
  readonly models: string
  readonly group: string
  readonly openai_organization?: string | undefined
  readonly test_model?: string | undefined
  readonly base_url?: string | undefined
  readonly model_mapping?: string | undefined
  readonly status_code_mapping?: string | undefined
  readonly param_override?: string | undefined
  readonly setting?: string | undefined
  readonly tag?: string | undefined
  readonly weight?: number | undefined
  readonly priority?: number | undefined
  readonly auto_ban?: number | undefined
  readonly max_input_tokens?: number | undefined
}

/** What the fields say of a channel's terms and of its proxy; what they do not speak of is not there. */
export interface ReadChannelFields {
  readonly changes: Partial<ChannelTerms>
  readonly proxy: SplitSetting['proxy']
}

/**
 * What a form asks for. Plain fields that are missing, 0 or '' stay as they are; nullable ones are written whenever they
 * are there, 0 and '' included (console-api 2.7).
 */
export function readChannelFields(fields: ChannelFields): ReadChannelFields {
  const { setting, proxy } = splitSetting(fields.setting)
  return {
    proxy,
    changes: given({
      type: fields.type === 0 ? undefined : fields.type,
      openaiOrganization: fields.openai_organization,
      testModel: fields.test_model,
      baseUrl: fields.base_url,
      other: fields.other === '' ? undefined : fields.other,
      models: fields.models === '' ? undefined : fields.models.split(','),
      groups: fields.group === '' ? undefined : fields.group.split(','),
      modelMapping: fields.model_mapping,
      statusCodeMapping: fields.status_code_mapping,
      paramOverride: fields.param_override,
      setting,
      priority: fields.priority,
      weight: fields.weight,
      autoBan: fields.auto_ban === undefined ? undefined : fields.auto_ban === 1,
      tag: fields.tag,
      maxInputTokens: fields.max_input_tokens,
    }),
  }
}

/** The terms among these that are there. */
export const given = (terms: {
  readonly [Name in keyof ChannelTerms]?: ChannelTerms[Name] | undefined
}): Partial<ChannelTerms> =>
  Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined))

/** What a new channel starts from; auto_ban is on unless the form says otherwise. */
export const NEW_CHANNEL: ChannelTerms = {
  type: 0,
  openaiOrganization: '',
  testModel: '',
  baseUrl: '',
  other: '',
  models: [],
  groups: ['default'],
  modelMapping: '',
  statusCodeMapping: '',
  paramOverride: '',
  setting: '',
  priority: 0,
  weight: 0,
  autoBan: true,
  tag: '',
  maxInputTokens: 0,
}
