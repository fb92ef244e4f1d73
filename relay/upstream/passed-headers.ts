import type { IncomingHttpHeaders } from 'node:http'
import { headerText } from './header-text.ts'
import { shownText } from './mask.ts'

/** Headers that go on under their own names. */
export type PassedHeaders = Readonly<Record<string, string>>

/** Of a client's request: how it traces and repeats it, and what it wants of OpenAI's previews. */
const UP = ['traceparent', 'tracestate', 'x-client-request-id', 'idempotency-key', 'openai-beta']
/** Of upstream's answer: how it calls it, how long it took, and what SDKs do after a failure. */
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

/** What of a client's headers goes upstream. */
export function headersUp(headers: IncomingHttpHeaders): PassedHeaders {
  const given = UP.map((name) => [name, headerText(headers, name)] as const)
  return Object.fromEntries(given.filter(([, text]) => text !== '' && text.length <= UP_MAX))
}

/** What of upstream's headers goes to the client; `key` is masked. */
export function headersDown(headers: IncomingHttpHeaders, key: string): PassedHeaders {
  const told = [...DOWN].map(([name, form]) => [name, form, headerText(headers, name)] as const)
  return Object.fromEntries(
    told
      .filter(([, form, text]) => text.length <= DOWN_MAX && form.test(text))
      .map(([name, , text]) => [name, shownText(text, key, DOWN_MAX)]),
  )
}

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

/** Nobody waits longer than a day on an upstream's word. */
const RETRY_AFTER_SECONDS_MAX = 86_400
