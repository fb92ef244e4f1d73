import { isObject, type JsonObject } from '../json.ts'

/** OpenAI counts a token of audio output for every 50 ms (platform.openai.com, guide to managing costs of realtime). */
const TOKENS_PER_SECOND = 20

/**
 * Bytes a second of what chat models speak, 24 kHz mono; of compressed formats what OpenAI's encoders usually make of
 * it. Streams are always pcm16.
 */
const BYTES_PER_SECOND: ReadonlyMap<string, number> = new Map([
  ['pcm16', 48_000],
  ['wav', 48_000],
  ['flac', 24_000],
  ['mp3', 16_000],
  ['aac', 16_000],
  ['opus', 8_000],
])
const PCM16_BYTES_PER_SECOND = 48_000

/** Output tokens that so many bytes of audio stand for. `format` as in a request's `audio.format`. */
export function audioTokens(bytes: number, format: string): number {
  const rate = BYTES_PER_SECOND.get(format) ?? PCM16_BYTES_PER_SECOND
  return Math.ceil((bytes / rate) * TOKENS_PER_SECOND)
}

/** The format of the audio that a request asks for; pcm16 where it names none. */
export function audioFormat(body: JsonObject): string {
  const audio = body['audio']
  const format = isObject(audio) ? audio['format'] : undefined
  return typeof format === 'string' ? format : 'pcm16'
}
