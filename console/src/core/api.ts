import type { AddressFor, BodyOf, DataOf, EnvelopeOf, Method } from './calls.ts'
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

/** The members that any envelope may hold, beside those of a call's own. */
export interface Envelope {
  /** The two routes of online payment say `message` 'success' or 'error' in its place, and what is wrong in `data`. */
  readonly success?: boolean
  readonly message: string
  readonly data?: unknown
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
export interface CallOptions<Body = unknown> {
  readonly query?: Query
  readonly body?: Body
  readonly signal?: AbortSignal
  /** Media type of the answer; JSON by default. */
  readonly accept?: string
}

/**
 * Calls the API and gives the whole envelope. Throws ApiError when the answer is not a success. When a session ended
 * while somebody works, the call waits for them to sign in over the page, and is then repeated. Any other answer of 401
 * ends the session that the call was made in, if that is still the present one, as `leaveForLogin` says.
 */
export async function callEnvelope<M extends Method, Address extends AddressFor<M>>(
  method: M,
  path: Address,
  options: CallOptions<BodyOf<M, Address>> = {},
): Promise<EnvelopeOf<M, Address> & Envelope> {
  const written = JSON.stringify(options.body) ?? ''
  const submission =
    method === 'GET'
      ? null
      : beginSubmission(`${method} ${address(path, options.query)} ${written}`)
  let isDefinite = false
  try {
    const response = await send(method, path, options, submission)
    const envelope = parseEnvelope(await response.text().catch(unreachable))
    isDefinite = response.status < 500 && !NOT_YET.includes(response.status)
    // The server's tests hold each answer to its declaration.
    if (response.ok && envelope && isSuccess(envelope))
      return envelope as EnvelopeOf<M, Address> & Envelope
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

async function refusedBy(response: Response, envelope: Envelope | null): Promise<ApiError> {
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
export async function get<Address extends AddressFor<'GET'>>(
  path: Address,
  query?: Query,
  signal?: AbortSignal,
): Promise<DataOf<'GET', Address>> {
  const options = { ...(query ? { query } : {}), ...(signal ? { signal } : {}) }
  return (await callEnvelope('GET', path, options)).data as DataOf<'GET', Address>
}

/** POST, answering the envelope's data. */
export async function post<Address extends AddressFor<'POST'>>(
  path: Address,
  body?: BodyOf<'POST', Address>,
  query?: Query,
): Promise<DataOf<'POST', Address>> {
  const options = { ...(body === undefined ? {} : { body }), ...(query ? { query } : {}) }
  return (await callEnvelope('POST', path, options)).data as DataOf<'POST', Address>
}

/** PUT, answering the envelope's data. */
export async function put<Address extends AddressFor<'PUT'>>(
  path: Address,
  body: BodyOf<'PUT', Address>,
  query?: Query,
): Promise<DataOf<'PUT', Address>> {
  const options = { body, ...(query ? { query } : {}) }
  return (await callEnvelope('PUT', path, options)).data as DataOf<'PUT', Address>
}

/** PATCH, answering the envelope's data. */
export async function patch<Address extends AddressFor<'PATCH'>>(
  path: Address,
  body: BodyOf<'PATCH', Address>,
): Promise<DataOf<'PATCH', Address>> {
  return (await callEnvelope('PATCH', path, { body })).data as DataOf<'PATCH', Address>
}

/** DELETE, answering the envelope's data. */
export async function remove<Address extends AddressFor<'DELETE'>>(
  path: Address,
  query?: Query,
): Promise<DataOf<'DELETE', Address>> {
  const options = query ? { query } : {}
  return (await callEnvelope('DELETE', path, options)).data as DataOf<'DELETE', Address>
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

const isSuccess = (envelope: Envelope): boolean =>
  envelope.success ?? envelope.message === 'success'

function failureOf(envelope: Envelope | null): ServerFailure {
  // A proxy's JSON is no envelope: nothing of it is certain.
  const said: Partial<Envelope> = envelope ?? {}
  const { success, message = '', data, code = '', params = {} } = said
  const isPayment = success === undefined && typeof data === 'string'
  return { message: isPayment ? data : message, code, params }
}

function parseEnvelope(text: string): Envelope | null {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? (value as Envelope) : null
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
