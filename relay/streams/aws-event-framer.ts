import { crc32 } from 'node:zlib'
import { EVENT_BYTES_MAX } from './event-framer.ts'

/** One message of AWS's binary event stream. */
export interface AwsMessage {
  /** Those that are texts. */
  readonly headers: ReadonlyMap<string, string>
  readonly payload: Buffer
}

/** Length of the message, length of its headers, checksum of both. */
const PRELUDE_BYTES = 12
const CHECKSUM_BYTES = 4
/** Bytes of a header's value by its type; texts and bytes tell their own. */
const VALUE_BYTES: readonly (number | 'told')[] = [0, 0, 1, 2, 4, 8, 'told', 'told', 8, 16]
const TEXT = 7

/**
 * Cuts the bytes of an event stream of AWS into its messages, however they arrive, and checks their checksums
 * (smithy.io/2.0/aws/amazon-eventstream.html). Linear in the bytes.
 */
export class AwsEventFramer {
  #pending: Buffer[] = []
  #pendingBytes = 0
  #neededBytes = PRELUDE_BYTES
  /** Why nothing more can be read; null while it can. */
  fault: string | null = null

  /** Takes bytes; returns the messages that are whole now. */
  push(chunk: Buffer): readonly AwsMessage[] {
    if (this.fault !== null) return []
    this.#pending.push(chunk)
    this.#pendingBytes += chunk.length
    if (this.#pendingBytes < this.#neededBytes) return []
    const bytes = this.#pending.length === 1 ? chunk : Buffer.concat(this.#pending)
    const messages: AwsMessage[] = []
    let at = 0
    while (this.fault === null) {
      const rest = bytes.subarray(at)
      this.#neededBytes = rest.length < PRELUDE_BYTES ? PRELUDE_BYTES : this.#lengthOf(rest)
      if (rest.length < this.#neededBytes) break
      const message = this.#read(rest.subarray(0, this.#neededBytes))
      if (message !== null) messages.push(message)
      at += this.#neededBytes
    }
    const left = bytes.subarray(at)
    this.#pending = [left]
    this.#pendingBytes = left.length
    return messages
  }

  #lengthOf(bytes: Buffer): number {
    const total = bytes.readUInt32BE(0)
    if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) {
      this.fault = 'upstream sent a message whose checksum is wrong'
    } else if (total > EVENT_BYTES_MAX) {
      this.fault = `upstream sent an event of more than ${EVENT_BYTES_MAX} bytes`
    } else if (bytes.readUInt32BE(4) > total - PRELUDE_BYTES - CHECKSUM_BYTES) {
      this.fault = 'upstream sent a message whose headers are longer than it is'
    }
    return total
  }

  #read(message: Buffer): AwsMessage | null {
    if (this.fault !== null) return null
    const end = message.length - CHECKSUM_BYTES
    if (crc32(message.subarray(0, end)) !== message.readUInt32BE(end)) {
      this.fault = 'upstream sent a message whose checksum is wrong'
      return null
    }
    const payloadAt = PRELUDE_BYTES + message.readUInt32BE(4)
    const headers = headersIn(message.subarray(PRELUDE_BYTES, payloadAt))
    if (headers === null) this.fault = 'upstream sent a message whose headers cannot be read'
    return headers && { headers, payload: message.subarray(payloadAt, end) }
  }
}

/** Null = they are malformed. */
function headersIn(bytes: Buffer): ReadonlyMap<string, string> | null {
  const headers = new Map<string, string>()
  for (let at = 0; at < bytes.length;) {
    const typeAt = at + 1 + (bytes[at] ?? 0)
    const type = bytes[typeAt] ?? -1
    const length = VALUE_BYTES[type]
    const isTold = length === 'told'
    if (length === undefined || (isTold && typeAt + 3 > bytes.length)) return null
    const valueAt = typeAt + (isTold ? 3 : 1)
    const end = valueAt + (isTold ? bytes.readUInt16BE(typeAt + 1) : length)
    if (end > bytes.length) return null
    if (type === TEXT) {
      headers.set(bytes.toString('utf8', at + 1, typeAt), bytes.toString('utf8', valueAt, end))
    }
    at = end
  }
  return headers
}
