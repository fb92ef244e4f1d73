import type { SessionUser } from './contract.ts'
import { endSession, sessionUser, signedInAgain } from './session.ts'
import { beginSubmission, settleSubmission, type Submission } from './submission.ts'

/** A failed call: its message in the reader's language, and the request id that support asks for. */
export class ApiError extends Error {
  readonly kind: 'unreachable' | 'unauthenticated' | 'rate-limited' | 'failed' | 'rejected'
  readonly status: number
  readonly requestId: string
  readonly retryable: boolean
  /** The server's code of the failure, such as `balance_exhausted`; '' when its answer had none. */
  readonly code: string
  /** The values within the server's text, by the names that go with the code. */
  readonly params: ServerFailure['params']

  constructor(fields: {
    kind: ApiError['kind']
    message: string
    code: string
    params?: ServerFailure['params']
    status: number
    requestId: string
    cause?: unknown
  }) {
    super(fields.message, { cause: fields.cause })
    this.name = 'ApiError'
    this.kind = fields.kind
    this.status = fields.status
    this.requestId = fields.requestId
    this.code = fields.code
    this.params = fields.params ?? {}
    this.retryable = fields.kind === 'unreachable' || fields.status >= 500
  }
}

/** A failure as the server tells it: its text, and the code and values from which any language's text is made. */
export interface ServerFailure {
  readonly message: string
  readonly code: string
  readonly params: Readonly<Record<string, string | number>>
}

/** The envelope of every answer, with the keys that some routes put beside it. */
export interface Envelope<Data> {
  /** The two routes of online payment say `message` 'success' or 'error' in its place, and what is wrong in `data`. */
  readonly success?: boolean
  readonly message: string
  readonly data: Data
  /** Which text the message is: of a failure, or of a remark on a success. */
  readonly code?: string
  /** The values within that text. */
  readonly params?: Readonly<Record<string, string | number>>
}

/** Query values; absent and empty ones are left out of the address. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** Texts for failures that carry no message of their own; set by i18n when the language is known. */
export const failureTexts = {
  unreachable: '',
  unauthenticated: '',
  rateLimited: '',
  serverError: '',
  demoSite: '',
  /** For an answer without a text, with a status that is no fault of the server. */
  requestFailed: '',
  /** The words before the message of an HTTP failure (seeds, error catalogue). */
  prefix: '',
}

/** How the server's failures are put into the reader's language; set by i18n when the language is known. */
export const serverWords: { render: (failure: ServerFailure) => Promise<string> } = {
  render: ({ message }) => Promise.resolve(message),
}

/** Options of a call. */
export interface CallOptions {
  readonly query?: Query
  readonly body?: unknown
  readonly signal?: AbortSignal
  /** Media type of the answer; JSON by default. */
  readonly accept?: string
}

/**
 * Calls the API and gives the whole envelope. Throws ApiError when the answer is not a success. When a session ended
 * while somebody works, the call waits for them to sign in over the page, and is then repeated. Any other answer of 401
 * ends the session that the call was made in, if that is still the present one, as `leaveForLogin` says.
 */
export async function callEnvelope<Data>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  options: CallOptions = {},
): Promise<Envelope<Data>> {
  const written = JSON.stringify(options.body) ?? ''
  const submission =
    method === 'GET'
      ? null
      : beginSubmission(`${method} ${address(path, options.query)} ${written}`)
  let isDefinite = false
  try {
    const response = await send(method, path, options, submission)
    const envelope = parseEnvelope<Data>(await response.text().catch(unreachable))
    isDefinite = response.status < 500 && !NOT_YET.includes(response.status)
    if (response.ok && envelope && isSuccess(envelope)) return envelope
    throw await refusedBy(response, envelope)
  } finally {
    if (submission) settleSubmission(submission, isDefinite)
  }
}

/** Another is at it at this moment, or too many have come: the answer may be another soon. */
const NOT_YET: readonly number[] = [409, 429]

/** Formats in which the server writes a whole list or statement. */
export type ListFormat = 'text/csv' | 'application/x-ndjson' | 'application/zip'

/** GET of a list as a file: all that the query filters. Throws ApiError, also when the file breaks off on its way. */
export async function getFile(path: string, query: Query, format: ListFormat): Promise<Blob> {
  const response = await send('GET', path, { query, accept: format })
  if (response.ok && response.headers.get('content-type')?.startsWith(format)) {
    return await response.blob().catch(unreachable)
  }
  throw await refusedBy(response, parseEnvelope(await response.text()))
}

async function refusedBy(
  response: Response,
  envelope: Envelope<unknown> | null,
): Promise<ApiError> {
  const requestId = response.headers.get('x-oneapi-request-id') ?? ''
  const failure = failureOf(envelope)
  return new ApiError({
    kind: failureKind(response.status),
    message: await messageOf(response, failure),
    code: failure.code,
    params: failure.params,
    status: response.status,
    requestId,
  })
}

/** GET, answering the envelope's data. */
export async function get<Data>(path: string, query?: Query, signal?: AbortSignal): Promise<Data> {
  const options = { ...(query ? { query } : {}), ...(signal ? { signal } : {}) }
  return (await callEnvelope<Data>('GET', path, options)).data
}

/** POST, answering the envelope's data. */
export async function post<Data = unknown>(path: string, body?: unknown): Promise<Data> {
  return (await callEnvelope<Data>('POST', path, { body })).data
}

