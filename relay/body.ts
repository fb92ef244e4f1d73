import { promisify } from 'node:util'
import { brotliDecompress, gunzip } from 'node:zlib'
import { type Refusal, refusal } from './refusal.ts'

/**
 * A request's body without its content encoding (gzip or br); the limit counts after decompression, so that a small
 * upload cannot become a huge one (decision 24). Done off the main thread: a bomb must not hold up streams.
 */
export async function decompressed(
  body: Buffer,
  encoding: string | undefined,
  bytesMax: number,
): Promise<Buffer | Refusal> {
  if (encoding === undefined || encoding === 'identity') return body
  const options = { maxOutputLength: bytesMax }
  try {
    if (encoding === 'gzip') return await unzip(body, options)
    if (encoding === 'br') return await unbrotli(body, options)
  } catch (error) {
    const isTooLarge = error instanceof RangeError
    return isTooLarge
      ? tooLarge(bytesMax)
      : refusal(400, 'invalid_encoding', `the body is not valid ${encoding}`)
  }
  return refusal(415, 'invalid_encoding', `content-encoding must be gzip or br, not ${encoding}`)
}

const unzip = promisify(gunzip)
const unbrotli = promisify(brotliDecompress)

/** What Fastify says of a body that it could not take, as a refusal; null for any other error. */
export function isBodyError(error: unknown, bytesMax: number): Refusal | null {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge(bytesMax)
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') {
    return refusal(400, 'invalid_body', 'the body is not as long as its content-length says')
  }
  return null
}

const tooLarge = (bytesMax: number): Refusal =>
  refusal(413, 'request_too_large', `the body must not be larger than ${bytesMax} bytes`)
