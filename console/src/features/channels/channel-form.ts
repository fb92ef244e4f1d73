import type { Channel } from '../../core/contract.ts'
import type { ChannelTypeId } from '../../parts/channel-types.ts'
import type { Refusals } from '../../parts/form/form-values.ts'

/** The drawer's fields while it is edited. */
export interface ChannelForm {
  readonly type: number
  readonly name: string
  readonly key: string
  readonly baseUrl: string
  readonly other: string
  readonly organization: string
  readonly models: readonly string[]
  readonly groups: readonly string[]
  readonly testModel: string
  readonly tag: string
  readonly priority: string
  readonly weight: string
  readonly isAutoBan: boolean
  readonly modelMapping: string
  readonly statusCodeMapping: string
  readonly setting: string
  readonly paramOverride: string
}

/** The fields that can be wrong, each with the name of its message. */
export type ChannelErrors = Partial<
  Record<
    keyof ChannelForm,
    'name' | 'key' | 'models' | 'groups' | 'json' | 'priority' | 'weight' | 'region' | 'url'
  >
>

/** Refusals of the server about one field, of those that every type of channel has. */
export const CHANNEL_REFUSALS: Refusals<ChannelForm> = {
  channel_name_too_long: 'name',
  channel_key_missing: 'key',
  channel_key_invalid: 'key',
  channel_key_needed_again: 'key',
  channel_models_missing: 'models',
  channel_model_name_too_long: 'models',
  channel_priority_out_of_range: 'priority',
  channel_weight_out_of_range: 'weight',
  channel_model_mapping_invalid: 'modelMapping',
  channel_status_mapping_invalid: 'statusCodeMapping',
  channel_setting_invalid: 'setting',
  channel_param_override_invalid: 'paramOverride',
}

/** Lowest priority (seeds, section 5). */
export const PRIORITY_MIN = -999
/** The type whose empty `other` is saved as version 2.1, and that version (seeds, section 5). */
const SPARK = { type: 18, version: 'v2.1' } as const
/** The type whose `other` is a region. */
const VERTEX = 41

/** The form of a new channel (seeds, section 9: auto_ban on, group default). */
export const NEW_CHANNEL: ChannelForm = {
  type: 1,
  name: '',
  key: '',
  baseUrl: '',
  other: '',
  organization: '',
  models: [],
  groups: ['default'],
  testModel: '',
  tag: '',
  priority: '0',
  weight: '0',
  isAutoBan: true,
  modelMapping: '',
  statusCodeMapping: '',
  setting: '',
  paramOverride: '',
}

/** The form of a channel that is edited or copied. Keys are never sent to the console, so that field starts empty. */
export function formOf(channel: Channel): ChannelForm {
  return {
    type: channel.type,
    name: channel.name,
    key: '',
    baseUrl: channel.base_url ?? '',
    other: channel.other,
    organization: channel.openai_organization ?? '',
    models: channel.models.split(',').filter(Boolean),
    groups: channel.group.split(',').filter(Boolean),
    testModel: channel.test_model ?? '',
    tag: channel.tag ?? '',
    priority: String(channel.priority ?? 0),
    weight: String(channel.weight ?? 0),
    isAutoBan: channel.auto_ban !== 0,
    modelMapping: channel.model_mapping ?? '',
    statusCodeMapping: channel.status_code_mapping ?? '',
    setting: channel.setting ?? '',
    paramOverride: channel.param_override ?? '',
  }
}

/** The upstream of a form, whose models are asked for. */
export const sourceOf = ({ baseUrl, type, key }: ChannelForm) => ({
  base_url: baseUrl.trim(),
  type: type as ChannelTypeId,
  key: key.trim(),
})

/** The default models of each type, by type id. */
type TypeModels = Readonly<Record<string, readonly string[] | null>> | undefined

/**
 * Another type brings its default models, unless some were chosen (seeds, section 4): those of the type before do not
 * count as chosen.
 */
export function withType(
  form: ChannelForm,
  type: number,
  typeModels: TypeModels,
): Partial<ChannelForm> {
  return areModelsChosen(form, typeModels)
    ? { type }
    : { type, models: typeModels?.[String(type)] ?? [] }
}

