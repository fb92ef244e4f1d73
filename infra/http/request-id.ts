import { randomInt } from 'node:crypto'

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

/**
 * A request id as clients of this API know it: UTC `yyyyMMddHHmmss`, nine digits of the second's fraction and eight
 * random alphanumerics. It stands in the answer's X-Oneapi-Request-Id header, in the log lines and in the events.
 */
export function newRequestId(): string {
  const now = new Date()
  const stamp = now.toISOString().replace(/\D/g, '')
  const nanoseconds = (process.hrtime()[1] % 1_000_000).toString().padStart(6, '0')
  let tail = ''
  for (let i = 0; i < 8; i++) tail += ALPHABET[randomInt(ALPHABET.length)]
  return `${stamp}${nanoseconds}${tail}`
}

export const REQUEST_ID_HEADER = 'X-Oneapi-Request-Id'
