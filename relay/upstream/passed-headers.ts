import type { IncomingHttpHeaders } from 'node:http'
import { headerText } from './header-text.ts'
import { shownText } from './mask.ts'

/** Headers that go on under their own names. */
export type PassedHeaders = Readonly<Record<string, string>>

/** Headers of a client's request: its trace, its repetition, and its choice of OpenAI's previews. */
const UP = ['traceparent', 'tracestate', 'x-client-request-id', 'idempotency-key', 'openai-beta']
/** Headers of upstream's answer: its name, its duration, and instructions to SDKs after a failure. */
const DOWN: ReadonlyMap<string, RegExp> = new Map([
  ['x-request-id', /^[\w.:/+=-]+$/],
  // Anthropic's name of it.
  ['request-id', /^[\w.:/+=-]+$/],
  ['openai-processing-ms', /^\d+(?:\.\d+)?$/],
  ['openai-version', /^[\w.-]+$/],
  ['x-should-retry', /^(?:true|false)$/],
  ['retry-after-ms', /^\d{1,8}(?:\.\d+)?$/],
])
/** A tracestate has at most 512 characters. */
const UP_MAX = 1_024
const DOWN_MAX = 200

/** Headers that a channel has pass beside those: of requests by name; of answers by name, or by its beginning and `*`. */
export interface HeaderNames {
  readonly up: readonly string[]
  readonly down: readonly string[]
}

/** The client's headers that go upstream. */
export function headersUp(headers: IncomingHttpHeaders, more: readonly string[]): PassedHeaders {
  const given = [...UP, ...more].map((name) => [name, headerText(headers, name)] as const)
  return Object.fromEntries(given.filter(([, text]) => text !== '' && text.length <= UP_MAX))
}

/** A channel, as far as it decides on the headers that pass. */
interface ForwardingChannel {
  /** Masked. */
  readonly key: string
  readonly headers: HeaderNames
}

/** Upstream's headers that go to the client. */
export function headersDown(
  headers: IncomingHttpHeaders,
  { key, headers: { down } }: ForwardingChannel,
): PassedHeaders {
  const always = [...DOWN].map(([name, form]) => [name, form] as const)
  const more = Object.keys(headers)
    .filter((name) => down.some((pattern) => isNamed(name, pattern)) && !isOurs(name))
    .slice(0, MORE_MAX)
    .map((name) => [name, ANY_VALUE] as const)
  const told = [...more, ...always].map(
    ([name, form]) => [name, form, headerText(headers, name)] as const,
  )
  return Object.fromEntries(
    told
      .filter(([, form, text]) => text.length <= DOWN_MAX && form.test(text))
      .map(([name, , text]) => [name, shownText(text, key, DOWN_MAX)]),
  )
}

const ANY_VALUE = /^[\x20-\x7e]+$/
/** More than any provider sends. */
const MORE_MAX = 50

const isNamed = (name: string, pattern: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern

/** Headers of a connection, a body, a browser or an answer of ours: upstream has no say in them. */
const isOurs = (name: string): boolean => DOWN.has(name) || OURS.test(name)
const OURS =
  /^(?:access-control-.*|alt-svc|cache-control|clear-site-data|connection|content-.*|cross-origin-.*|date|keep-alive|link|location|proxy-.*|refresh|retry-after|server|set-cookie2?|strict-transport-security|te|trailer|transfer-encoding|upgrade|www-authenticate|x-accel-.*|x-content-type-options|x-oneapi-request-id)$/

/**
 * Seconds after which upstream wants to be asked again, by `retry-after` as seconds or as a date, counted from
 * upstream's own `date`; null for anything else.
 */
export function retryAfterSeconds(headers: IncomingHttpHeaders): number | null {
  const said = headerText(headers, 'retry-after')
  const waitMs = Date.parse(said) - Date.parse(headerText(headers, 'date'))
  const seconds = Math.ceil(HTTP_DATE.test(said) ? waitMs / 1_000 : Number(said))
  return seconds > 0 ? Math.min(seconds, RETRY_AFTER_SECONDS_MAX) : null
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** No client waits longer than a day on an upstream's word. */
const RETRY_AFTER_SECONDS_MAX = 86_400
