import { promptTexts } from '../protocols/openai/prompt-texts.ts'
import type { OpenAiRequest } from '../protocols/openai/request.ts'

/** Whether what the user wrote contains one of the words (lower-case), wherever it stands (relay-and-billing.md 7). */
export function hasSensitiveWord(request: OpenAiRequest, words: readonly string[]): boolean {
  if (words.length === 0) return false
  for (const text of promptTexts(request.body, request.endpoint.required)) {
    const lowered = text.toLowerCase()
    if (words.some((word) => lowered.includes(word))) return true
  }
  return false
}
