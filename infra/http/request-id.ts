import { randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** Bytes from here on would favour the first letters. */
const UNFAIR_FROM = 256 - (256 % ALPHABET.length)

/**
 * A request id as clients of this API know it: UTC `yyyyMMddHHmmss`, nine digits of the second's fraction and eight
 * random alphanumerics. It stands in the answer's X-Oneapi-Request-Id header, in the log lines and in the events.
 */
export function newRequestId(): string {
  const now = Date.now()
  const second = Math.floor(now / 1_000)
  if (second !== stampedSecond) {
    stampedSecond = second
    stamp = new Date(now).toISOString().slice(0, 19).replace(/\D/g, '')
  }
  const milliseconds = (now % 1_000).toString().padStart(3, '0')
  const nanoseconds = (process.hrtime()[1] % 1_000_000).toString().padStart(6, '0')
  let tail = ''
  for (let i = 0; i < 8; i++) tail += randomCharacter()
  return stamp + milliseconds + nanoseconds + tail
}

/** All ids of a second begin alike. */
let stampedSecond = 0
let stamp = ''

export const REQUEST_ID_HEADER = 'X-Oneapi-Request-Id'

/** Drawn in stocks: asking the system for every letter costs more than all the rest of an id. */
const stock = Buffer.alloc(4_096)
let used = stock.length

function randomCharacter(): string {
  for (;;) {
    if (used === stock.length) {
      randomFillSync(stock)
      used = 0
    }
    const byte = stock.readUInt8(used)
    used += 1
    if (byte < UNFAIR_FROM) return ALPHABET.charAt(byte % ALPHABET.length)
  }
}
