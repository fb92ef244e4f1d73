import type { JsonScan } from '../json-scan.ts'
import { clientProtocol } from '../protocols/client-protocols.ts'
import { scanBody } from '../protocols/json-body.ts'
import type { Endpoint, ModelRequest } from '../protocols/model-request.ts'
import { isRefusal, type Refusal } from '../refusal.ts'
import { type ContentEncoding, decompress } from './decompress.ts'

/** A body as it came. */
export interface BodyBytes {
  readonly parts: readonly Uint8Array<ArrayBuffer>[]
  readonly encoding: ContentEncoding | null
  /** After decompression. */
  readonly bytesMax: number
}

/** A body that was gone over and is not parsed yet. */
export interface ScannedBody {
  readonly raw: Buffer
  readonly scan: JsonScan
}

/** Some clients write one before their JSON. */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** Decompresses, and goes once over the bytes; a Refusal for a body that must not be parsed. */
export function scanBytes({ parts, encoding, bytesMax }: BodyBytes): ScannedBody | Refusal {
  const whole = joined(parts)
  const decoded = encoding === null ? whole : decompress(whole, encoding, bytesMax)
  if (isRefusal(decoded)) return decoded
  const isMarked = decoded.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
  const raw = isMarked ? decoded.subarray(BYTE_ORDER_MARK.length) : decoded
  const scan = scanBody(raw)
  return isRefusal(scan) ? scan : { raw, scan }
}

export const parseScanned = (
  endpoint: Endpoint,
  { raw, scan }: ScannedBody,
): ModelRequest | Refusal => clientProtocol(endpoint.protocol).read(endpoint, raw, scan)

/** The parts as one buffer of its own, which can be handed to a thread. */
function joined(parts: readonly Uint8Array<ArrayBuffer>[]): Buffer {
  const [only] = parts
  if (parts.length === 1 && only !== undefined) {
    return Buffer.from(only.buffer, only.byteOffset, only.byteLength)
  }
  const whole = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
