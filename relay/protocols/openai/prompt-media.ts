import { isObject, type JsonObject } from '../../json.ts'
import { audioInputBound } from '../../metering/audio-tokens.ts'
import { documentTokens, videoTokens } from '../../metering/file-tokens.ts'
import type { PromptMedia } from '../model-request.ts'

/** No provider counts a picture dearer than this many tokens, but for the one below. */
const TOKENS_PER_IMAGE = 3_000
/** Eight tiles, as many as a picture has that is scaled to 2048 × 768 (relay-and-billing.md 4.11). */
const TOKENS_PER_IMAGE_OF_MINI = 2_833 + 8 * 5_667

/** The media of a request's prompt, which stands in the body's member `required`. */
export const promptMedia = (body: JsonObject, required: string): PromptMedia =>
  required === 'messages' ? mediaOf(body['messages'], tokensPerImage(body['model'])) : NONE

/** A bound on the tokens of one picture. */
export const tokensPerImage = (model: unknown): number =>
  typeof model === 'string' && model.startsWith('gpt-4o-mini')
    ? TOKENS_PER_IMAGE_OF_MINI
    : TOKENS_PER_IMAGE

/** Whether a chat names a file that lies with the provider. */
export const namesStoredFile = ({ messages }: JsonObject): boolean =>
  partsIn(messages).some(
    (part) => isObject(part) && part['type'] === 'file' && dataIn(part['file'], 'file_id') !== '',
  )

/** All that may carry a mark for the cache of a provider that has one: the request, its tools and its parts. */
export const cachedParts = (body: JsonObject): readonly JsonObject[] =>
  [
    body,
    ...(Array.isArray(body['tools']) ? body['tools'] : []),
    ...(Array.isArray(body['messages']) ? body['messages'] : []),
    ...partsIn(body['messages']),
  ].filter(isObject)

const NONE: PromptMedia = { bytes: 0, tokens: 0, audioTokens: 0 }

function mediaOf(messages: unknown, perImage: number): PromptMedia {
  let bytes = 0
  let tokens = 0
  let audioTokens = 0
  for (const part of partsIn(messages)) {
    const media = mediaOfPart(part, perImage)
    bytes += media.bytes
    tokens += media.tokens
    audioTokens += media.audioTokens
  }
  return { bytes, tokens, audioTokens }
}

/** The parts of all messages whose content is a list. */
const partsIn = (messages: unknown): readonly unknown[] =>
  (Array.isArray(messages) ? messages : []).flatMap((message: unknown) => {
    const content = isObject(message) ? message['content'] : null
    return Array.isArray(content) ? content : []
  })

function mediaOfPart(part: unknown, perImage: number): PromptMedia {
  if (!isObject(part)) return NONE
  switch (part['type']) {
    case 'image_url':
      return { ...NONE, bytes: dataIn(part['image_url'], 'url').length, tokens: perImage }
    case 'video_url': {
      const url = dataIn(part['video_url'], 'url')
      return { ...NONE, bytes: url.length, tokens: videoTokens(url.startsWith('data:') ? url : '') }
    }
    case 'file': {
      const data = dataIn(part['file'], 'file_data')
      return { ...NONE, bytes: data.length, tokens: documentTokens(data).bound }
    }
    case 'input_audio': {
      const data = dataIn(part['input_audio'], 'data')
      return { ...NONE, bytes: data.length, audioTokens: audioInputBound(data) }
    }
    default:
      return NONE
  }
}

function dataIn(holder: unknown, field: string): string {
  const data = isObject(holder) ? holder[field] : holder
  return typeof data === 'string' ? data : ''
}
