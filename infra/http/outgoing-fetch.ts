import type { LookupFunction } from 'node:net'
import { type OutgoingFetch, OutgoingRefused } from '@tollgate/command-api/http/outgoing-fetch.ts'
import { Agent, fetch, type RequestInit as UndiciInit } from 'undici'
import { guardedConnector } from './guarded-connector.ts'

/** A whole exchange, redirects and body included; callers may ask for less by a signal of their own. */
const EXCHANGE_TIMEOUT_MS = 15_000
const CONNECT_TIMEOUT_MS = 5_000
/** Most bytes of a decompressed answer: discovery documents, user profiles and acknowledgements are far smaller. */
const ANSWER_BYTES_MAX = 1024 * 1024

export interface OutgoingFetchOptions {
  /** Whether a connection to an IP address (as text) may be made; asked for every connection. */
  readonly mayReach: (ip: string) => boolean
  readonly timeoutMs?: number
  readonly answerBytesMax?: number
  /** How names become addresses; the system's way unless a test says otherwise. */
  readonly lookup?: LookupFunction
}

export interface GuardedFetch {
  readonly fetch: OutgoingFetch
  close(): Promise<void>
}

/**
 * A fetch for addresses that people have named. Every connection, that of a redirect too, is made to the very IP
 * address that was checked, so a name that resolves differently the second time changes nothing. Environment proxies are
 * not used: they would be what is asked for the name.
 */
export function openOutgoingFetch(options: OutgoingFetchOptions): GuardedFetch {
  const { timeoutMs = EXCHANGE_TIMEOUT_MS, answerBytesMax = ANSWER_BYTES_MAX } = options
  const agent = new Agent({
    connect: guardedConnector({
      mayReach: options.mayReach,
      refusal: refusalOf,
      timeoutMs: CONNECT_TIMEOUT_MS,
      lookup: options.lookup,
    }),
    // Whether an address may be reached can change: every exchange has a connection of its own, and is asked for.
    pipelining: 0,
  })
  return {
    async fetch(address, init = {}) {
      const { protocol } = new URL(address)
      if (protocol !== 'https:' && protocol !== 'http:') {
        throw new OutgoingRefused('ADDRESS_NOT_HTTP', 'the address must be http or https')
      }
      const limit = AbortSignal.timeout(timeoutMs)
      const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit
      try {
        // The global types and undici's say the same of what is used here, in words of their own.
        const asked = { ...init, signal, dispatcher: agent } as UndiciInit
        const answer = (await fetch(address, asked)) as unknown as Response
        return await bounded(answer, answerBytesMax)
      } catch (error) {
        throw refusalIn(error) ?? error
      }
    },
    close: () => agent.close(),
  }
}

const refusalOf = (host: string): OutgoingRefused =>
  new OutgoingRefused(
    'ADDRESS_PRIVATE',
    `${host} is not on the public internet; switch on fetch_setting.allow_private_addresses to allow it`,
  )

/** fetch hides why it failed behind its own errors. */
function refusalIn(error: unknown): OutgoingRefused | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof OutgoingRefused) return at
  }
  return null
}

/** The same answer, refused when it says that it is longer than it may be; its body fails once it is. */
async function bounded(answer: Response, bytesMax: number): Promise<Response> {
  const { status, statusText, headers, body } = answer
  if (Number(headers.get('content-length')) > bytesMax) {
    await body?.cancel()
    throw tooLarge(bytesMax)
  }
  let bytes = 0
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes <= bytesMax) return controller.enqueue(chunk)
      controller.error(tooLarge(bytesMax))
    },
  })
  const counted = body === null ? null : body.pipeThrough(counting)
  return new Response(counted, { status, statusText, headers: [...headers] })
}

const tooLarge = (bytesMax: number): OutgoingRefused =>
  new OutgoingRefused('ANSWER_TOO_LARGE', `the answer is longer than ${bytesMax} bytes`)
