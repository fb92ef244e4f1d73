import { foreignText } from '@tollgate/domain/text.ts'

/** Most characters of words that others have a part in. */
const REASON_CHARACTERS_MAX = 500

/**
 * The messages of an error and of its causes, and the error code of OAuth (RFC 6749 5.2) if the provider gave one;
 * never the contents of the request, nor tokens of the answer.
 */
export function reasonOf(error: unknown): string {
  const messages: string[] = []
  for (let at = error; at instanceof Error && messages.length < CAUSES_MAX; at = at.cause) {
    messages.push(at.message, ...saidByProvider(at))
  }
  return foreignText(messages.join(': '), REASON_CHARACTERS_MAX)
}

/** No chain of causes is longer, unless it goes round. */
const CAUSES_MAX = 8

const saidByProvider = (error: Error): readonly string[] =>
  'error' in error && typeof error.error === 'string' ? [error.error] : []
