/** Parts of a key shorter than this would mask ordinary words. */
const MASKED_PART_MIN = 8

const KEY_LIKE = /\b(sk-|pk-|rk-|gsk_|xai-|Bearer )[A-Za-z0-9_.*-]{8,}/g
const CREDENTIALS_IN_URL = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@:]+:[^\s/@]+@/gi

/** Takes credentials out of a text that upstream or the network wrote: this channel's key, and whatever looks like one. */
export function maskCredentials(text: string, key: string): string {
  let masked = text
  for (const part of [key, ...key.split(/[|.\n]/)]) {
    if (part.length >= MASKED_PART_MIN) masked = masked.replaceAll(part, '***')
  }
  return masked.replace(CREDENTIALS_IN_URL, '$1***@').replace(KEY_LIKE, '$1***')
}
