import { AnswerOutput } from './answer-output.ts'
import { isObject, type JsonObject, parseForeign } from '../../json.ts'
import { tell, type Told } from '../../metering/upstream-facts.ts'
import type { Endpoint } from './request.ts'
import { firstOf } from '../../upstream/errors.ts'
import { UsageReports } from './usage-reports.ts'

/** A 200 answer that is no event stream, read for what metering needs; its bytes go to the client unchanged. */
export type WholeReply =
  | {
      readonly status: 'answered'
      /** As far as it was read. */
      readonly told: Told
      /** What upstream reported as used, in its own words; null when it reported nothing. */
      readonly report: JsonObject | null
      readonly output: AnswerOutput
      /** Upstream gave something beside usage: text or vectors. */
      readonly hasContent: boolean
    }
  /** Upstream's own error object in a body of status 200. */
  | { readonly status: 'error'; readonly error: JsonObject }
  | { readonly status: 'garbage'; readonly reason: string }

/** Bodies of vectors beyond this are not parsed whole: their usage is cut out. */
const PARSED_WHOLE_BYTES_MAX = 128 * 1024
const USAGE_KEY = '"usage"'

/** Reads a whole answer. */
export function readWholeReply(endpoint: Endpoint, body: Buffer): WholeReply {
  if (body.length === 0) return { status: 'garbage', reason: 'upstream sent an empty answer' }
  if (endpoint.mode === 'embeddings' && body.length > PARSED_WHOLE_BYTES_MAX) {
    const report = usageAtEnd(body)
    if (report !== null) {
      return {
        status: 'answered',
        told: {},
        report,
        output: new AnswerOutput(),
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
  return answered(reply)
}

function answered(reply: JsonObject): WholeReply {
  const output = new AnswerOutput()
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
