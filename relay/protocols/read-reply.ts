import type { UpstreamProtocolName } from '../channel-types.ts'
import { parseForeign } from '../json.ts'
import type { Endpoint } from './model-request.ts'
import type { WholeReply } from './upstream-protocol.ts'
import { upstreamProtocol } from './upstream-protocols.ts'

/** A whole answer of status 200, without its content encoding. */
export interface AnswerInHand {
  readonly endpoint: Endpoint
  readonly body: Buffer
  /** Unix milliseconds. */
  readonly now: number
  /** The client asked for a stream. */
  readonly stream: boolean
}

/** Reads a whole answer, and writes it as events where the client asked for a stream. */
export function readReply(
  protocol: UpstreamProtocolName,
  { endpoint, body, now, stream }: AnswerInHand,
): WholeReply {
  const upstream = upstreamProtocol(protocol)
  const reply = upstream.readWhole(endpoint, body, now)
  if (!stream || reply.status !== 'answered') return reply
  const events = upstream.simulatedStream(parseForeign(body.toString('utf8')))
  return events === null ? reply : { ...reply, events }
}
