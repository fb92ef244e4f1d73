import { isObject, type JsonObject } from '../../json.ts'
import type { Endpoint } from '../model-request.ts'

/**
 * Every text of the prompt: messages with their parts, or the prompt or input of other endpoints, which stand in the
 * body's member `required`; a prompt may have a text behind it, its suffix.
 */
export function* promptTexts(body: JsonObject, required: Endpoint['required']): Generator<string> {
  if (required !== 'messages') {
    yield* textsOf(body[required])
    if (required === 'prompt') yield* textsOf(body['suffix'])
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
