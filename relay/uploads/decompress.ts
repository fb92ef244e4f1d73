import {
  brotliDecompressSync,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  type ZlibOptions,
  zstdDecompressSync,
} from 'node:zlib'
import { type Refusal, refusal } from '../refusal.ts'

/** Encodings of bodies that are read here. */
export type ContentEncoding = 'gzip' | 'br' | 'deflate' | 'zstd'

/** Text compresses tenfold; a body that grows more than this is made to fill memory. */
export const DECOMPRESSION_RATIO_MAX = 100

/** Few large pieces instead of thousands of small ones. */
const CHUNK_BYTES = 256 * 1024

/** The encoding that a request's header names; null for none. Others are refused from the header alone. */
export function encodingOf(header: string | undefined): ContentEncoding | null | Refusal {
  const name = header?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return null
  if (name === 'x-gzip') return 'gzip'
  if (name === 'gzip' || name === 'br' || name === 'deflate' || name === 'zstd') return name
  const text = `content-encoding must be gzip, br, deflate or zstd, not ${name.slice(0, 40)}`
  return refusal(415, 'invalid_encoding', text)
}

/** Bytes that a compressed body may become at most. */
export const decompressedBytesMax = (compressedBytes: number, bytesMax: number): number =>
  Math.min(bytesMax, compressedBytes * DECOMPRESSION_RATIO_MAX)

/**
 * A body without its encoding; a Refusal of one that is none or becomes too large. Takes milliseconds per MiB: off the
 * serving thread unless little can come of it.
 */
export function decompress(
  body: Uint8Array,
  encoding: ContentEncoding,
  bytesMax: number,
): Buffer | Refusal {
  const most = decompressedBytesMax(body.length, bytesMax)
  const options = {
    maxOutputLength: Math.max(1, most),
    chunkSize: Math.min(CHUNK_BYTES, most + 64),
  }
  try {
    return DECODERS[encoding](body, options)
  } catch (error) {
    if (!(error instanceof RangeError)) {
      return refusal(400, 'invalid_encoding', `the body is not valid ${encoding}`)
    }
    return most < bytesMax ? GROWS_TOO_MUCH : tooLarge(bytesMax)
  }
}

/** The method in zlib's header: a body of `deflate` without one is raw, as some clients write it. */
const DEFLATE_METHOD = 8

const inflate: Decode = (body, options) =>
  ((body[0] ?? 0) & 0x0f) === DEFLATE_METHOD
    ? inflateSync(body, options)
    : inflateRawSync(body, options)

type Decode = (
  body: Uint8Array,
  options: Pick<ZlibOptions, 'maxOutputLength' | 'chunkSize'>,
) => Buffer

const DECODERS: Readonly<Record<ContentEncoding, Decode>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  deflate: inflate,
  zstd: zstdDecompressSync,
}

const GROWS_TOO_MUCH = refusal(
  413,
  'request_too_large',
  `the body must not become more than ${DECOMPRESSION_RATIO_MAX} times as large when it is decompressed`,
)

/** A body beyond the operator's limit. */
export const tooLarge = (bytesMax: number): Refusal =>
  refusal(413, 'request_too_large', `the body must not be larger than ${bytesMax} bytes`)
