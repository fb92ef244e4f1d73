import { readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { AwsEventFramer } from './aws-event-framer.ts'

/** Made by @smithy/eventstream-codec 4.5.2, AWS's own. */
const RECORDED = readFileSync(
  new URL('../../tests/support/fixtures/bedrock/text-with-cache.bin', import.meta.url),
)
/** With a header of each type but text before its payload, `x`. */
const EVERY_TYPE = Buffer.from(
  'AAAAVgAAAEXUx1AdDTptZXNzYWdlLXR5cGUHAAVldmVudAFuBAAAAAUBYgABbAYAAgECAXQIAAAAAAAAAAABdQkAAAAAAAAAAAAAAAAAAAABeMBQ12A=',
  'base64',
)

function read(pieces: readonly Buffer[]): {
  readonly messages: unknown[]
  readonly fault: string | null
} {
  const framer = new AwsEventFramer()
  const messages = pieces.flatMap((piece) =>
    framer.push(piece).map(({ headers, payload }) => [[...headers], payload.toString()]),
  )
  return { messages, fault: framer.fault }
}

test('given a recording, when cut at any byte, then its messages stay the same', () => {
  const whole = read([RECORDED])
  expect(whole.fault).toBeNull()
  expect(whole.messages).toHaveLength(8)
  expect(whole.messages[0]).toEqual([
    [
      [':event-type', 'chunk'],
      [':content-type', 'application/json'],
      [':message-type', 'event'],
    ],
    expect.stringMatching(/^\{"bytes":"/),
  ])
  for (let cut = 0; cut <= RECORDED.length; cut += 1) {
    expect(read([RECORDED.subarray(0, cut), RECORDED.subarray(cut)])).toEqual(whole)
  }
  expect(read(Array.from(RECORDED, (_byte, at) => RECORDED.subarray(at, at + 1)))).toEqual(whole)
})

test('given headers of every type, when read, then texts are told and the payload is found', () => {
  expect(read([EVERY_TYPE])).toEqual({
    messages: [[[[':message-type', 'event']], 'x']],
    fault: null,
  })
})

test('given any byte changed, when read, then a checksum tells and nothing of the message is given', () => {
  for (let at = 0; at < EVERY_TYPE.length; at += 1) {
    const changed = Buffer.from(EVERY_TYPE)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(read([changed, EVERY_TYPE])).toEqual({
      messages: [],
      fault: 'upstream sent a message whose checksum is wrong',
    })
  }
})

/** A message whose checksums are right and whose lengths are what they are given as. */
function forged(
  headers: Buffer,
  headersBytes = headers.length,
  total = headers.length + 16,
): Buffer {
  const prelude = Buffer.alloc(12)
  prelude.writeUInt32BE(total, 0)
  prelude.writeUInt32BE(headersBytes, 4)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  const message = Buffer.concat([prelude, headers])
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(message))
  return Buffer.concat([message, checksum])
}

test.each([
  ['is longer than any event', forged(Buffer.alloc(0), 0, 11_000_000), 'more than 10485760 bytes'],
  ['has headers beyond its end', forged(Buffer.alloc(0), 1), 'longer than it is'],
  ['is shorter than its frame', forged(Buffer.alloc(0), 0, 3), 'longer than it is'],
  ['has a header beyond the headers', forged(Buffer.from([200, 97])), 'cannot be read'],
  ['has a text beyond the headers', forged(Buffer.from([1, 97, 7, 0, 9])), 'cannot be read'],
  ['has a header of no type', forged(Buffer.from([1, 97, 10])), 'cannot be read'],
])('given a message that %s, when read, then it is a fault', (_what, bytes, fault) => {
  expect(read([bytes])).toEqual({ messages: [], fault: expect.stringContaining(fault) })
})
