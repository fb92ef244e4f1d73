/** Unpredictable bytes, for keys, tokens, salts and nonces; `crypto.randomBytes` in every process, fixed in some tests. */
export type Entropy = (bytes: number) => Buffer

const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A text of `length` characters out of 0-9A-Za-z, each equally likely. */
export function randomAlphanumeric(entropy: Entropy, length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of entropy(length - text.length)) {
      // Bytes past the last multiple of 62 would favour the first characters: they are drawn again.
      if (byte < 248) text += ALPHANUMERIC.charAt(byte % 62)
    }
  }
  return text
}
