import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { ChannelFacts } from '../../directory/facts.ts'
import { addressOf } from '../../upstream/address.ts'
import { callUpstream, type UpstreamCall } from '../../upstream/call.ts'
import { credentialHeaders } from '../../upstream/credentials.ts'
import type { Dispatchers } from '../../upstream/dispatchers.ts'
import { headersUp } from '../../upstream/passed-headers.ts'
import { garbageError, type UpstreamError } from '../../upstream/errors.ts'
import type { UpstreamBody } from './request-edits.ts'
import type { Endpoint } from './request.ts'
import { OWN_ERROR_TYPE } from '../../refusal.ts'

/** What is asked of upstream. */
export interface AskedFor {
  readonly endpoint: Endpoint
  readonly stream: boolean
  /** Of Azure, as the client's query names it; '' = it names none. */
  readonly apiVersion?: string
  /** The client's, of which some go along; absent in a probe. */
  readonly headers?: IncomingHttpHeaders
}

/** What sending needs of the world. */
export interface SendDeps {
  readonly dispatchers: Dispatchers
  readonly clock: Pick<Clock, 'now'>
  readonly limits: { readonly firstByteMs: number; readonly idleMs: number }
}

/** Begins one attempt at a channel; an UpstreamError when the channel cannot be used as it is set up. */
export function send(
  channel: ChannelFacts,
  sent: UpstreamBody,
  asked: AskedFor,
  deps: SendDeps,
): UpstreamCall | UpstreamError {
  const { type, terms } = channel
  const { path, mode } = asked.endpoint
  if (type.protocol !== 'openai') {
    const text = `channels of type ${type.name} cannot be called yet: their protocol is not built`
    return misconfigured(501, 'invalid_api_type', text)
  }
  if (!type.modes.includes(mode)) {
    const text = `channels of type ${type.name} do not serve ${path}`
    return misconfigured(501, 'invalid_api_type', text)
  }
  // Reasoning models think before they speak (decision 13).
  const patience = /^o[13]/.test(sent.model) ? 2 : 1
  try {
    return callUpstream({
      dispatcher: deps.dispatchers.through(channel.proxy),
      address: addressOf({
        rule: type.url,
        baseUrl: channel.baseUrl,
        other: terms.other,
        path,
        upstreamModel: sent.model,
        ...(asked.apiVersion !== undefined && { apiVersion: asked.apiVersion }),
      }),
      method: 'POST',
      headers: headersFor(channel, asked, deps.clock.now()),
      body: sent.body,
      firstByteMs: deps.limits.firstByteMs * patience,
      idleMs: deps.limits.idleMs * patience,
    })
  } catch (error) {
    // A base URL or proxy that is none: the channel's fault, and another may do.
    return misconfigured(
      503,
      'invalid_channel',
      error instanceof TypeError ? error.message : String(error),
    )
  }
}

/** Only what upstream needs goes there: of the client's headers a few (passed-headers.ts). */
function headersFor(
  channel: ChannelFacts,
  { stream, headers: given = {} }: AskedFor,
  now: number,
): Readonly<Record<string, string>> {
  const { type, terms, key } = channel
  const headers: Record<string, string> = {
    ...headersUp(given),
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    ...credentialHeaders(type.auth, key, now),
  }
  if (type.quirks.includes('organization-header') && terms.openaiOrganization !== '') {
    headers['openai-organization'] = terms.openaiOrganization
  }
  if (type.quirks.includes('openrouter-headers')) headers['x-title'] = 'Tollgate'
  if (type.quirks.includes('dashscope-headers')) {
    if (stream) headers['x-dashscope-sse'] = 'enable'
    if (terms.other !== '') headers['x-dashscope-plugin'] = terms.other
  }
  return headers
}

/** A channel that cannot be used as it is set up; retried on others like an upstream failure. */
function misconfigured(status: number, code: string, message: string): UpstreamError {
  return {
    ...garbageError(0, ''),
    upstreamStatus: null,
    type: OWN_ERROR_TYPE,
    status,
    code,
    message,
  }
}

/** Tells a channel that cannot be used from a call under way. */
export const isUnusable = (call: UpstreamCall | UpstreamError): call is UpstreamError =>
  'bodyExcerpt' in call
