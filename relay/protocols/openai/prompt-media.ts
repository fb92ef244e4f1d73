import { isObject, type JsonObject } from '../../json.ts'

/** No provider counts a picture dearer than this many tokens, but for the one below. */
const TOKENS_PER_IMAGE = 3_000
/** Eight tiles, as many as a picture has that is scaled to 2048 × 768 (relay-and-billing.md 4.11). */
const TOKENS_PER_IMAGE_OF_MINI = 2_833 + 8 * 5_667
const TOKENS_PER_FILE = 5_000
/** Base64 text per token of audio: 10 tokens a second of 24 kHz PCM16, with a wide margin. */
const BASE64_PER_AUDIO_TOKEN = 100

/** What of a prompt is no text: its bytes say nothing of its tokens. */
export interface PromptMedia {
  /** Of base64 in the body. */
  readonly bytes: number
  /** A bound on the tokens that pictures, files and audio cost. */
  readonly tokens: number
}

/** The media of a request's prompt, which stands in the body's member `required`. */
export const promptMedia = (body: JsonObject, required: string): PromptMedia =>
  required === 'messages' ? mediaOf(body['messages'], tokensPerImage(body['model'])) : NONE

const tokensPerImage = (model: unknown): number =>
  typeof model === 'string' && model.startsWith('gpt-4o-mini')
    ? TOKENS_PER_IMAGE_OF_MINI
    : TOKENS_PER_IMAGE

const NONE: PromptMedia = { bytes: 0, tokens: 0 }

function mediaOf(messages: unknown, perImage: number): PromptMedia {
  if (!Array.isArray(messages)) return NONE
  let bytes = 0
  let tokens = 0
  for (const message of messages) {
    const content = isObject(message) ? message['content'] : null
    if (!Array.isArray(content)) continue
    for (const part of content) {
      const media = mediaOfPart(part, perImage)
      bytes += media.bytes
      tokens += media.tokens
    }
  }
  return { bytes, tokens }
}

function mediaOfPart(part: unknown, perImage: number): PromptMedia {
  if (!isObject(part)) return NONE
  switch (part['type']) {
    case 'image_url':
      return { bytes: lengthOfData(part['image_url'], 'url'), tokens: perImage }
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
