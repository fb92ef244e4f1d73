import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import { isObject, type JsonObject, parseForeign } from '../../json.ts'
import { sumOf } from '../../metering/openai-usage.ts'
import { tell } from '../../metering/upstream-facts.ts'
import { firstOf } from '../../upstream/errors.ts'
import type { WholeReply } from '../upstream-protocol.ts'
import type { Endpoint } from '../model-request.ts'
import { thoughtsIn } from '../chat/kept-thought.ts'
import { chatClient } from '../chat-clients.ts'
import { BlocksOutput } from './blocks-output.ts'
import { partsOf } from './read-parts.ts'
import { isUnbilledRefusal, readClaudeUsage } from './usage.ts'

/** Reads a whole message; for other protocols' clients it is written anew. `now` in unix milliseconds. */
export function readWholeMessage(endpoint: Endpoint, body: Buffer, now: number): WholeReply {
  const message = firstOf(parseForeign(body.toString('utf8')))
  if (!isObject(message)) {
    return { status: 'garbage', reason: 'upstream sent an answer that is not a JSON object' }
  }
  if (isObject(message['error'])) return { status: 'error', error: message }
  const { content, usage } = message
  const output = new BlocksOutput()
  const blocks = Array.isArray(content) ? content.filter(isObject) : []
  for (const block of blocks) output.takeBlock(block)
  const report = isObject(usage) ? usage : null
  const billed = readClaudeUsage(report, output.isEmpty && isUnbilledRefusal(message))
  if (!Array.isArray(content) && report === null) {
    return { status: 'garbage', reason: 'upstream sent an answer without content' }
  }
  return {
    status: 'answered',
    told: tell({}, message),
    report,
    usage: billed,
    output,
    hasContent: !output.isEmpty,
    ...(endpoint.protocol !== 'claude' && writtenFor(endpoint, message, sumOf(billed), now)),
  }
}

function writtenFor(
  endpoint: Endpoint,
  message: JsonObject,
  usage: Usage | null,
  now: number,
): Pick<Extract<WholeReply, { status: 'answered' }>, 'body' | 'thoughts'> {
  const parts = partsOf(message)
  const created = Math.floor(now / 1_000)
  const answer = chatClient(endpoint.protocol).write(parts, usage, created, endpoint)
  return {
    body: Buffer.from(JSON.stringify(answer)),
    thoughts: { of: 'claude', byCall: thoughtsIn(parts) },
  }
}
