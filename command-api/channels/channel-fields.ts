import type { ChannelTerms } from '@tollgate/domain/channel/events.ts'
import { CHANNEL_NUMBER_MAX, CHANNEL_TYPES, PRIORITY_MIN } from '@tollgate/domain/channel/terms.ts'
import { int, optional, text } from '../http/body.ts'
import { type SplitSetting, splitSetting } from './setting.ts'

/**
 * The fields that a channel's form sends (console-api 2.7); counters and times that it sends back with them are
 * ignored.
 */
export const CHANNEL_FIELDS = {
  type: int().meta({
    description:
      'Number of the provider whose protocol the channel speaks, such as 1 = OpenAI; 0 in a change = unchanged',
    enum: [0, ...CHANNEL_TYPES],
  }),
  key: text().describe(
    'Provider’s key, of which POST makes a channel for each line, but for type 41, whose key is JSON; empty in a change = unchanged',
  ),
  status: int().meta({
    description:
      '1 = on, 2 = switched off; 0 = on for a new channel, unchanged in a change; 3 = taken out of service automatically, which POST reads as 2 and a change ignores',
    enum: [0, 1, 2, 3],
  }),
  name: text().describe(
    'Name that administrators know the channel by; empty in a change = unchanged',
  ),
  other: text().describe(
    'Further term of its type: API version (3, 18, 24), plugin (17), account (39), region or JSON of regions by model (41); empty in a change = unchanged',
  ),
  models: text().describe(
    'Models that the channel serves, joined by commas; empty in a change = unchanged',
  ),
  group: text().describe(
    'Groups that the channel serves, joined by commas; empty = default for a new channel, unchanged in a change',
  ),
  openai_organization: optional(text()).describe(
    'Sent upstream as the header OpenAI-Organization; empty = none',
  ),
  test_model: optional(text()).describe(
    'Model that tests of the channel call; empty = the first that it serves',
  ),
  base_url: optional(text()).describe(
    'Address of upstream; empty = the type’s own, which types 3, 8, 36 and 47 do not have',
  ),
  model_mapping: optional(text()).describe(
    'JSON object: the model that is asked for to the one that upstream is sent; empty = none',
  ),
  status_code_mapping: optional(text()).describe(
    'JSON object: HTTP status of upstream to the one that the client gets; empty = none',
  ),
  param_override: optional(text()).describe(
    'JSON object of members that replace those of each request body; stream is refused. Empty = none',
  ),
  setting: optional(text()).describe(
    'JSON object: force_format, thinking_to_content, allow_provider_objects, allow_price_terms (true or false); pass_request_headers, pass_response_headers (lists of names); proxy, which is kept apart as a secret and stays when it is left out',
  ),
  tag: optional(text()).describe('Label by which channels are changed together; empty = none'),
  weight: optional(int()).meta({
    description:
      'Share of the requests among channels of the same priority; default 0, the smallest share',
    minimum: 0,
    maximum: CHANNEL_NUMBER_MAX,
  }),
  priority: optional(int()).meta({
    description: 'Channels of a higher priority are tried first; default 0',
    minimum: PRIORITY_MIN,
    maximum: CHANNEL_NUMBER_MAX,
  }),
  auto_ban: optional(int()).meta({
    description:
      'Whether failures of upstream take the channel out of service: 1 = yes, the default for a new channel, 0 = no',
    enum: [0, 1],
  }),
  max_input_tokens: optional(int()).meta({
    description: 'Most prompt tokens, as a note for administrators; not enforced. 0 = none',
    minimum: 0,
  }),
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

/** The values of the fields for a channel's terms and for its proxy; a value that no field gives is absent. */
export interface ReadChannelFields {
  readonly changes: Partial<ChannelTerms>
  readonly proxy: SplitSetting['proxy']
}

/**
 * The changes that a form asks for. Plain fields that are missing, 0 or '' stay as they are; nullable ones are written
 * whenever they are there, 0 and '' included (console-api 2.7).
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

/** The terms that a new channel starts from; auto_ban is on unless the form says otherwise. */
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
