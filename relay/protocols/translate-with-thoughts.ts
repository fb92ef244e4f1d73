import type { AccountThoughts } from './chat/kept-thought.ts'
import type { ClaudeTerms, GeminiTerms, TranslatedRequest } from './translation.ts'

type Answer = TranslatedRequest | Promise<TranslatedRequest>

/**
 * Puts a request in other words; once more where its calls came without thoughts that are kept here: which calls those
 * are is known only when it has been read, which may be in a thread.
 */
export function translateWithThoughts<Terms extends ClaudeTerms | GeminiTerms>(
  terms: Terms,
  thoughts: AccountThoughts,
  translate: (terms: Terms) => Answer,
): Answer {
  const again = (answer: TranslatedRequest): Answer => {
    if (answer.status !== 'translated' || answer.bareCalls.length === 0) return answer
    const kept = thoughts.find(terms.into, answer.bareCalls)
    return kept.size === 0 ? answer : translate({ ...terms, thoughts: kept })
  }
  const first = translate(terms)
  return first instanceof Promise ? first.then(again) : again(first)
}
