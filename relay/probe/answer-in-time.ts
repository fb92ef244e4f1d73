import type { UpstreamAnswer, UpstreamCall } from '../upstream/call.ts'

/** A question of our own is tiny and given up after this long: other channels wait for their turn. */
const ANSWER_MS_MAX = 60_000

/** The answer to a question of our own; the call is given up when the signal aborts or after a minute. */
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
