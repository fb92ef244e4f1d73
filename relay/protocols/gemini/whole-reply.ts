import { isObject, type JsonObject, parseForeign } from '../../json.ts'
import { tell } from '../../metering/upstream-facts.ts'
import { firstOf } from '../../upstream/errors.ts'
import type { Endpoint } from '../model-request.ts'
import type { WholeReply } from '../upstream-protocol.ts'
import { CandidatesOutput } from './candidates-output.ts'
import { isBlocked, nameOfAnswer } from './frames.ts'
import { memberOf, wholeIn } from './names.ts'

/** Reads how many tokens a prompt has. */
export function readCount(body: Buffer): number | null {
  const answer = parseForeign(body.toString('utf8'))
  return isObject(answer) ? wholeIn(answer, 'totalTokens') : null
}

/** Reads a whole answer: what was generated, or vectors. `now` in unix milliseconds. */
export function readWholeAnswer({ mode }: Endpoint, body: Buffer, _now: number): WholeReply {
  const answer = firstOf(parseForeign(body.toString('utf8')))
  if (!isObject(answer)) {
    return { status: 'garbage', reason: 'upstream sent an answer that is not a JSON object' }
  }
  if (isObject(answer['error'])) return { status: 'error', error: answer }
  const usage = memberOf(answer, 'usageMetadata')
  const report = isObject(usage) ? usage : null
  const output = new CandidatesOutput()
  const told = tell({}, nameOfAnswer(answer))
  if (mode === 'embed-content') return vectors(answer, { told, report, output })
  output.take(answer['candidates'])
  if (!Array.isArray(answer['candidates']) && !isBlocked(answer) && report === null) {
    return { status: 'garbage', reason: 'upstream sent an answer without content' }
  }
  return { status: 'answered', told, report, output, hasContent: !output.isEmpty }
}

function vectors(
  answer: JsonObject,
  read: Pick<Extract<WholeReply, { status: 'answered' }>, 'told' | 'report' | 'output'>,
): WholeReply {
  const { embeddings } = answer
  const hasContent =
    isObject(answer['embedding']) || (Array.isArray(embeddings) && embeddings.length > 0)
  if (hasContent) return { status: 'answered', ...read, hasContent }
  return { status: 'garbage', reason: 'upstream sent an answer without vectors' }
}
