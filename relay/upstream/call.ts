import type { IncomingHttpHeaders } from 'node:http'
import type { Transform } from 'node:stream'
import { type Dispatcher, errors } from 'undici'
import type { Address } from './address.ts'
import { AddressForbidden } from './address-forbidden.ts'
import { mayBecome, streamDecoder } from './decoded.ts'
import { headerText } from './header-text.ts'
import { passContinueAnswers } from './interim-answers.ts'
import { brokeReusedConnection } from './reused-connections.ts'

passContinueAnswers()

/** A whole answer larger than this is not one that a client could use; it is cut off as garbage. */
const WHOLE_BYTES_MAX = 64 * 1024 * 1024

/** Firewalls in front of some upstreams refuse requests that do not name their program. */
const USER_AGENT = 'Tollgate'

export interface UpstreamRequest {
  readonly dispatcher: Dispatcher
  readonly address: Address
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
  /** Until the head of the answer, milliseconds. */
  readonly firstByteMs: number
  /** Between two pieces of the answer, milliseconds. */
  readonly idleMs: number
  /** The limit of a whole answer; absent = 64 MiB. */
  readonly wholeBytesMax?: number
  /** A larger one is given as a stream, from its beginning; absent = it is cut off. */
  readonly streamsBig?: boolean
}

/** How upstream answered; never rejected: an upstream that fails is ordinary. */
export type UpstreamAnswer =
  | {
      readonly kind: 'whole'
      readonly status: number
      readonly headers: IncomingHttpHeaders
      readonly body: Buffer
    }
  /** An event stream of status 200: attach a reader. */
  | {
      readonly kind: 'stream'
      readonly status: number
      readonly headers: IncomingHttpHeaders
      readonly stream: UpstreamStream
      /** A whole answer that is too large to be taken at once. */
      readonly isBig?: true
    }
  | UnreachableUpstream

export interface UnreachableUpstream {
  readonly kind: 'unreachable'
  /**
   * `stale`: a connection kept from earlier was closed under the request, before anything of an answer came.
   * `undecodable`: an answer is not in the encoding that it claims, or grows too much out of it.
   */
  readonly reason:
    | 'connect'
    | 'forbidden'
    | 'timeout'
    | 'broken'
    | 'stale'
    | 'aborted'
    | 'undecodable'
  readonly cause: Error
}

/** Takes a stream's bytes as they come. */
export interface StreamReader {
  onBytes(chunk: Buffer): void
  /** `failure` null = upstream ended the stream in order. */
  onEnd(failure: UnreachableUpstream | null): void
}

export interface UpstreamStream {
  /** Gives the bytes received so far and everything after them. Once. */
  attach(reader: StreamReader): void
  pause(): void
  resume(): void
}

/** One request to upstream, which can be given up at any time. */
export interface UpstreamCall {
  readonly answer: Promise<UpstreamAnswer>
  abort(): void
}

/**
 * Sends a request and answers as soon as the kind of its answer is known: all of it, or the head of an event stream.
 */
export function callUpstream(request: UpstreamRequest): UpstreamCall {
  return new Call(request)
}

/** Why a call failed, from undici's and node's error codes. */
export function failureOf(error: Error): UnreachableUpstream {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (error instanceof Abandoned) return { kind: 'unreachable', reason: 'aborted', cause: error }
  if (error instanceof AddressForbidden) {
    return { kind: 'unreachable', reason: 'forbidden', cause: error }
  }
  if (TIMEOUTS.has(code)) return { kind: 'unreachable', reason: 'timeout', cause: error }
  if (CONNECT_FAILURES.has(code)) return { kind: 'unreachable', reason: 'connect', cause: error }
  const reason = brokeReusedConnection(error) ? 'stale' : 'broken'
  return { kind: 'unreachable', reason, cause: error }
}

const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])
const CONNECT_FAILURES = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
])

/** The caller has no more use for the answer. */
class Abandoned extends Error {
  readonly code = 'ABANDONED'
  readonly retryable = false
  constructor() {
    super('the request was given up')
    this.name = 'Abandoned'
  }
}

