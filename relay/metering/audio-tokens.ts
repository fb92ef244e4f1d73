import { isObject, type JsonObject } from '../json.ts'

/** OpenAI counts a token of audio output for every 50 ms (platform.openai.com, guide to managing costs of realtime). */
const TOKENS_PER_SECOND = 20

/**
 * Bytes a second of the speech of chat models, 24 kHz mono; of compressed formats the usual rate of OpenAI's encoders.
 * Streams are always pcm16.
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

/** Whether a request lets the model answer in audio. */
export const mayBeSpoken = ({ modalities }: JsonObject): boolean =>
  Array.isArray(modalities) && modalities.includes('audio')

/** Gemini's rate (ai.google.dev/gemini-api/docs/audio), the highest of any vendor; OpenAI counts ten. */
const INPUT_TOKENS_PER_SECOND_MAX = 32
/** The rate of speech in a compressed format: 32 kbit/s, as little as encoders are usually told. */
const COMPRESSED_BYTES_PER_SECOND = 4_000
const WAV_HEADER_BYTES = 36
/** Format tags of WAVE whose samples are not compressed: PCM, float, and either with more to say of it. */
const UNCOMPRESSED: ReadonlySet<number> = new Set([1, 3, 0xfffe])

/** A bound on the tokens of audio in a prompt, given as base64: by its length, which a WAV's header gives. */
export function audioInputBound(base64: string): number {
  const bytes = Math.ceil((base64.length * 3) / 4)
  const head = Buffer.from(base64.slice(0, WAV_HEADER_BYTES * 2), 'base64')
  const perSecond = wavBytesPerSecond(head) ?? COMPRESSED_BYTES_PER_SECOND
  return Math.ceil((bytes / perSecond) * INPUT_TOKENS_PER_SECOND_MAX)
}

/**
 * Sample rate times the size of a sample, as a decoder reads them: the rate in bytes beside them may lie. Null for
 * other formats than uncompressed WAV.
 */
function wavBytesPerSecond(head: Buffer): number | null {
  if (head.length < WAV_HEADER_BYTES || head.toString('latin1', 0, 4) !== 'RIFF') return null
  if (head.toString('latin1', 8, 16) !== 'WAVEfmt ') return null
  if (!UNCOMPRESSED.has(head.readUInt16LE(20))) return null
  const channels = head.readUInt16LE(22)
  const samples = head.readUInt32LE(24)
  const bits = head.readUInt16LE(34)
  const perSecond = (samples * channels * bits) / 8
  return perSecond > 0 ? perSecond : null
}
