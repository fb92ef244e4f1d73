import { isObject, type JsonObject } from '../../json.ts'
import type { Block } from '../chat/chat-request.ts'

/** How a thought of another provider stands in `encrypted_content`, which clients send back as it is. */
const SIGNED = 'signed.'
const REDACTED = 'redacted.'

/** A thought's signature as clients keep it; nothing of a thought without one. */
export const signedThought = (signature: string): JsonObject =>
  signature === '' ? {} : { encrypted_content: SIGNED + signature }

/** A thought that only its provider can read, as clients keep it. */
export const redactedThought = (data: string): JsonObject => ({
  encrypted_content: REDACTED + data,
})

/** A reasoning item as it was given out; where its provider could not check it, as with OpenAI's own, its summary. */
export function openedThought({
  encrypted_content: hidden,
  summary,
}: JsonObject): readonly Block[] {
  const given = typeof hidden === 'string' ? hidden : ''
  if (given.startsWith(REDACTED)) return [{ type: 'redacted', data: given.slice(REDACTED.length) }]
  const parts = Array.isArray(summary) ? summary.filter(isObject) : []
  const text = parts.map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).join('')
  const signature = given.startsWith(SIGNED) ? given.slice(SIGNED.length) : ''
  return text === '' && signature === '' ? [] : [{ type: 'reasoning', text, signature }]
}