/** Once an answer has begun, its connection was not stale. */
const withAnswerBegun = (failure: UnreachableUpstream): UnreachableUpstream =>
  failure.reason === 'stale' ? { ...failure, reason: 'broken' } : failure

class Call implements UpstreamCall, UpstreamStream, Dispatcher.DispatchHandler {
  readonly answer: Promise<UpstreamAnswer>
  #resolve: (answer: UpstreamAnswer) => void = () => undefined
  #controller: Dispatcher.DispatchController | null = null
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #isStream = false
  /** The bytes that came so far do not tell yet whether it is a stream. */
  #isUndecided = false
  #chunks: Buffer[] = []
  #bytes = 0
  #reader: StreamReader | null = null
  #ended: UnreachableUpstream | 'in order' | null = null
  #isAbandoned = false
  /** The decoder of an answer with a content encoding that is a stream or may become one. */
  #decoder: Transform | null = null
  #decodedBytes = 0
  #isPaused = false
  #failure: UnreachableUpstream | null = null
  readonly #wholeBytesMax: number
  readonly #streamsBig: boolean

  constructor(request: UpstreamRequest) {
    this.#wholeBytesMax = request.wholeBytesMax ?? WHOLE_BYTES_MAX
    this.#streamsBig = request.streamsBig === true
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve
    })
    try {
      request.dispatcher.dispatch(
        {
          origin: request.address.origin,
          path: request.address.path,
          method: request.method,
          headers: { 'user-agent': USER_AGENT, ...request.headers },
          body: request.body,
          headersTimeout: request.firstByteMs,
          bodyTimeout: request.idleMs,
        },
        this,
      )
    } catch (error) {
      this.#resolve(failureOf(error instanceof Error ? error : new Error(String(error))))
    }
  }

  abort(): void {
    this.#isAbandoned = true
    this.#controller?.abort(new Abandoned())
  }

  attach(reader: StreamReader): void {
    this.#reader = reader
    const chunks = this.#chunks
    this.#chunks = []
    for (const chunk of chunks) reader.onBytes(chunk)
    if (this.#ended !== null) reader.onEnd(this.#ended === 'in order' ? null : this.#ended)
  }

  pause(): void {
    this.#isPaused = true
    this.#decoder?.pause()
    this.#controller?.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#decoder?.resume()
    this.#controller?.resume()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isAbandoned) controller.abort(new Abandoned())
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.#status = status
    if (status < 200) return
    this.#headers = headers
    this.#isUndecided = isSuccess(status) && hasNoTypeOfItsOwn(headers)
    if (!isSuccess(status)) return
    if (isEventStream(headers)) this.#beginStream()
    if (this.#isStream || this.#streamsBig) this.#decodeAsItComes()
  }

  #beginStream(): void {
    this.#isStream = true
    this.#resolve({ kind: 'stream', status: this.#status, headers: this.#headers, stream: this })
  }

  #decodeAsItComes(): void {
    this.#decoder = streamDecoder(this.#headers)
    this.#decoder
      ?.on('data', (bytes: Buffer) => this.#decoded(bytes))
      .on('drain', () => this.#isPaused || this.#controller?.resume())
      .on('end', () => this.#endDecoded())
      .on('error', (error) => this.#undecodable(error))
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#decoder !== null) {
      this.#bytes += chunk.length
      if (!this.#decoder.write(chunk)) controller.pause()
      return
    }
    if (this.#reader !== null) {
      this.#reader.onBytes(chunk)
      return
    }
    this.#bytes += chunk.length
    if (this.#isTooBig(this.#bytes) && this.#mayStreamBig()) {
      this.#chunks.push(chunk)
      this.#beginBig()
      return
    }
    if (this.#isTooBig(this.#bytes)) {
      controller.abort(new errors.ResponseExceededMaxSizeError('the answer is too large'))
      return
    }
    this.#chunks.push(chunk)
    if (!this.#isUndecided) return
    const isStream = beginsStream(Buffer.concat(this.#chunks))
    this.#isUndecided = isStream === null
    if (isStream === true) this.#beginStream()
  }

  #isTooBig(bytes: number): boolean {
    return bytes > this.#wholeBytesMax && !this.#isStream
  }

  /** An answer in an unknown encoding cannot be passed on. */
  #mayStreamBig(): boolean {
    return this.#streamsBig && isSuccess(this.#status) && isPlain(this.#headers)
  }

  #beginBig(): void {
    this.#isStream = true
    this.#isUndecided = false
    const { status, headers } = { status: this.#status, headers: this.#headers }
    this.#resolve({ kind: 'stream', status, headers, stream: this, isBig: true })
  }

  onResponseEnd(): void {
    if (this.#decoder !== null) {
      this.#decoder.end()
      return
    }
    if (this.#isStream) {
      this.#finish('in order')
      return
    }
    const [first] = this.#chunks
    const body = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks)
    this.#resolve({ kind: 'whole', status: this.#status, headers: this.#headers, body })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const failure = failureOf(error)
    if (this.#decoder !== null && !this.#isAbandoned) {
      // Bytes that came before are still to be decoded and read.
      this.#failure ??= failure
      this.#decoder.end()
      return
    }
    this.#decoder?.destroy()
    if (this.#isStream) this.#finish(failure)
    else this.#resolve(this.#status === 0 ? failure : withAnswerBegun(failure))
  }

  #decoded(bytes: Buffer): void {
    this.#decodedBytes += bytes.length
    if (!mayBecome(this.#bytes, this.#decodedBytes)) {
      this.#decoder?.destroy(new Error('an answer grows too much when it is decompressed'))
    } else if (this.#reader === null) {
      this.#chunks.push(bytes)
      if (this.#isTooBig(this.#decodedBytes)) this.#beginBig()
    } else {
      this.#reader.onBytes(bytes)
    }
  }

  #endDecoded(): void {
    if (this.#isStream) return this.#finish(this.#failure ?? 'in order')
    if (this.#failure !== null) return this.#resolve(withAnswerBegun(this.#failure))
    const { 'content-encoding': _decoded, ...headers } = this.#headers
    const body = Buffer.concat(this.#chunks)
    this.#resolve({ kind: 'whole', status: this.#status, headers, body })
  }

  /** Not in its encoding, or cut off within it. The reason stands before the abort, which reports one of its own. */
  #undecodable(cause: Error): void {
    const failure = (this.#failure ??= { kind: 'unreachable', reason: 'undecodable', cause })
    this.#controller?.abort(cause)
    if (this.#isStream) this.#finish(failure)
    else this.#resolve(withAnswerBegun(failure))
  }

  #finish(how: UnreachableUpstream | 'in order'): void {
    if (this.#ended !== null) return
    this.#ended = how
    this.#reader?.onEnd(how === 'in order' ? null : how)
  }
}

/** Statuses of an answer that a client can use. */
export const isSuccess = (status: number): boolean =>
  status === 200 || status === 201 || status === 206

/** Some upstreams do not say that they stream, or call it text or bytes. */
function hasNoTypeOfItsOwn(headers: IncomingHttpHeaders): boolean {
  const type = headerText(headers, 'content-type').toLowerCase()
  return isPlain(headers) && /^(?:text\/plain|application\/octet-stream)?(?:;|$)/.test(type)
}

const isPlain = (headers: IncomingHttpHeaders): boolean =>
  ['', 'identity'].includes(headerText(headers, 'content-encoding').toLowerCase())

const FIELDS = ['data:', 'event:', 'id:', 'retry:', ':']
/** Longer than any field of an event, with white space before it. */
const TELLING_BYTES = 64

/** Whether bytes are the beginning of an event stream; null = too few to tell. */
function beginsStream(bytes: Buffer): boolean | null {
  const head = bytes
    .toString('utf8', 0, TELLING_BYTES)
    .replace(/^\uFEFF/, '')
    .trimStart()
  if (FIELDS.some((field) => head.startsWith(field))) return true
  const mayBecome = bytes.length < TELLING_BYTES && FIELDS.some((field) => field.startsWith(head))
  return mayBecome ? null : false
}

const isEventStream = (headers: IncomingHttpHeaders): boolean =>
  /^(?:text\/event-stream|application\/vnd\.amazon\.eventstream)/i.test(
    headerText(headers, 'content-type'),
  )
