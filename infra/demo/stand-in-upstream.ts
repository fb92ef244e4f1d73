import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerBody, answerChunks } from './stand-in/answer.ts'
import type { Behaviour } from './stand-in/behaviour.ts'
import { behaviourOfModel } from './stand-in/behaviour.ts'
import type { AnswerHabits, Call } from './stand-in/call.ts'
import { readCall } from './stand-in/call.ts'
import { endHalfWay, isHalfAnswer, isRefusal, refuse } from './stand-in/failures.ts'
import { cutAfter, drained, openWith, sendError, sendJson } from './stand-in/sending.ts'

/**
 * A stand-in for an OpenAI-compatible provider: demo, tests and bench talk to it instead of a vendor. It answers
 * chat, completions, embeddings, models and the billing pages, streams, misbehaves on demand, and remembers what it
 * was asked.
 */
export interface StandInUpstream {
  /** Such as `http://127.0.0.1:41234`: the base URL of a channel. */
  readonly url: string
  /** Every model request since the start or the last `forget`, oldest first; empty when `remembers` is false. */
  readonly requests: readonly UpstreamRequest[]
  /** Model requests received, counted also when they are not remembered. */
  readonly received: () => number
  /** Makes the channel with this key misbehave: for its next `times` requests, or until told otherwise. */
  behave(key: string, behaviour: Behaviour, times?: number): void
  /** Forgets requests and behaviours. */
  forget(): void
  /** Closes the port and every open connection. */
  stop(): Promise<void>
}

/** One model request as upstream saw it. */
export interface UpstreamRequest {
  /** The answer's id, which a client finds in its own copy (`chatcmpl-…`). */
  readonly id: string
  readonly path: string
  /** The bearer key, by which channels are told apart. */
  readonly key: string
  readonly body: string
  readonly call: Call
  readonly behaviour: Behaviour
  /** `open` until the answer ended; `left` when the other side closed the connection first. */
  readonly outcome: 'open' | 'answered' | 'left'
}

export interface StandInOptions {
  /** 0 or absent: a free one. */
  readonly port?: number
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string
  /** Model ids that `/v1/models` lists. */
  readonly models?: readonly string[]
  /** Tokens of an answer, unless the request's own limit is less. Default 24. */
  readonly answerTokens?: number | ((model: string) => number)
  /** True: an answer is as long as the request's own limit, whatever is usual. Default false. */
  readonly fillsLimit?: boolean
  /** Tokens in one chunk of a streamed chat. Default 1. */
  readonly tokensPerChunk?: number
  /** Chooses how to misbehave; null leaves it to orders (`behave`) and the model's name. */
  readonly behaviour?: (asked: { readonly key: string; readonly body: string }) => Behaviour | null
  /** How long an answer takes; default no time at all. */
  readonly latency?: (call: Call, body: string) => Latency
  /** How waiting is done; default by really waiting. The demo moves its own clock instead. */
  readonly wait?: (durationMs: number, body: string) => Promise<void>
  /** False: requests are only counted. Default true. */
  readonly remembers?: boolean
  /** Requests that one connection takes before it is closed; default any number. */
  readonly requestsPerConnection?: number
  readonly slowFirstByteMs?: number
  readonly hugeAnswerTokens?: number
}

export interface Latency {
  readonly firstByteMs: number
  readonly perTokenMs: number
}

const NO_LATENCY: Latency = { firstByteMs: 0, perTokenMs: 0 }
const USUAL_ANSWER_TOKENS = 24
const DEFAULT_MODELS = ['gpt-4o', 'gpt-4o-mini', 'o3-mini', 'text-embedding-3-small']
/** More than any test sends; a body beyond it ends the connection. */
const BODY_BYTES_MAX = 64 * 1024 * 1024

