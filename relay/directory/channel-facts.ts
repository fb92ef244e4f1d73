import type { ChannelTerms } from '@tollgate/domain/channel/events.ts'
import type { ChannelId } from '@tollgate/domain/ids.ts'
import { REQUEST_HEADERS_PASSED } from '@tollgate/domain/channel/terms.ts'
import { foreignText, withoutTrailing } from '@tollgate/domain/text.ts'
import { channelType } from '../channel-types.ts'
import { isObject, type JsonObject } from '../json.ts'
import type { ChannelFacts } from './facts.ts'

/** A channel as events and secrets tell of it. */
export interface KnownChannel {
  readonly id: ChannelId
  readonly terms: ChannelTerms
  readonly isEnabled: boolean
  readonly key: string
  readonly proxy: string
}

/**
 * A channel with its JSON texts read; null for a type that does not exist. A text that cannot be read counts as absent:
 * it was checked when it was stored.
 */
export function channelFacts(channel: KnownChannel): ChannelFacts | null {
  const { terms } = channel
  const type = channelType(terms.type)
  if (type === null) return null
  const setting = objectIn(terms.setting)
  return {
    ...channel,
    type,
    baseUrl: withoutTrailing(terms.baseUrl === '' ? type.baseUrl : terms.baseUrl, '/'),
    modelMapping: textsOf(objectIn(terms.modelMapping)),
    statusCodeMapping: statusesOf(objectIn(terms.statusCodeMapping)),
    paramOverride: overrideOf(objectIn(terms.paramOverride)),
    chunks: {
      forceFormat: setting['force_format'] === true,
      thinkingToContent: setting['thinking_to_content'] === true,
    },
    headers: {
      up: namesIn(setting['pass_request_headers']).filter((name) =>
        REQUEST_HEADERS_PASSED.includes(name),
      ),
      down: namesIn(setting['pass_response_headers']),
    },
    allowsProviderObjects: setting['allow_provider_objects'] === true,
    allowsPriceTerms: setting['allow_price_terms'] === true,
  }
}

const namesIn = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.filter((name) => typeof name === 'string') : []

/** As long as a model's name may be anywhere. */
const MODEL_LENGTH_MAX = 255

/** An escape such as `\u0000` in the JSON text is only seen now: charges name these models. */
function textsOf(map: JsonObject): ReadonlyMap<string, string> {
  const texts = Object.entries(map).map(
    ([from, to]) =>
      [from, typeof to === 'string' ? foreignText(to, MODEL_LENGTH_MAX) : ''] as const,
  )
  return new Map(texts.filter(([, to]) => to !== ''))
}

/** Only error statuses can be mapped, and only to error statuses. */
function statusesOf(map: JsonObject): ReadonlyMap<number, number> {
  const isError = (status: number): boolean =>
    Number.isInteger(status) && status >= 300 && status <= 599
  return new Map(
    Object.entries(map)
      .map(([from, to]) => [Number(from), Number(to)] as const)
      .filter(([from, to]) => isError(from) && isError(to)),
  )
}

function overrideOf(map: JsonObject): JsonObject | null {
  const { stream: _stream, ...rest } = map
  return Object.keys(rest).length === 0 ? null : rest
}

function objectIn(text: string): JsonObject {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    // Stored by a version with other rules; the channel works without it.
    return {}
  }
}
