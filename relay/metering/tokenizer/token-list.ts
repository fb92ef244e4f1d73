/** A vocabulary's tokens by rank: the bytes of rank r stand from `starts[r]` to `starts[r + 1]`. */
export interface TokenList {
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
}

const NEWLINE = 0x0a
const SPACE = 0x20

/**
 * Reads a .tiktoken file: a token a line, by rank, as its bytes in base64, a space and its rank. In one pass and without
 * a string for each of the 200,000 tokens, as threads start with it.
 */
export function readTokenList(file: Uint8Array): TokenList {
  const bytes = new Uint8Array(Math.ceil((file.length * 3) / 4))
  const starts: number[] = [0]
  let length = 0
  let held = 0
  let bits = 0
  let isToken = true
  for (const code of file) {
    if (code === NEWLINE) {
      starts.push(length)
      held = 0
      bits = 0
      isToken = true
    } else if (code === SPACE) {
      isToken = false
    } else if (isToken) {
      const value = SEXTETS[code] ?? NO_SEXTET
      if (value === NO_SEXTET) continue
      held = ((held << 6) | value) & 0xff_ff
      bits += 6
      if (bits < 8) continue
      bits -= 8
      bytes[length] = (held >> bits) & 0xff
      length += 1
    }
  }
  return { bytes: bytes.slice(0, length), starts: Uint32Array.from(starts) }
}

const NO_SEXTET = 255
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const SEXTETS = new Uint8Array(256).fill(NO_SEXTET)
for (let value = 0; value < ALPHABET.length; value += 1) SEXTETS[ALPHABET.charCodeAt(value)] = value
