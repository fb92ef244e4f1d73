import { type UpstreamError, untranslatableError, unusableError } from '../upstream/errors.ts'
import type { TranslatedRequest } from './translation.ts'

const BUSY = unusableError(
  503,
  'temporarily_unavailable',
  'too many long requests at once; try again',
)

/** Why a request cannot be sent in other words. */
export const notTranslated = (answer: TranslatedRequest): UpstreamError =>
  answer.status === 'untranslatable' ? untranslatableError(answer.param, answer.message) : BUSY
