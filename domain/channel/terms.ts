import type { ChannelTerms } from './events.ts'

/** Why terms are refused. */
export type TermsRejection =
  | { readonly reason: PlainReason }
  | { readonly reason: 'type-not-offered'; readonly type: number }
  | { readonly reason: NameTooLong; readonly name: string }

type NameTooLong = 'model-name-too-long' | 'group-name-too-long'
type PlainReason =
  | 'region-missing'
  | 'max-input-tokens-negative'
  | 'region-without-default'
  | 'models-missing'
  | 'base-url-missing'
  | 'base-url-invalid'
  | 'base-url-with-credentials'
  | 'organization-invalid'
  | 'plugin-invalid'
  | 'model-mapping-invalid'
  | 'status-code-mapping-invalid'
  | 'param-override-invalid'
  | 'setting-invalid'
  | 'setting-with-proxy'
  | 'priority-out-of-range'
  | 'weight-out-of-range'
  | 'terms-too-long'

/** The highest channel type there is: Coze. */
const TYPE_MAX = 49
/** Unassigned numbers, and 21, whose upstream has no usable protocol (channels.md 1.1). */
const TYPES_NOT_OFFERED: readonly number[] = [21, 28, 29, 30, 32]
const VERTEX_AI = 41
const XUNFEI = 18
/** What it calls a plugin goes into a header. */
const ALI = 17
/** Azure, custom, Suno and Xinference have no address of their own to fall back on. */
const TYPES_WITHOUT_BASE_URL: readonly number[] = [3, 8, 36, 47]

/** Bytes of the wire contract's columns. */
const MODEL_NAME_BYTES_MAX = 255
const GROUP_NAME_BYTES_MAX = 64
/** Keeps the event far below 1 MiB; a thousand models of long names fit. */
const TERMS_LENGTH_MAX = 200_000
export const PRIORITY_MIN = -999
const NUMBER_MAX = 1_000_000_000

/**
 * Terms as they are kept: names trimmed and without repetition, defaults filled in where a form leaves them empty, and
 * nothing else that may have come along with them.
 */
export const normalisedTerms = (terms: ChannelTerms): ChannelTerms => ({
  type: terms.type,
  openaiOrganization: terms.openaiOrganization.trim(),
  testModel: terms.testModel.trim(),
  baseUrl: terms.baseUrl.trim().replace(/\/$/, ''),
  // The version that the oldest of its models speaks.
  other: terms.type === XUNFEI && terms.other.trim() === '' ? 'v2.1' : terms.other.trim(),
  models: distinct(terms.models),
  groups: terms.groups.some((group) => group.trim() !== '') ? distinct(terms.groups) : ['default'],
  modelMapping: terms.modelMapping.trim(),
  statusCodeMapping: terms.statusCodeMapping.trim(),
  paramOverride: terms.paramOverride.trim(),
  setting: terms.setting.trim(),
  priority: terms.priority,
  weight: terms.weight,
  autoBan: terms.autoBan,
  tag: terms.tag.trim(),
  maxInputTokens: terms.maxInputTokens,
})

/** The first thing wrong with normalised terms, in the order of the rules below; null when nothing is. */
export function termsProblem(terms: ChannelTerms): TermsRejection | null {
  for (const rule of RULES) {
    const problem = rule(terms)
    if (problem !== null) return problem
  }
  return null
}

