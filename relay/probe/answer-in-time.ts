import type { UpstreamAnswer, UpstreamCall } from '../upstream/call.ts'

/** A question of our own is given up after this long: an upstream that drips bytes would hold up all other channels. */
const ANSWER_MS_MAX = 180_000

/** The answer to a question of our own; the call is given up when the signal aborts or after three minutes. */
export async function answerInTime(
  call: UpstreamCall,
  signal?: AbortSignal,
): Promise<UpstreamAnswer> {
  const late = AbortSignal.timeout(ANSWER_MS_MAX)
  const ending = signal === undefined ? late : AbortSignal.any([signal, late])
  const giveUp = (): void => call.abort()
  ending.addEventListener('abort', giveUp)
  if (ending.aborted) giveUp()
  try {
    const answer = await call.answer
    const isLate = late.aborted && answer.kind === 'unreachable' && answer.reason === 'aborted'
    return isLate ? { ...answer, reason: 'timeout' } : answer
  } finally {
    ending.removeEventListener('abort', giveUp)
  }
}
