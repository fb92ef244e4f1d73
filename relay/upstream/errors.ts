import { isObject, type JsonObject, parseForeign } from '../json.ts'
import type { UnreachableUpstream } from './call.ts'
import type { PassedHeaders } from './passed-headers.ts'
import { OWN_ERROR_TYPE } from '../refusal.ts'
import { shownText } from './mask.ts'

/** Upstream's error, brought into OpenAI's shape; every text cleaned, masked and bounded. */
export interface UpstreamError {
  /** Upstream's HTTP status, before any mapping; null when it gave none. */
  readonly upstreamStatus: number | null
  /** The status that the client and the retry rules go by. */
  readonly status: number
  readonly type: string
  readonly code: string
  readonly message: string
  readonly param: string
  /** At most 500 characters of the body, masked; '' without one. */
  readonly bodyExcerpt: string
  readonly retryAfterSeconds: number | null
  /** Headers of upstream's answer, for the client. */
  readonly headers?: PassedHeaders
  /**
   * Members of upstream's error object beside its message, as it wrote them (null, numbers, lists), texts masked and
   * cut.
   */
  readonly members?: JsonObject
}

const EXCERPT_MAX = 500
const MESSAGE_MAX = 1_000
/** The limit of type, code and param: names, none of which is longer with any vendor. */
const NAME_MAX = 200
/** The limit of the further members of an error as JSON, all of them together. */
const MEMBERS_MAX = 8 * 1024
/** The limit of an error's bytes and characters that are read: its message stands at the beginning. */
const READ_MAX = 64 * 1024

/**
 * An answer that is an error. A full OpenAI `error` object is kept; else the message is the first of the places that
 * providers put it (channels.md 0).
 */
export function upstreamError(status: number, body: Buffer, key: string): UpstreamError {
  const text = body.subarray(0, READ_MAX).toString('utf8')
  return describe({
    upstreamStatus: status,
    status,
    body: shallow(firstOf(parseForeign(text))),
    text,
    key,
  })
}

/** Gemini, behind OpenAI's protocol too, lists its errors: the first one counts. */
export const firstOf = (body: unknown): unknown => (Array.isArray(body) ? body[0] : body)

/** An error object in an answer of status 200; the client gets 502 unless the error itself says something closer. */
export function errorInAnswer(answer: JsonObject, key: string): UpstreamError {
  const body = shallow(answer)
  const text = body === undefined ? '' : JSON.stringify(body)
  return describe({ upstreamStatus: 200, status: statusOfError(answer['error']), body, text, key })
}

/** An error object of upstream's as it may be shown: each text masked and cut; null where it is nested beyond reason. */
export function shownError(error: JsonObject, key: string): JsonObject | null {
  if (shallow(error) === undefined) return null
  const shown = JSON.stringify(error, (_name, value: unknown) =>
    typeof value === 'string' ? shownText(value.slice(0, READ_MAX), key, MESSAGE_MAX) : value,
  )
  return JSON.parse(shown) as JsonObject
}

/** A value that can be written as JSON: of one nested beyond all that providers send, undefined. */
function shallow(value: unknown): unknown {
  let level: readonly unknown[] = [value]
  for (let depth = 0; depth < DEPTH_MAX; depth += 1) {
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    )
    if (level.length === 0) return value
  }
  return undefined
}

/** Levels of an error: writing thousands of them as JSON would use up the stack. */
const DEPTH_MAX = 100

/** An answer that cannot be read. */
export function garbageError(status: number, reason: string): UpstreamError {
  return plain(status, 502, 'bad_response_body', `${reason}; try again`)
}

/** No answer at all, or one that broke off. */
export function unreachableError(failure: UnreachableUpstream): UpstreamError {
  switch (failure.reason) {
    case 'connect':
      return plain(null, 502, 'upstream_unreachable', 'the upstream could not be reached')
    case 'forbidden': {
      const text = 'the address of this channel is one that channels may not lead to'
      return { ...plain(null, 502, 'upstream_forbidden', text), type: OWN_ERROR_TYPE }
    }
    case 'timeout':
      return plain(null, 504, 'upstream_timeout', 'the upstream did not answer in time')
    case 'broken':
    case 'stale':
      return plain(null, 502, 'upstream_broken', 'the connection to the upstream broke')
    case 'undecodable':
      return garbageError(200, 'upstream sent an unreadable encoding')
    case 'aborted':
      return plain(null, 499, 'client_closed_request', 'the client closed the connection')
    default:
      return failure.reason satisfies never
  }
}

/** A channel that cannot be used as it is set up; retried on others like an upstream's failure. */
export const unusableError = (status: number, code: string, message: string): UpstreamError => ({
  ...plain(null, status, code, message),
  type: OWN_ERROR_TYPE,
})

/** The error for a member of a request that a channel's protocol has no word for; another channel may have one. */
export const untranslatableError = (param: string, message: string): UpstreamError => ({
  ...unusableError(400, UNTRANSLATABLE, message),
  param,
})