const RULES: ReadonlyArray<(terms: ChannelTerms) => TermsRejection | null> = [
  ({ type }) => (isOffered(type) ? null : { reason: 'type-not-offered', type }),
  ({ type, other }) => (type === VERTEX_AI && other === '' ? refuse('region-missing') : null),
  ({ type, other }) =>
    type === VERTEX_AI && !hasDefaultRegion(other) ? refuse('region-without-default') : null,
  ({ maxInputTokens }) => (maxInputTokens >= 0 ? null : refuse('max-input-tokens-negative')),
  ({ models }) => (models.length > 0 ? null : refuse('models-missing')),
  ({ models }) => tooLong(models, MODEL_NAME_BYTES_MAX, 'model-name-too-long'),
  ({ groups }) => tooLong(groups, GROUP_NAME_BYTES_MAX, 'group-name-too-long'),
  ({ type, baseUrl }) =>
    baseUrl === '' && TYPES_WITHOUT_BASE_URL.includes(type) ? refuse('base-url-missing') : null,
  ({ baseUrl }) =>
    baseUrl === '' || (/^https?:\/\//i.test(baseUrl) && URL.canParse(baseUrl))
      ? null
      : refuse('base-url-invalid'),
  // Terms go into events, which hold no secrets.
  ({ baseUrl }) =>
    baseUrl !== '' && hasCredentials(baseUrl) ? refuse('base-url-with-credentials') : null,
  ({ openaiOrganization }) =>
    isHeaderText(openaiOrganization) ? null : refuse('organization-invalid'),
  ({ type, other }) => (type !== ALI || isHeaderText(other) ? null : refuse('plugin-invalid')),
  ({ modelMapping }) =>
    isJsonTable(modelMapping, (target) => typeof target === 'string')
      ? null
      : refuse('model-mapping-invalid'),
  ({ statusCodeMapping }) =>
    isJsonTable(statusCodeMapping, isStatus, isStatus)
      ? null
      : refuse('status-code-mapping-invalid'),
  ({ paramOverride }) =>
    isJsonTable(
      paramOverride,
      () => true,
      (name) => name !== 'stream',
    )
      ? null
      : refuse('param-override-invalid'),
  ({ setting }) => (isJsonTable(setting, isSetting) ? null : refuse('setting-invalid')),
  ({ setting }) =>
    isJsonTable(
      setting,
      () => true,
      (name) => name !== 'proxy',
    )
      ? null
      : refuse('setting-with-proxy'),
  ({ priority }) =>
    isWholeWithin(priority, PRIORITY_MIN) ? null : refuse('priority-out-of-range'),
  ({ weight }) => (isWholeWithin(weight, 0) ? null : refuse('weight-out-of-range')),
  (terms) => (JSON.stringify(terms).length <= TERMS_LENGTH_MAX ? null : refuse('terms-too-long')),
]

const refuse = (reason: PlainReason): TermsRejection => ({ reason })

const isOffered = (type: number): boolean =>
  Number.isInteger(type) && type >= 1 && type <= TYPE_MAX && !TYPES_NOT_OFFERED.includes(type)

const isWholeWithin = (value: number, min: number): boolean =>
  Number.isInteger(value) && value >= min && value <= NUMBER_MAX

/** Either a plain region, or a JSON object of regions by model with one for all others. */
function hasDefaultRegion(other: string): boolean {
  const regions = tableOf(other)
  return regions === null || Object.hasOwn(regions, 'default')
}

function tooLong(
  names: readonly string[],
  bytesMax: number,
  reason: NameTooLong,
): TermsRejection | null {
  const name = names.find((candidate) => ENCODER.encode(candidate).length > bytesMax)
  return name === undefined ? null : { reason, name }
}

/** Whether a text can go into a header of a request to upstream; one that cannot would fail every request. */
export const isHeaderText = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

const ENCODER = new TextEncoder()

function hasCredentials(address: string): boolean {
  const { username, password } = new URL(address)
  return username !== '' || password !== ''
}

/** The settings of a channel that are known; others are kept for whoever knows them. */
function isSetting(value: unknown, name: string): boolean {
  switch (name) {
    case 'force_format':
    case 'thinking_to_content':
    case 'allow_provider_objects':
      return typeof value === 'boolean'
    case 'pass_request_headers':
      return isListOf(value, (header) => REQUEST_HEADERS_PASSED.includes(header))
    case 'pass_response_headers':
      return isListOf(value, (header) => HEADER_PATTERN.test(header))
    default:
      return true
  }
}

/** Headers of a client that a channel may have sent to its upstream, beside those that always are. */
export const REQUEST_HEADERS_PASSED: readonly string[] = [
  'baggage',
  'openai-organization',
  'openai-project',
]
/** A header's name, or the beginning of names. */
const HEADER_PATTERN = /^(?:[a-z\d-]{1,100}\*?|\*)$/
const HEADERS_MAX = 50

const isListOf = (value: unknown, isItem: (item: string) => boolean): boolean =>
  Array.isArray(value) &&
  value.length <= HEADERS_MAX &&
  value.every((item) => typeof item === 'string' && isItem(item))

/** True for '' and for a JSON object whose values and names are all right. */
function isJsonTable(
  text: string,
  isValue: (value: unknown, name: string) => boolean,
  isName: (name: string) => boolean = () => true,
): boolean {
  if (text === '') return true
  const table = tableOf(text)
  return (
    table !== null &&
    Object.entries(table).every(([name, value]) => isName(name) && isValue(value, name))
  )
}

const isStatus = (status: unknown): boolean =>
  (typeof status === 'string' || typeof status === 'number') && /^[1-5]\d\d$/.test(String(status))

function tableOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    const isTable = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isTable ? { ...value } : null
  } catch (cause) {
    if (cause instanceof SyntaxError) return null
    throw cause
  }
}

const distinct = (names: readonly string[]): readonly string[] => [
  ...new Set(names.map((name) => name.trim()).filter((name) => name !== '')),
]
