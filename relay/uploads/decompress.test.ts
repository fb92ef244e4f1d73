import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { decompress, encodingOf } from './decompress.ts'

const MIB = 1024 * 1024
const COMPRESS = {
  gzip: gzipSync,
  br: brotliCompressSync,
  deflate: deflateSync,
  zstd: zstdCompressSync,
} as const
const ENCODINGS = ['gzip', 'br', 'deflate', 'zstd'] as const

test.each(ENCODINGS)(
  'given ordinary text in %s, when decompressed, then it is whole',
  (encoding) => {
    const text = randomBytes(300_000).toString('base64').repeat(3)
    const bytes = decompress(COMPRESS[encoding](text), encoding, 32 * MIB)
    expect(Buffer.isBuffer(bytes) && bytes.toString() === text).toBe(true)
  },
)

test.each(ENCODINGS)(
  'given a bomb in %s, when decompressed, then it is refused in little time and memory',
  (encoding) => {
    const bomb = COMPRESS[encoding](Buffer.alloc(64 * MIB))
    const startedMs = performance.now()
    expect(decompress(bomb, encoding, 32 * MIB)).toMatchObject({ status: 413, refused: true })
    expect(performance.now() - startedMs).toBeLessThan(2_000)
  },
)

test.each(ENCODINGS)(
  'given a body beyond the limit in %s, when decompressed, then 413 names the limit',
  (encoding) => {
    const bytes = COMPRESS[encoding](randomBytes(200_000))
    expect(decompress(bytes, encoding, 100_000)).toMatchObject({
      status: 413,
      message: 'the body must not be larger than 100000 bytes',
    })
  },
)

test.each(ENCODINGS)('given what is no %s, when decompressed, then 400', (encoding) => {
  for (const bytes of [
    Buffer.from('{}'),
    Buffer.alloc(0),
    COMPRESS[encoding]('hello').subarray(0, 8),
  ]) {
    expect(decompress(bytes, encoding, MIB)).toMatchObject({ status: 400 })
  }
})

test.each([
  [undefined, null],
  ['identity', null],
  [' GZIP ', 'gzip'],
  ['br', 'br'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['zstd', 'zstd'],
])('given the header %j, when read, then the encoding is %j', (header, encoding) => {
  expect(encodingOf(header)).toBe(encoding)
})

test.each(['compress', 'lzma', 'gzip, gzip', 'x'.repeat(5_000)])(
  'given the encoding %s, which is not read here, then 415 in few words',
  (header) => {
    const refused = encodingOf(header)
    expect(refused).toMatchObject({ status: 415 })
    expect(JSON.stringify(refused).length).toBeLessThan(500)
  },
)

test('given deflate without a header of its own, when decompressed, then it is whole', () => {
  const bytes = decompress(deflateRawSync('{"a":1}'), 'deflate', MIB)
  expect(Buffer.isBuffer(bytes) && bytes.toString()).toBe('{"a":1}')
})