/** The models with those that upstream has: beside the chosen ones, in place of others. */
export const withUpstream = (
  form: ChannelForm,
  upstream: readonly string[],
  typeModels: TypeModels,
): readonly string[] => [
  ...new Set([...(areModelsChosen(form, typeModels) ? form.models : []), ...upstream]),
]

function areModelsChosen(form: ChannelForm, typeModels: TypeModels): boolean {
  const before = typeModels?.[String(form.type)] ?? []
  return (
    form.models.length > 0 &&
    (form.models.length !== before.length || form.models.some((model) => !before.includes(model)))
  )
}

/** Checks the form by the rules of the seeds. An existing channel may keep its key by leaving the field empty. */
export function channelErrors(form: ChannelForm, isNew: boolean): ChannelErrors {
  const errors: { -readonly [Key in keyof ChannelErrors]: ChannelErrors[Key] } = {}
  if (form.name.trim() === '') errors.name = 'name'
  if (isNew && form.key.trim() === '') errors.key = 'key'
  if (form.models.length === 0) errors.models = 'models'
  if (form.groups.length === 0) errors.groups = 'groups'
  if (form.baseUrl.trim() !== '' && !/^https?:\/\/\S+$/.test(form.baseUrl.trim()))
    errors.baseUrl = 'url'
  if (!isPriority(form.priority)) errors.priority = 'priority'
  if (!isWeight(form.weight)) errors.weight = 'weight'
  if (form.type === VERTEX && form.other.trim() === '') errors.other = 'region'
  for (const field of ['modelMapping', 'statusCodeMapping', 'setting', 'paramOverride'] as const)
    if (!isJsonObject(form[field])) errors[field] = 'json'
  return errors
}

/** True when an address ends in `/v1`, which most upstreams would then get twice (seeds, section 5). */
export function hasVersionInUrl(form: ChannelForm): boolean {
  return /\/v1\/?$/.test(form.baseUrl.trim())
}

/** The body of POST /api/channel/. */
export function channelPayload(form: ChannelForm) {
  const isUnversionedSpark = form.type === SPARK.type && form.other.trim() === ''
  return {
    // Those that the form offers; any other number is the stored one, which the server judges.
    type: form.type as ChannelTypeId,
    name: form.name.trim(),
    key: form.key.trim(),
    base_url: form.baseUrl.trim().replace(/\/$/, ''),
    other: isUnversionedSpark ? SPARK.version : form.other.trim(),
    openai_organization: form.organization.trim(),
    models: form.models.join(','),
    group: form.groups.join(','),
    test_model: form.testModel.trim(),
    tag: form.tag.trim(),
    priority: Number(form.priority),
    weight: Number(form.weight),
    auto_ban: form.isAutoBan ? (1 as const) : (0 as const),
    model_mapping: form.modelMapping.trim(),
    status_code_mapping: form.statusCodeMapping.trim(),
    setting: form.setting.trim(),
    param_override: form.paramOverride.trim(),
  }
}

/** The fields of PUT /api/channel/: only what was edited, so that what others change meanwhile stays theirs. */
export function channelChanges(
  opened: ChannelForm,
  form: ChannelForm,
): Partial<ReturnType<typeof channelPayload>> {
  const before: Readonly<Record<string, unknown>> = channelPayload(opened)
  return Object.fromEntries(
    Object.entries(channelPayload(form)).filter(([name, value]) => value !== before[name]),
  )
}

/** A whole number of at least −999. */
export function isPriority(text: string): boolean {
  return (
    /^-?\d+$/.test(text.trim()) &&
    Number(text) >= PRIORITY_MIN &&
    Number.isSafeInteger(Number(text))
  )
}

/** A whole number of at least 0. */
export function isWeight(text: string): boolean {
  return /^\d+$/.test(text.trim()) && Number.isSafeInteger(Number(text))
}

/** Nothing, or JSON text of an object. */
export function isJsonObject(text: string): boolean {
  if (text.trim() === '') return true
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value)
  } catch {
    // Not JSON at all is as wrong as JSON of another shape.
    return false
  }
}
