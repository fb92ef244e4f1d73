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
/** Types that a channel may have. */
export const CHANNEL_TYPES: readonly number[] = Array.from(
  { length: TYPE_MAX },
  (_, index) => index + 1,
).filter((type) => !TYPES_NOT_OFFERED.includes(type))
const VERTEX_AI = 41
const XUNFEI = 18
/** Ali's type: its channels name a plugin, which goes into a header. */
const ALI = 17
/** Azure, custom, Suno and Xinference have no address of their own to fall back on. */
const TYPES_WITHOUT_BASE_URL: readonly number[] = [3, 8, 36, 47]

/** Bytes of the wire contract's columns. */
const MODEL_NAME_BYTES_MAX = 255
const GROUP_NAME_BYTES_MAX = 64
/** Keeps the event far below 1 MiB; a thousand models of long names fit. */
const TERMS_LENGTH_MAX = 200_000
export const PRIORITY_MIN = -999
/** Highest priority and weight. */
export const CHANNEL_NUMBER_MAX = 1_000_000_000

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

/** The first thing wrong with normalised terms, in the order of the guards; null when nothing is. */
export function termsProblem(terms: ChannelTerms): TermsRejection | null {
  const { type, other, models, groups, baseUrl, setting, priority, weight } = terms
  if (!isOffered(type)) return { reason: 'type-not-offered', type }
  if (type === VERTEX_AI && other === '') return refuse('region-missing')
  if (type === VERTEX_AI && !hasDefaultRegion(other)) return refuse('region-without-default')
  if (terms.maxInputTokens < 0) return refuse('max-input-tokens-negative')
  if (models.length === 0) return refuse('models-missing')
  const model = tooLong(models, MODEL_NAME_BYTES_MAX)
  if (model !== undefined) return { reason: 'model-name-too-long', name: model }
  const group = tooLong(groups, GROUP_NAME_BYTES_MAX)
  if (group !== undefined) return { reason: 'group-name-too-long', name: group }
  if (baseUrl === '' && TYPES_WITHOUT_BASE_URL.includes(type)) return refuse('base-url-missing')
  if (baseUrl !== '' && !isHttpAddress(baseUrl)) return refuse('base-url-invalid')
  // Terms go into events, which hold no secrets.
  if (baseUrl !== '' && hasCredentials(baseUrl)) return refuse('base-url-with-credentials')
  if (!isHeaderText(terms.openaiOrganization)) return refuse('organization-invalid')
  if (type === ALI && !isHeaderText(other)) return refuse('plugin-invalid')
  if (!isJsonTable(terms.modelMapping, isText)) return refuse('model-mapping-invalid')
  if (!isJsonTable(terms.statusCodeMapping, isStatus, isStatus)) {
    return refuse('status-code-mapping-invalid')
  }
  if (!isJsonTable(terms.paramOverride, isAnything, (name) => name !== 'stream')) {
    return refuse('param-override-invalid')
  }
  if (!isJsonTable(setting, isSetting)) return refuse('setting-invalid')
  if (!isJsonTable(setting, isAnything, (name) => name !== 'proxy')) {
    return refuse('setting-with-proxy')
  }
  if (!isWholeWithin(priority, PRIORITY_MIN)) return refuse('priority-out-of-range')
  if (!isWholeWithin(weight, 0)) return refuse('weight-out-of-range')
  if (JSON.stringify(terms).length > TERMS_LENGTH_MAX) return refuse('terms-too-long')
  return null
}

const refuse = (reason: PlainReason): TermsRejection => ({ reason })

const isOffered = (type: number): boolean => CHANNEL_TYPES.includes(type)

const isWholeWithin = (value: number, min: number): boolean =>
  Number.isInteger(value) && value >= min && value <= CHANNEL_NUMBER_MAX

/** Either a plain region, or a JSON object of regions by model with one for all others. */
function hasDefaultRegion(other: string): boolean {
  const regions = tableOf(other)
  return regions === null || Object.hasOwn(regions, 'default')
}

const tooLong = (names: readonly string[], bytesMax: number): string | undefined =>
  names.find((name) => ENCODER.encode(name).length > bytesMax)

const isAnything = (): boolean => true
const isText = (value: unknown): boolean => typeof value === 'string'

const isHttpAddress = (address: string): boolean =>
  /^https?:\/\//i.test(address) && URL.canParse(address)

/** Whether a text can go into a header of a request to upstream; one that cannot would fail every request. */
export const isHeaderText = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

const ENCODER = new TextEncoder()

function hasCredentials(address: string): boolean {
  const { username, password } = new URL(address)
  return username !== '' || password !== ''
}

/** Checks a setting of a channel that Tollgate knows; others are kept for clients that know them. */
function isSetting(value: unknown, name: string): boolean {
  switch (name) {
    case 'force_format':
    case 'thinking_to_content':
    case 'allow_provider_objects':
    case 'allow_price_terms':
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
  isName: (name: string) => boolean = isAnything,
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
