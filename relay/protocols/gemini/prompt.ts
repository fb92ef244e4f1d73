import type { JsonObject } from '../../json.ts'
import { audioInputBound } from '../../metering/audio-tokens.ts'
import {
  documentTokens,
  FILE_ELSEWHERE,
  type FileTokens,
  videoTokens,
} from '../../metering/file-tokens.ts'
import type { PromptParts } from '../client-protocol.ts'
import type { PromptMedia } from '../model-request.ts'
import { memberOf, objectIn, objectsIn, textIn } from './names.ts'

/** A picture in the highest resolution (ai.google.dev/gemini-api/docs/media-resolution). */
const TOKENS_PER_IMAGE = 2_300
/** The usual tokens of a picture, for a count. */
const TOKENS_PER_COUNTED_IMAGE = 1_100

/** Every text of the prompt: instruction, contents, results of functions, texts to embed. */
export function* promptTexts(body: JsonObject): Generator<string> {
  for (const part of partsIn(body)) {
    const text = textIn(part, 'text')
    if (text !== '') yield text
    const response = memberOf(part, 'functionResponse')
    if (response !== undefined) yield JSON.stringify(response)
  }
}

/** The prompt taken apart for counting. */
export function promptParts(body: JsonObject): PromptParts {
  const texts = [...promptTexts(body)]
  let fixedTokens = cachedIn(body).counted
  for (const part of partsIn(body)) {
    const call = memberOf(part, 'functionCall')
    if (call !== undefined) texts.push(JSON.stringify(call))
    const media = mediaOf(part)
    fixedTokens += countOf(part, media)
  }
  for (const tool of objectsIn(requestIn(body)['tools'])) texts.push(JSON.stringify(tool))
  return { texts, fixedTokens }
}

function countOf(part: JsonObject, { tokens, audioTokens }: PromptMedia): number {
  if (tokens === TOKENS_PER_IMAGE) return TOKENS_PER_COUNTED_IMAGE
  const inline = objectIn(part, 'inlineData')
  return textIn(inline, 'mimeType') === 'application/pdf'
    ? documentTokens(textIn(inline, 'data')).counted
    : tokens + audioTokens
}

/** The media of the prompt, whose bytes say nothing of their tokens. */
export function promptMedia(body: JsonObject): PromptMedia {
  let sum: PromptMedia = { ...NONE, tokens: cachedIn(body).bound }
  for (const part of partsIn(body)) {
    const media = mediaOf(part)
    sum = {
      bytes: sum.bytes + media.bytes,
      tokens: sum.tokens + media.tokens,
      audioTokens: sum.audioTokens + media.audioTokens,
    }
  }
  return sum
}

/** Tokens of content that was cached before, which is input as well. */
const cachedIn = (body: JsonObject): FileTokens =>
  memberOf(requestIn(body), 'cachedContent') === undefined
    ? { bound: 0, counted: 0 }
    : FILE_ELSEWHERE

const NONE: PromptMedia = { bytes: 0, tokens: 0, audioTokens: 0 }

/** A question for a count may have its request within. */
export const requestIn = (body: JsonObject): JsonObject => ({
  ...objectIn(body, 'generateContentRequest'),
  ...body,
})

/** All parts of a prompt, whatever it asks for. */
export function partsIn(body: JsonObject): readonly JsonObject[] {
  const request = requestIn(body)
  return [
    memberOf(request, 'systemInstruction'),
    request['contents'],
    request['content'],
    ...objectsIn(request['requests']).map((one) => one['content']),
  ]
    .flatMap(objectsIn)
    .flatMap((content) => objectsIn(content['parts']))
    .flatMap((part) => [part, ...objectsIn(memberOf(objectIn(part, 'functionResponse'), 'parts'))])
}

function mediaOf(part: JsonObject): PromptMedia {
  const inline = objectIn(part, 'inlineData')
  const file = objectIn(part, 'fileData')
  const mime = textIn(inline, 'mimeType') || textIn(file, 'mimeType')
  const data = textIn(inline, 'data')
  const bytes = data.length
  if (data === '')
    return textIn(file, 'fileUri') === '' ? NONE : { ...NONE, tokens: FILE_ELSEWHERE.bound }
  if (mime.startsWith('image/')) return { ...NONE, bytes, tokens: TOKENS_PER_IMAGE }
  if (mime.startsWith('audio/')) return { ...NONE, bytes, audioTokens: audioInputBound(data) }
  // Text in base64 has no more tokens than bytes: it stays with the others.
  if (mime.startsWith('text/') || mime === 'application/json') return NONE
  const tokens = mime.startsWith('video/') ? videoTokens(data) : documentTokens(data).bound
  return { ...NONE, bytes, tokens }
}
