import type { IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { headerText } from './header-text.ts'

const DECODED_BYTES_MAX = 64 * 1024 * 1024

/** A whole answer's body without its content encoding, which was not asked for but may come; null = unreadable. */
export function decoded(body: Buffer, headers: IncomingHttpHeaders): Buffer | null {
  const encoding = headerText(headers, 'content-encoding').toLowerCase()
  if (encoding === '' || encoding === 'identity') return body
  const decode = DECODERS.get(encoding)
  if (decode === undefined) return null
  try {
    return decode(body)
  } catch {
    // What is not in the encoding it claims is garbage, which the caller reports.
    return null
  }
}

const options = { maxOutputLength: DECODED_BYTES_MAX }
const DECODERS: ReadonlyMap<string, (body: Buffer) => Buffer> = new Map([
  ['gzip', (body) => gunzipSync(body, options)],
  ['br', (body) => brotliDecompressSync(body, options)],
  ['deflate', (body) => inflateSync(body, options)],
  ['zstd', (body) => zstdDecompressSync(body, options)],
])
