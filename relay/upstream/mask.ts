/** Parts of a key shorter than this would mask ordinary words. */
const MASKED_PART_MIN = 8

const KEY_LIKE = /\b(sk-|pk-|rk-|gsk_|xai-|Bearer )[A-Za-z0-9_.*-]{8,}/g
/** Without the scheme: looking for one at every word of a long run of them takes seconds. */
const CREDENTIALS_IN_URL = /:\/\/[^\s/@:]+:[^\s/@]+@/g

/** Takes credentials out of a text that upstream or the network wrote: this channel's key, and whatever looks like one. */
export function maskCredentials(text: string, key: string): string {
  let masked = text
  for (const part of [key, ...key.split(/[|.\n]/)]) {
    if (part.length >= MASKED_PART_MIN) masked = masked.replaceAll(part, '***')
  }
  return masked.replace(CREDENTIALS_IN_URL, '://***@').replace(KEY_LIKE, '$1***')
}
