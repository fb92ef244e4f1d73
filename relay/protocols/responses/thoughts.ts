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

/** A reasoning item as it was given out; none of what its provider could not check, such as OpenAI's own. */
export function openedThought({
  encrypted_content: hidden,
  summary,
}: JsonObject): readonly Block[] {
  if (typeof hidden !== 'string') return []
  if (hidden.startsWith(REDACTED))
    return [{ type: 'redacted', data: hidden.slice(REDACTED.length) }]
  if (!hidden.startsWith(SIGNED)) return []
  const parts = Array.isArray(summary) ? summary.filter(isObject) : []
  const text = parts.map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).join('')
  return [{ type: 'reasoning', text, signature: hidden.slice(SIGNED.length) }]
}
