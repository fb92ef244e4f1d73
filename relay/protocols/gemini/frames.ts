import type { JsonObject } from '../../json.ts'
import { objectIn, textIn } from './names.ts'

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
