import { isObject, type OpenAiRequest } from '../protocols/openai/request.ts'

/** Whether what the user wrote contains one of the words (lower-case), wherever it stands (relay-and-billing.md 7). */
export function hasSensitiveWord(request: OpenAiRequest, words: readonly string[]): boolean {
  if (words.length === 0) return false
  for (const text of promptTexts(request)) {
    const lowered = text.toLowerCase()
    if (words.some((word) => lowered.includes(word))) return true
  }
  return false
}

/** Every text of the prompt: messages with their parts, or the prompt or input of other endpoints. */
export function* promptTexts(request: OpenAiRequest): Generator<string> {
  const { body, endpoint } = request
  if (endpoint.required !== 'messages') {
    yield* textsOf(body[endpoint.required])
    return
  }
  const messages = body['messages']
  if (!Array.isArray(messages)) return
  for (const message of messages) if (isObject(message)) yield* textsOf(message['content'])
}

function* textsOf(content: unknown): Generator<string> {
  if (typeof content === 'string') yield content
  if (!Array.isArray(content)) return
  for (const part of content) {
    if (typeof part === 'string') yield part
    else if (isObject(part) && typeof part['text'] === 'string') yield part['text']
  }
}
