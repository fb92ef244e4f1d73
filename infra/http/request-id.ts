import { randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** Bytes from here on would favour the first letters. */
const UNFAIR_FROM = 256 - (256 % ALPHABET.length)

/**
 * A request id as clients of this API know it: UTC `yyyyMMddHHmmss`, nine digits of the second's fraction and eight
 * random alphanumerics. It stands in the answer's X-Oneapi-Request-Id header, in the log lines and in the events.
 */
export function newRequestId(): string {
  const iso = new Date().toISOString()
  const day = iso.slice(0, 4) + iso.slice(5, 7) + iso.slice(8, 10)
  const time = iso.slice(11, 13) + iso.slice(14, 16) + iso.slice(17, 19) + iso.slice(20, 23)
  const nanoseconds = (process.hrtime()[1] % 1_000_000).toString().padStart(6, '0')
  let tail = ''
  for (let i = 0; i < 8; i++) tail += randomLetter()
  return `${day}${time}${nanoseconds}${tail}`
}

export const REQUEST_ID_HEADER = 'X-Oneapi-Request-Id'

/** Drawn in stocks: asking the system for every letter costs more than all the rest of an id. */
const stock = Buffer.alloc(4_096)
let used = stock.length

function randomLetter(): string {
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
