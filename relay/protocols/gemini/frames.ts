import type { JsonObject } from '../../json.ts'
import { objectIn, objectsIn, textIn } from './names.ts'

/** Why a candidate is over; null = it goes on. */
export function finishOf(candidate: JsonObject): string | null {
  const reason = textIn(candidate, 'finishReason')
  return reason === '' || reason === 'FINISH_REASON_UNSPECIFIED' ? null : reason
}

/** The prompt was refused: no candidate comes. */
export const isBlocked = (frame: JsonObject): boolean =>
  textIn(objectIn(frame, 'promptFeedback'), 'blockReason') !== ''

/** How an answer calls itself and its model, in the words of others. */
export const nameOfAnswer = (frame: JsonObject): JsonObject => ({
  id: textIn(frame, 'responseId'),
  model: textIn(frame, 'modelVersion'),
})

/** Reasons that say that the model failed, not that its answer is over (ai.google.dev/api/generate-content). */
const FAILURES: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'MALFORMED_RESPONSE',
])

/** An error object in place of a candidate that failed, for clients that know no such reason; null = none failed. */
export function failureIn(frame: JsonObject): JsonObject | null {
  const [candidate = {}] = objectsIn(frame['candidates'])
  const reason = finishOf(candidate)
  if (reason === null || !FAILURES.has(reason)) return null
  const message = textIn(candidate, 'finishMessage') || `the model ended with ${reason}`
  return { error: { code: reason, message, type: 'upstream_error' } }
}
