import { expect, test } from 'vitest'
import { audioInputBound } from './audio-tokens.ts'

/** A WAV of so many seconds: `tag` names its format; the rate in bytes says 1, which no decoder goes by. */
function wav(seconds: number, { rate = 24_000, channels = 1, bits = 16, tag = 1 } = {}): string {
  const data = Buffer.alloc((seconds * rate * channels * bits) / 8)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(tag, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(1, 28)
  head.writeUInt16LE(bits, 34)
  head.write('data', 36)
  return Buffer.concat([head, data]).toString('base64')
}

/** Tokens a second that are reserved. */
const RATE = 32
const MP3_BYTES_PER_SECOND = 4_000

test.each([
  ['speech', wav(60), 60],
  ['a telephone', wav(60, { rate: 8_000, bits: 8 }), 60],
  ['stereo of a studio', wav(10, { rate: 48_000, channels: 2, bits: 24 }), 10],
  ['floats', wav(10, { bits: 32, tag: 3 }), 10],
  // Its samples are compressed: how long it is, its header does not tell.
  ['a compressed WAV', wav(10, { tag: 0x11 }), (10 * 48_000) / MP3_BYTES_PER_SECOND],
  ['a header of zeros', wav(1, { rate: 0 }), 44 / MP3_BYTES_PER_SECOND],
  ['MP3', Buffer.alloc(60 * MP3_BYTES_PER_SECOND, 0xff).toString('base64'), 60],
  ['nothing', '', 0],
  ['no base64', '!'.repeat(8), 6 / MP3_BYTES_PER_SECOND],
])('given %s, when its tokens are bounded, then by its length', (_what, base64, seconds) => {
  const bound = audioInputBound(base64)
  expect(bound).toBeGreaterThanOrEqual(Math.floor(seconds * RATE))
  // The header, and what rounding adds.
  expect(bound).toBeLessThanOrEqual(seconds * RATE + 2)
})
