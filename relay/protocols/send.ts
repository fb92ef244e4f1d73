import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { ChannelFacts } from '../directory/facts.ts'
import { addressOf } from '../upstream/address.ts'
import { callUpstream, type UpstreamCall } from '../upstream/call.ts'
import { credentialHeaders } from '../upstream/credentials.ts'
import type { Dispatchers } from '../upstream/dispatchers.ts'
import { headersUp } from '../upstream/passed-headers.ts'
import { type UpstreamError, unusableError } from '../upstream/errors.ts'
import type { AskedFor, Outgoing, UpstreamProtocol } from './upstream-protocol.ts'

/** The dependencies of sending. */
export interface SendDeps {
  readonly dispatchers: Dispatchers
  readonly clock: Pick<Clock, 'now'>
  readonly limits: { readonly firstByteMs: number; readonly idleMs: number }
  /** Whole answers that are too large to be taken at once come as streams. */
  readonly streamsBig?: boolean
}

/** Begins one attempt at a channel; an UpstreamError when the channel cannot be used as it is set up. */
export function send(
  {
    channel,
    protocol,
    sent,
  }: {
    readonly channel: ChannelFacts
    readonly protocol: UpstreamProtocol
    readonly sent: Outgoing
  },
  asked: AskedFor,
  deps: SendDeps,
): UpstreamCall | UpstreamError {
  const { type, terms } = channel
  // Reasoning models think before they speak (decision 13).
  const patience = /^o[13]/.test(sent.model) ? 2 : 1
  try {
    const address = addressOf({
      rule: type.url,
      baseUrl: sent.baseUrl ?? channel.baseUrl,
      other: terms.other,
      path: sent.path ?? asked.endpoint.path,
      upstreamModel: sent.model,
      ...(asked.apiVersion !== undefined && { apiVersion: asked.apiVersion }),
    })
    const request = { method: 'POST', address, body: sent.body } as const
    return callUpstream({
      ...request,
      dispatcher: deps.dispatchers.through(channel.proxy),
      headers: {
        ...headersFor(channel, asked),
        ...credentialHeaders(type.auth, channel.key, deps.clock.now(), request),
        ...protocol.headers(channel, asked),
        ...sent.headers,
      },
      firstByteMs: deps.limits.firstByteMs * patience,
      idleMs: deps.limits.idleMs * patience,
      streamsBig: deps.streamsBig === true,
    })
  } catch (error) {
    // A base URL or proxy that is none: the channel's fault, and another may do.
    const text = error instanceof TypeError ? error.message : String(error)
    return unusableError(503, 'invalid_channel', text)
  }
}

/** Only headers that upstream needs go there: a few of the client's (passed-headers.ts), and its protocol's. */
const headersFor = (
  { headers }: ChannelFacts,
  asked: AskedFor,
): Readonly<Record<string, string>> => ({
  ...headersUp(asked.headers ?? {}, headers.up),
  'content-type': 'application/json',
  accept: asked.stream ? 'text/event-stream' : 'application/json',
})

/** Whether the result is the error of a channel that cannot be used, instead of the parts of one that can. */
export const isUnusable = (made: object): made is UpstreamError => 'bodyExcerpt' in made
