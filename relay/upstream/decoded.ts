import type { IncomingHttpHeaders } from 'node:http'
import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  gunzip,
  inflate,
  zstdDecompress,
} from 'node:zlib'
import { headerText } from './header-text.ts'

const DECODED_BYTES_MAX = 64 * 1024 * 1024
/** Text that a model wrote shrinks to a tenth at best; beyond this an answer is a bomb. */
const RATIO_MAX = 100
/** A short answer may shrink by more: of repeated members there is not enough left to matter. */
const DECODED_BYTES_LEAST = 1024 * 1024

/**
 * A whole answer's body without its content encoding, which was not requested but may come. Null = unreadable, over 64
 * MiB or more than a hundred times as long as the received bytes. Decompresses off the serving thread.
 */
export async function decoded(body: Buffer, headers: IncomingHttpHeaders): Promise<Buffer | null> {
  const encoding = headerText(headers, 'content-encoding').toLowerCase()
  if (encoding === '' || encoding === 'identity') return body
  const decode = DECODERS.get(encoding)
  if (decode === undefined) return null
  const most = Math.max(DECODED_BYTES_LEAST, body.length * RATIO_MAX)
  try {
    return await decode(body, { maxOutputLength: Math.min(DECODED_BYTES_MAX, most) })
  } catch {
    // A body that is not in the encoding it claims is garbage, which the caller reports.
    return null
  }
}

/** A decoder of a stream as it comes; null = it has no encoding, or one that is not known. */
export function streamDecoder(headers: IncomingHttpHeaders): Transform | null {
  const create = STREAM_DECODERS.get(headerText(headers, 'content-encoding').toLowerCase())
  return create?.() ?? null
}

/** Whether the received bytes of a stream may have become so many: else it is a bomb. */
export const mayBecome = (came: number, decodedBytes: number): boolean =>
  decodedBytes <= Math.max(DECODED_BYTES_LEAST, came * RATIO_MAX)

const STREAM_DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
  ['deflate', createInflate],
  ['zstd', createZstdDecompress],
])

interface Bounds {
  maxOutputLength: number
}
type Decode = (body: Buffer, bounds: Bounds) => Promise<Buffer>

const DECODERS: ReadonlyMap<string, Decode> = new Map([
  ['gzip', promisify<Buffer, Bounds, Buffer>(gunzip)],
  ['x-gzip', promisify<Buffer, Bounds, Buffer>(gunzip)],
  ['br', promisify<Buffer, Bounds, Buffer>(brotliDecompress)],
  ['deflate', promisify<Buffer, Bounds, Buffer>(inflate)],
  ['zstd', promisify<Buffer, Bounds, Buffer>(zstdDecompress)],
])