/** PUT, answering the envelope's data. */
export async function put<Data = unknown>(
  path: string,
  body: unknown,
  query?: Query,
): Promise<Data> {
  return (await callEnvelope<Data>('PUT', path, { body, ...(query ? { query } : {}) })).data
}

/** PATCH, answering the envelope's data. */
export async function patch<Data = unknown>(path: string, body: unknown): Promise<Data> {
  return (await callEnvelope<Data>('PATCH', path, { body })).data
}

/** DELETE, answering the envelope's data. */
export async function remove<Data = unknown>(path: string): Promise<Data> {
  return (await callEnvelope<Data>('DELETE', path)).data
}

/** Path and query as one address; undefined and empty values are left out. */
export function address(path: string, query: Query = {}): string {
  const params = new URLSearchParams()
  for (const [key, value] of Object.entries(query))
    if (value !== undefined && value !== '') params.set(key, String(value))
  const search = params.toString()
  return search ? `${path}?${search}` : path
}

async function send(
  method: string,
  path: string,
  options: CallOptions,
  submission: Submission | null = null,
): Promise<Response> {
  const session = sessionUser()
  const response = await sendOnce(method, path, options, submission)
  if (response.status !== 401) return response
  // The server refused the call before it did anything, so even a change may be sent again.
  if (session && isAtWork() && (await isBack(session))) {
    const renewed = sessionUser()
    const repeated = await sendOnce(method, path, options, submission)
    if (repeated.status === 401) leaveUnlessRenewed(renewed)
    return repeated
  }
  leaveUnlessRenewed(session)
  return response
}

/** Waits until the user of an ended session has signed in again. False when they, or somebody else, did not. */
async function isBack(session: SessionUser): Promise<boolean> {
  // Somebody else may have signed in since: the call is not theirs, and is not sent again.
  return sessionUser() === session ? signedInAgain() : sessionUser()?.id === session.id
}

/** The answer to a call says nothing about a session that began after the call. */
function leaveUnlessRenewed(session: SessionUser | null): void {
  if (sessionUser() === session) leaveForLogin()
}

/** Whether something may have been typed or opened that going to another page would lose. */
const isAtWork = (): boolean =>
  navigator.userActivation.hasBeenActive && !location.pathname.startsWith('/login')

async function sendOnce(
  method: string,
  path: string,
  options: CallOptions,
  submission: Submission | null,
): Promise<Response> {
  const hasBody = options.body !== undefined
  try {
    return await fetch(address(path, options.query), {
      method,
      credentials: 'same-origin',
      headers: {
        'New-Api-User': String(sessionUser()?.id ?? -1),
        'Cache-Control': 'no-store',
        ...(options.accept ? { Accept: options.accept } : {}),
        ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
        ...(submission ? { 'Idempotency-Key': submission.key } : {}),
      },
      ...(hasBody ? { body: JSON.stringify(options.body) } : {}),
      ...(options.signal ? { signal: options.signal } : {}),
    })
  } catch (cause) {
    if (options.signal?.aborted) throw cause
    return unreachable(cause)
  }
}

function unreachable(cause: unknown): never {
  throw new ApiError({
    kind: 'unreachable',
    message: failureTexts.unreachable,
    code: '',
    status: 0,
    requestId: '',
    cause,
  })
}

const isSuccess = (envelope: Envelope<unknown>): boolean =>
  envelope.success ?? envelope.message === 'success'

function failureOf(envelope: Envelope<unknown> | null): ServerFailure {
  // A proxy's JSON is no envelope: nothing of it is certain.
  const said: Partial<Envelope<unknown>> = envelope ?? {}
  const { success, message = '', data, code = '', params = {} } = said
  const isPayment = success === undefined && typeof data === 'string'
  return { message: isPayment ? data : message, code, params }
}

function parseEnvelope<Data>(text: string): Envelope<Data> | null {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? (value as Envelope<Data>) : null
  } catch {
    // A proxy's HTML page or an empty body: the status alone has to explain the failure.
    return null
  }
}

function failureKind(status: number): ApiError['kind'] {
  if (status === 401) return 'unauthenticated'
  if (status === 429) return 'rate-limited'
  return status >= 200 && status < 300 ? 'rejected' : 'failed'
}

/** Failures begin with a word that says so; refusals (status 200), an ended session and a demo site speak for themselves. */
async function messageOf({ ok, status }: Response, failure: ServerFailure): Promise<string> {
  if (failure.message === '') return failureText(status)
  const text = await serverWords.render(failure)
  const isPlain = ok || status === 401 || status === 405 || text.startsWith(failureTexts.prefix)
  return isPlain ? text : failureTexts.prefix + text
}

function failureText(status: number): string {
  if (status === 401) return failureTexts.unauthenticated
  if (status === 405) return failureTexts.demoSite
  if (status === 429) return failureTexts.rateLimited
  if (status >= 500) return failureTexts.serverError
  return `${failureTexts.prefix}${failureTexts.requestFailed} (HTTP ${status})`
}

/** Forgets the session and goes to the login page, which says that the session expired and leads back afterwards. */
export function leaveForLogin(): void {
  endSession()
  const { pathname, search, hash } = location
  if (pathname.startsWith('/login')) return
  const next = pathname === '/' ? '' : pathname + search + hash
  location.assign(address('/login', { expired: true, next }))
}

/** The answer that `asked` resolves to; null when the server has no such record (`not_found`). */
export async function orNull<Data>(asked: Promise<Data>): Promise<Data | null> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return null
    throw error
  }
}
