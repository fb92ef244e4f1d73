import { chargedSearches } from '@tollgate/domain/pricing/tool-price.ts'
import { isObject, type JsonObject, parseForeign } from '../../json.ts'
import { readUsage, sumOf } from '../../metering/openai-usage.ts'
import { tell } from '../../metering/upstream-facts.ts'
import { firstOf } from '../../upstream/errors.ts'
import { thoughtsIn } from '../chat/kept-thought.ts'
import { chatClient } from '../chat-clients.ts'
import type { Endpoint } from '../model-request.ts'
import type { WholeReply } from '../upstream-protocol.ts'
import { CandidatesOutput } from './candidates-output.ts'
import { openAiVectors } from './embeddings.ts'
import { FrameReader } from './read-parts.ts'
import { failureIn, isBlocked, nameOfAnswer } from './frames.ts'
import { memberOf, wholeIn } from './names.ts'

/** Reads how many tokens a prompt has. */
export function readCount(body: Buffer): number | null {
  const answer = parseForeign(body.toString('utf8'))
  return isObject(answer) ? wholeIn(answer, 'totalTokens') : null
}

/** Reads a whole answer: its generated contents, or vectors. `now` in unix milliseconds. */
export function readWholeAnswer(endpoint: Endpoint, body: Buffer, now: number): WholeReply {
  const { mode, protocol } = endpoint
  const answer = firstOf(parseForeign(body.toString('utf8')))
  if (!isObject(answer)) {
    return { status: 'garbage', reason: 'upstream sent an answer that is not a JSON object' }
  }
  if (isObject(answer['error'])) return { status: 'error', error: answer }
  const metadata = memberOf(answer, 'usageMetadata')
  const report = isObject(metadata) ? metadata : null
  const output = new CandidatesOutput()
  const told = tell({}, nameOfAnswer(answer))
  if (mode === 'embed-content') return vectors(answer, { told, report, output })
  if (mode === 'embeddings') {
    const read = vectors(answer, { told, report, output })
    if (read.status !== 'answered') return read
    return { ...read, body: Buffer.from(JSON.stringify(openAiVectors(answer, endpoint))) }
  }
  output.take(answer['candidates'])
  if (!Array.isArray(answer['candidates']) && !isBlocked(answer) && report === null) {
    return { status: 'garbage', reason: 'upstream sent an answer without content' }
  }
  const { calls, isEmpty } = output
  const read = { status: 'answered', told, report, output, hasContent: !isEmpty, calls } as const
  if (protocol === 'gemini') return read
  const failure = failureIn(answer)
  if (failure !== null) return { status: 'error', error: failure }
  const webSearchCalls = chargedSearches(told.model ?? '', calls.webSearchCalls)
  const usage = sumOf({ ...readUsage(report, []), calls: { ...calls, webSearchCalls } })
  const parts = new FrameReader(now).of(answer)
  const written = chatClient(protocol).write(parts, usage, Math.floor(now / 1_000), endpoint)
  const thoughts = { of: 'gemini', byCall: thoughtsIn(parts) } as const
  return { ...read, body: Buffer.from(JSON.stringify(written)), thoughts }
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
