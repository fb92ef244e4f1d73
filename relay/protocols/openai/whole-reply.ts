import { chargedSearches } from '@tollgate/domain/pricing/tool-price.ts'
import { isObject, type JsonObject, parseForeign } from '../../json.ts'
import { readUsage, sumOf } from '../../metering/openai-usage.ts'
import { tell } from '../../metering/upstream-facts.ts'
import { firstOf } from '../../upstream/errors.ts'
import type { Endpoint } from '../model-request.ts'
import type { WholeReply } from '../upstream-protocol.ts'
import { chatClient } from '../chat-clients.ts'
import { ChoicesOutput } from './choices-output.ts'
import { partsOf } from './read-parts.ts'
import { UsageReports } from './usage-reports.ts'

/** Bodies of vectors beyond this are not parsed whole: their usage is cut out. */
const PARSED_WHOLE_BYTES_MAX = 128 * 1024
const USAGE_KEY = '"usage"'

/** Reads a whole answer; for other protocols' clients it is written anew. `now` in unix milliseconds. */
export function readWholeReply(endpoint: Endpoint, body: Buffer, now: number): WholeReply {
  if (body.length === 0) return { status: 'garbage', reason: 'upstream sent an empty answer' }
  if (endpoint.mode === 'embeddings' && body.length > PARSED_WHOLE_BYTES_MAX) {
    const report = usageAtEnd(body)
    if (report !== null) {
      return {
        status: 'answered',
        told: {},
        report,
        output: new ChoicesOutput(),
        hasContent: true,
      }
    }
  }
  const reply = firstOf(parseForeign(body.toString('utf8')))
  if (!isObject(reply)) {
    return { status: 'garbage', reason: 'upstream sent an answer that is not a JSON object' }
  }
  if (isObject(reply['error']) || (typeof reply['error'] === 'string' && reply['error'] !== '')) {
    return { status: 'error', error: reply }
  }
  const read = answered(reply)
  if (read.status !== 'answered' || endpoint.protocol === 'openai') return read
  const webSearchCalls = chargedSearches(read.told.model ?? '', 0)
  const calls = { webSearchCalls, fileSearchCalls: 0 }
  const usage = sumOf({ ...readUsage(read.report, []), calls })
  const answer = chatClient(endpoint.protocol).write(
    partsOf(reply, now),
    usage,
    Math.floor(now / 1_000),
    endpoint,
  )
  return { ...read, body: Buffer.from(JSON.stringify(answer)) }
}

function answered(reply: JsonObject): WholeReply {
  const output = new ChoicesOutput()
  output.take(reply['choices'])
  const reports = new UsageReports()
  reports.take(reply)
  const { usage: report } = reports
  const list = reply['data'] ?? reply['choices'] ?? reply['results']
  const hasItems = Array.isArray(list) && list.length > 0
  if (!hasItems && report === null) {
    return { status: 'garbage', reason: 'upstream sent an answer without content' }
  }
  const hasContent = !output.isEmpty || (hasItems && Array.isArray(reply['data']))
  return { status: 'answered', told: tell({}, reply), report, output, hasContent }
}

/** OpenAI-speaking providers end a list of vectors with its usage: a flat object, maybe with flat details in it. */
function usageAtEnd(body: Buffer): JsonObject | null {
  const key = body.lastIndexOf(USAGE_KEY)
  if (key === -1) return null
  const tail = body.toString('utf8', key)
  const match = /^"usage"\s*:\s*(\{(?:[^{}"]|"[^"\\]*"|\{[^{}]*\})*\})/.exec(tail.slice(0, 4_096))
  const usage = match?.[1] === undefined ? undefined : parseForeign(match[1])
  return isObject(usage) ? usage : null
}
