import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { ChannelFacts } from '../directory/facts.ts'
import type { ReportedUsage } from '../metering/openai-usage.ts'
import { isSuccess, type UpstreamAnswer } from '../upstream/call.ts'
import { decoded } from '../upstream/decoded.ts'
import {
  errorInAnswer,
  garbageError,
  type UpstreamError,
  unreachableError,
  upstreamError,
} from '../upstream/errors.ts'
import { headerText } from '../upstream/header-text.ts'
import { headersDown, retryAfterSeconds } from '../upstream/passed-headers.ts'
import type { AnswerReader } from './answer-reader.ts'
import type { Endpoint } from './model-request.ts'
import type { UpstreamProtocol, WholeReply } from './upstream-protocol.ts'

/** A whole answer that can be delivered, or why it cannot. */
export type ReadAnswer = WholeAnswer | { readonly kind: 'failed'; readonly error: UpstreamError }

/** Upstream's answer in hand, read for metering, in the client's protocol. */
export interface WholeAnswer {
  readonly kind: 'whole'
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly contentType: string
  readonly body: Buffer
  readonly reply: Extract<WholeReply, { status: 'answered' }>
  /** The usage that upstream reported, in kinds of tokens. */
  readonly usage: ReportedUsage
}

/** The dependencies of reading. */
export interface ReadDeps {
  readonly answers: AnswerReader
  readonly clock: Pick<Clock, 'now'>
}

/** Reads an answer that is no event stream; an unusable answer is an error. */
export async function readAnswer(
  answer: Exclude<UpstreamAnswer, { kind: 'stream' }>,
  {
    protocol,
    endpoint,
    channel,
    stream,
  }: {
    readonly protocol: UpstreamProtocol
    readonly endpoint: Endpoint
    readonly channel: ChannelFacts
    /** The client asked for a stream. */
    readonly stream: boolean
  },
  { answers, clock }: ReadDeps,
): Promise<ReadAnswer> {
  const fail = (error: UpstreamError): ReadAnswer => ({
    kind: 'failed',
    error: mapped(error, channel),
  })
  if (answer.kind === 'unreachable') return fail(unreachableError(answer))
  const { status, headers } = answer
  const body = await decoded(answer.body, headers)
  if (body === null) return fail(garbageError(status, 'upstream sent an unreadable encoding'))
  if (!isSuccess(status)) {
    return fail({
      ...(protocol.errorOf?.(status, headers, body, channel.key) ??
        upstreamError(status, body, channel.key)),
      retryAfterSeconds: retryAfterSeconds(headers),
      headers: headersDown(headers, channel),
    })
  }
  const reply = await answers.read(protocol.name, { endpoint, body, now: clock.now(), stream })
  if (reply.status === 'garbage') return fail(garbageError(status, reply.reason))
  if (reply.status === 'error') {
    const { error } = reply
    return fail(protocol.errorIn?.(error, channel.key) ?? errorInAnswer(error, channel.key))
  }
  const contentType = contentTypeOf(headerText(headers, 'content-type'))
  const said = reply.body === undefined ? body : Buffer.from(reply.body)
  const usage = reply.usage ?? protocol.usageOf(reply.report, channel)
  return { kind: 'whole', status, headers, contentType, body: said, reply, usage }
}

/**
 * The body has been read as JSON: a content type that claims anything else, such as a page, does not reach the client.
 */
const contentTypeOf = (said: string): string => (JSON_TYPE.test(said) ? said : 'application/json')

const JSON_TYPE = /^application\/[\w.+-]{0,60}json[\w.+-]{0,20}(?:; ?charset=[\w-]{1,20})?$/i

/** The channel's status_code_mapping, applied before anyone decides by the status (relay-and-billing.md 3.4). */
export function mapped(error: UpstreamError, channel: ChannelFacts): UpstreamError {
  const status = channel.statusCodeMapping.get(error.status)
  return status === undefined ? error : { ...error, status }
}
