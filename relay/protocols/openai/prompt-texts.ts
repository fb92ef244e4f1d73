import { isObject } from '../../json.ts'
import type { OpenAiRequest } from './request.ts'

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
