import { isObject, type JsonObject, parseForeign } from '../../json.ts'
import { tell } from '../../metering/upstream-facts.ts'
import { firstOf } from '../../upstream/errors.ts'
import { CandidatesOutput } from '../gemini/candidates-output.ts'
import { openAiVectors } from '../gemini/embeddings.ts'
import { nameOfAnswer } from '../gemini/frames.ts'
import { objectIn, objectsIn, wholeIn } from '../gemini/names.ts'
import type { Endpoint } from '../model-request.ts'
import type { WholeReply } from '../upstream-protocol.ts'

/** Vectors of Vertex AI, of `:predict` or of `:embedContent`, as the client asked for them. */
export function readVectors(endpoint: Endpoint, body: Buffer): WholeReply {
  const answer = firstOf(parseForeign(body.toString('utf8')))
  if (!isObject(answer)) {
    return { status: 'garbage', reason: 'upstream sent an answer that is not a JSON object' }
  }
  if (isObject(answer['error'])) return { status: 'error', error: answer }
  const predicted = objectsIn(answer['predictions']).map((one) => objectIn(one, 'embeddings'))
  const found = predicted.length > 0 ? predicted : objectsIn(answer['embedding'])
  if (found.length === 0 || !found.every(({ values }) => Array.isArray(values))) {
    return { status: 'garbage', reason: 'upstream sent an answer without vectors' }
  }
  const report = predicted.length > 0 ? tokensOf(predicted) : usageIn(answer)
  const embeddings = found.map(({ values }) => ({ values }))
  return {
    status: 'answered',
    told: tell({}, nameOfAnswer(answer)),
    report,
    output: new CandidatesOutput(),
    hasContent: true,
    body: Buffer.from(JSON.stringify(asAsked(endpoint, embeddings, report))),
  }
}

const usageIn = (answer: JsonObject): JsonObject | null =>
  isObject(answer['usageMetadata']) ? answer['usageMetadata'] : null

/** Each prediction tells its own; null where one does not. */
function tokensOf(predicted: readonly JsonObject[]): JsonObject | null {
  const counts = predicted.flatMap(
    (one) => wholeIn(objectIn(one, 'statistics'), 'tokenCount') ?? [],
  )
  if (counts.length < predicted.length) return null
  return { promptTokenCount: counts.reduce((sum, count) => sum + count, 0) }
}

function asAsked(
  endpoint: Endpoint,
  embeddings: readonly JsonObject[],
  report: JsonObject | null,
): JsonObject {
  if (endpoint.mode === 'embeddings') {
    const tokens = report && wholeIn(report, 'promptTokenCount')
    const usage = tokens !== null && { usage: { prompt_tokens: tokens, total_tokens: tokens } }
    return { ...openAiVectors({ embeddings }, endpoint), ...usage }
  }
  const usage = report !== null && { usageMetadata: report }
  return endpoint.required === 'content'
    ? { embedding: embeddings[0], ...usage }
    : { embeddings, ...usage }
}