/** Starts a stand-in, on this machine alone unless told otherwise. */
export async function startStandInUpstream(options: StandInOptions = {}): Promise<StandInUpstream> {
  const upstream = new UpstreamBehaviour(options)
  const server = createServer((request, response) => upstream.serve(request, response))
  // A gateway keeps connections open between requests; closing them early would look like a failure of upstream.
  server.keepAliveTimeout = 120_000
  server.requestTimeout = 0
  server.maxRequestsPerSocket = options.requestsPerConnection ?? 0
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    requests: upstream.requests,
    received: () => upstream.received,
    behave: (key, behaviour, times = Number.POSITIVE_INFINITY) =>
      upstream.orders.set(key, { behaviour, times }),
    forget: () => upstream.forget(),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Receives requests, remembers them and hands them to the answering functions below. */
class UpstreamBehaviour {
  readonly requests: Writable<UpstreamRequest>[] = []
  readonly orders = new Map<string, { behaviour: Behaviour; times: number }>()
  received = 0
  readonly #options: StandInOptions

  constructor(options: StandInOptions) {
    this.#options = options
  }

  forget(): void {
    this.requests.length = 0
    this.orders.clear()
    this.received = 0
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
    if (request.method === 'GET') return this.#serveLists(path, response)
    const parts: Buffer[] = []
    let bytes = 0
    request.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes > BODY_BYTES_MAX) request.destroy()
      else parts.push(part)
    })
    request.on('end', () => {
      const body = (parts.length === 1 ? parts[0] : Buffer.concat(parts))?.toString() ?? ''
      this.#serveCall(path, keyOf(request), body, response).catch((error: unknown) =>
        response.destroy(error instanceof Error ? error : new Error(String(error))),
      )
    })
  }

  #serveLists(path: string, response: ServerResponse): void {
    if (path === '/v1/models') {
      const data = (this.#options.models ?? DEFAULT_MODELS).map((id) => ({
        id,
        object: 'model',
        created: 1_700_000_000,
        owned_by: 'stand-in',
      }))
      return sendJson(response, 200, JSON.stringify({ object: 'list', data }))
    }
    if (path.endsWith('/dashboard/billing/subscription')) {
      return sendJson(
        response,
        200,
        '{"object":"billing_subscription","has_payment_method":true,"soft_limit_usd":120,"hard_limit_usd":120,"system_hard_limit_usd":120,"access_until":0}',
      )
    }
    if (path.endsWith('/dashboard/billing/usage')) {
      return sendJson(response, 200, '{"object":"list","total_usage":2345}')
    }
    sendError(response, 404, {
      message: `Unknown path ${path}`,
      type: 'invalid_request_error',
      code: 'unknown_url',
    })
  }

  async #serveCall(
    path: string,
    key: string,
    body: string,
    response: ServerResponse,
  ): Promise<void> {
    const endpoint = endpointOf(path)
    if (endpoint === null)
      return sendError(response, 404, {
        message: `Unknown path ${path}`,
        type: 'invalid_request_error',
        code: 'unknown_url',
      })
    const call = readCall(endpoint, body, this.#habits(body))
    if (call === null)
      return sendError(response, 400, {
        message: 'The body is not a JSON object',
        type: 'invalid_request_error',
        code: 'invalid_json',
      })
    const behaviour =
      this.#options.behaviour?.({ key, body }) ?? this.#behaviourFor(key, call.model)
    this.received += 1
    const record: Writable<UpstreamRequest> = {
      id: `chatcmpl-${this.received.toString(36).padStart(8, '0')}`,
      path,
      key,
      body,
      call,
      behaviour,
      outcome: 'open',
    }
    if (this.#options.remembers !== false) this.requests.push(record)
    response.on('close', () => {
      record.outcome = response.writableFinished ? 'answered' : 'left'
    })
    await this.#answer(record, response)
  }

  async #answer(record: UpstreamRequest, response: ServerResponse): Promise<void> {
    const { behaviour, id, body } = record
    const call =
      behaviour === 'huge'
        ? { ...record.call, answerTokens: this.#options.hugeAnswerTokens ?? 200_000 }
        : record.call
    if (isRefusal(behaviour)) return refuse(behaviour, response)
    if (behaviour === 'silent') return
    const latency = this.#options.latency?.(call, body) ?? NO_LATENCY
    if (behaviour === 'slow-first-byte')
      await this.#wait(this.#options.slowFirstByteMs ?? 1500, body)
    await this.#wait(latency.firstByteMs, body)
    const withUsage = behaviour !== 'no-usage'
    if (call.stream && call.endpoint !== 'embeddings') {
      const atFinish = behaviour === 'usage-at-finish'
      const usage = atFinish ? 'at-finish' : withUsage ? 'own-chunk' : 'none'
      return this.#stream(
        answerChunks(call, id, { usage, tokensPerChunk: this.#tokensPerChunk }),
        { behaviour, latency, body },
        response,
      )
    }
    await this.#wait(latency.perTokenMs * call.answerTokens, body)
    const text = answerBody(call, id, withUsage)
    if (behaviour === 'truncated')
      return cutAfter(response, text.slice(0, text.length / 2), text.length)
    if (behaviour === 'stalled') return openWith(response, text.slice(0, text.length / 2))
    sendJson(response, 200, text)
  }

  async #stream(
    chunks: Iterable<string>,
    how: { behaviour: Behaviour; latency: Latency; body: string },
    response: ServerResponse,
  ): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    let sent = 0
    for (const chunk of chunks) {
      if (response.destroyed) return
      if (sent > 0) await this.#wait(how.latency.perTokenMs * this.#tokensPerChunk, how.body)
      // Half-way is after the role chunk and some words, whatever the answer's length.
      if (sent === 8 && isHalfAnswer(how.behaviour))
        return endHalfWay(how.behaviour, chunk, response)
      if (!response.write(`data: ${chunk}\n\n`)) await drained(response)
      sent += 1
    }
    response.end('data: [DONE]\n\n')
  }

  #wait(durationMs: number, body: string): Promise<void> | undefined {
    if (durationMs <= 0) return undefined
    return this.#options.wait ? this.#options.wait(durationMs, body) : sleep(durationMs)
  }

  #behaviourFor(key: string, model: string): Behaviour {
    const order = this.orders.get(key)
    if (order === undefined || order.times <= 0) return behaviourOfModel(model)
    order.times -= 1
    return order.behaviour
  }

  get #tokensPerChunk(): number {
    return this.#options.tokensPerChunk ?? 1
  }

  #habits(body: string): AnswerHabits {
    const { answerTokens: usual = USUAL_ANSWER_TOKENS, fillsLimit = false } = this.#options
    if (typeof usual === 'number') return { usualTokens: usual, fillsLimit }
    const model = /"model"\s*:\s*"([^"]*)"/u.exec(body)?.[1] ?? ''
    return { usualTokens: usual(model), fillsLimit }
  }
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] }
function endpointOf(path: string): Call['endpoint'] | null {
  if (path.endsWith('/chat/completions')) return 'chat'
  if (path.endsWith('/completions')) return 'completions'
  return path.endsWith('/embeddings') ? 'embeddings' : null
}

const keyOf = (request: IncomingMessage): string =>
  (request.headers.authorization ?? '').replace(/^Bearer /u, '')

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new TypeError('the stand-in has no port')
  return address.port
}