/** Code of an untranslatableError. */
export const UNTRANSLATABLE = 'unsupported_by_channel'

function plain(
  upstream: number | null,
  status: number,
  code: string,
  message: string,
): UpstreamError {
  return {
    upstreamStatus: upstream,
    status,
    type: 'upstream_error',
    code,
    message,
    param: '',
    bodyExcerpt: '',
    retryAfterSeconds: null,
  }
}

function describe({
  upstreamStatus,
  status,
  body,
  text,
  key,
}: {
  readonly upstreamStatus: number
  readonly status: number
  readonly body: unknown
  readonly text: string
  readonly key: string
}): UpstreamError {
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {}
  const message =
    textOf(error['message']) ?? messageOf(body) ?? `bad response status code ${status}`
  const isFull = textOf(error['message']) !== null
  const shown = (written: string, charactersMax: number): string =>
    shownText(written.slice(0, READ_MAX), key, charactersMax)
  const nameOf = (written: string | null): string | null =>
    isFull && written !== null ? shown(written, NAME_MAX) : null
  return {
    upstreamStatus,
    status,
    type: nameOf(textOf(error['type'])) ?? 'upstream_error',
    code: nameOf(codeOf(error['code'])) ?? 'bad_response_status_code',
    message: shown(message, MESSAGE_MAX),
    param: nameOf(textOf(error['param'])) ?? (isFull ? '' : String(status)),
    bodyExcerpt: shown(maskedJson(body, key) ?? text, EXCERPT_MAX),
    retryAfterSeconds: null,
    members: membersOf(isObject(body) ? { ...detailIn(body), ...error } : {}, key),
  }
}

/** Where some providers describe the error, beside an error object or in place of one. */
const detailIn = (body: JsonObject): JsonObject =>
  'detail' in body ? { detail: body['detail'] } : {}

/** Members of an error but its message, those that fit; each text in them as it may be shown. */
function membersOf(error: JsonObject, key: string): JsonObject {
  let charactersLeft = MEMBERS_MAX
  const kept: Array<[string, unknown]> = []
  for (const [name, value] of Object.entries(error)) {
    if (name === 'message' || name.length > NAME_MAX) continue
    const textMax = NAMES.has(name) ? NAME_MAX : MESSAGE_MAX
    const json = JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'string' ? shownText(inner.slice(0, READ_MAX), key, textMax) : inner,
    )
    const length = name.length + json.length
    if (length > charactersLeft) continue
    charactersLeft -= length
    kept.push([shownText(name, key, NAME_MAX), JSON.parse(json)])
  }
  return Object.fromEntries(kept)
}

const NAMES: ReadonlySet<string> = new Set(['type', 'code', 'param'])

/**
 * The beginning of a JSON body with each text masked as it reads, which escapes in its bytes would hide; null for any
 * other body.
 */
function maskedJson(body: unknown, key: string): string | null {
  if (typeof body !== 'object' || body === null) return null
  let charactersLeft = EXCERPT_MAX
  return JSON.stringify(body, (_name, value: unknown) => {
    if (typeof value !== 'string') return value
    // Text behind the excerpt is not worth the time.
    if (charactersLeft <= 0) return ''
    const text = shownText(value.slice(0, READ_MAX), key, EXCERPT_MAX)
    charactersLeft -= text.length + QUOTES
    return text
  })
}

const QUOTES = 2

/** The places where providers put their message, in order. */
function messageOf(body: unknown): string | null {
  if (!isObject(body)) return null
  for (const field of ['message', 'msg', 'err', 'error', 'error_msg', 'detail']) {
    const text = textOf(body[field])
    if (text !== null) return text
  }
  const detail = firstOf(body['detail'])
  if (isObject(detail) && textOf(detail['msg']) !== null) return textOf(detail['msg'])
  const header = body['header']
  if (isObject(header) && textOf(header['message']) !== null) return textOf(header['message'])
  const response = body['response']
  const inner = isObject(response) && isObject(response['error']) ? response['error'] : {}
  return textOf(inner['message'])
}

/** HTTP status that an error object of a 200 answer stands for. */
function statusOfError(error: unknown): number {
  if (!isObject(error)) return 502
  const { code, type, status } = error
  for (const number of [code, status]) {
    const value = Number(number)
    if (Number.isInteger(value) && value >= 400 && value <= 599) return value
  }
  if (type === 'overloaded_error') return 529
  if (type === 'invalid_request_error' || code === 'context_length_exceeded') return 400
  if (code === 'rate_limit_exceeded' || type === 'rate_limit_error') return 429
  if (type === 'insufficient_quota' || code === 'insufficient_quota') return 429
  return 502
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

const codeOf = (value: unknown): string | null =>
  typeof value === 'number' ? String(value) : textOf(value)
