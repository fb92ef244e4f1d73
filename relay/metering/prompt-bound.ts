import { isObject } from '../json.ts'
import type { OpenAiRequest } from '../protocols/openai/request.ts'

/** No provider counts an ordinary picture dearer than this many tokens (relay-and-billing.md 4.11: 2833 + 12 tiles of 5667 at most for the dearest model is the exception that streams cover as they go). */
const TOKENS_PER_IMAGE = 3_000
const TOKENS_PER_FILE = 5_000
/** Base64 text per token of audio: 10 tokens a second of 24 kHz PCM16, with a wide margin. */
const BASE64_PER_AUDIO_TOKEN = 100

/**
 * A bound above the prompt's tokens, from bytes alone: every token is at least one byte, and the JSON around the text
 * is more than what a provider adds for framing. Pictures and files in the body do not count by their bytes.
 */
export function promptUpperBound(request: OpenAiRequest): number {
  const media = request.endpoint.required === 'messages' ? mediaOf(request.body['messages']) : NONE
  return Math.max(1, request.raw.length - media.bytes) + media.tokens
}

/** A token of the languages that tokenise worst is about three bytes. */
const BYTES_PER_TOKEN = 3

/** About as many tokens as the prompt has, from bytes alone: for when it cannot be counted. */
export function roughPrompt(request: OpenAiRequest): number {
  const media = request.endpoint.required === 'messages' ? mediaOf(request.body['messages']) : NONE
  return Math.ceil(Math.max(1, request.raw.length - media.bytes) / BYTES_PER_TOKEN) + media.tokens
}

interface Media {
  readonly bytes: number
  readonly tokens: number
}
const NONE: Media = { bytes: 0, tokens: 0 }

function mediaOf(messages: unknown): Media {
  if (!Array.isArray(messages)) return NONE
  let bytes = 0
  let tokens = 0
  for (const message of messages) {
    const content = isObject(message) ? message['content'] : null
    if (!Array.isArray(content)) continue
    for (const part of content) {
      const media = mediaOfPart(part)
      bytes += media.bytes
      tokens += media.tokens
    }
  }
  return { bytes, tokens }
}

function mediaOfPart(part: unknown): Media {
  if (!isObject(part)) return NONE
  switch (part['type']) {
    case 'image_url':
      return { bytes: lengthOfData(part['image_url'], 'url'), tokens: TOKENS_PER_IMAGE }
    case 'file':
      return { bytes: lengthOfData(part['file'], 'file_data'), tokens: TOKENS_PER_FILE }
    case 'input_audio': {
      const bytes = lengthOfData(part['input_audio'], 'data')
      return { bytes, tokens: Math.ceil(bytes / BASE64_PER_AUDIO_TOKEN) }
    }
    default:
      return NONE
  }
}

function lengthOfData(holder: unknown, field: string): number {
  const data = isObject(holder) ? holder[field] : holder
  return typeof data === 'string' ? data.length : 0
}
