import { type Refusal, refusal } from '../refusal.ts'
import { ThreadUnanswered } from '../thread-queue.ts'
import type { Admission } from './admit.ts'
import type { RelayDeps } from './deps.ts'

const SENSITIVE = refusal(400, 'sensitive_words_detected', 'sensitive words detected')
const NOT_SCREENED = refusal(
  503,
  'content_check_unavailable',
  'the prompt could not be checked at the moment; try again shortly',
  { retryAfterSeconds: 2 },
)

/**
 * Refuses a prompt with sensitive words (relay-and-billing.md 7). After the hold, so that an account with nothing to
 * spend cannot have long texts looked through.
 */
export function screen(
  { request }: Admission,
  { directory, wordCheck }: Pick<RelayDeps, 'directory' | 'wordCheck'>,
): Refusal | null | Promise<Refusal | null> {
  const found = wordCheck.finds(directory.settings.sensitiveWords, request)
  if (!(found instanceof Promise)) return found ? SENSITIVE : null
  return found.then(
    (isFound) => (isFound ? SENSITIVE : null),
    (error: unknown) => {
      if (error instanceof ThreadUnanswered) return NOT_SCREENED
      throw error
    },
  )
}
