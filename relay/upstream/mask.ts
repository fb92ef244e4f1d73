import { foreignText, withoutControls } from '@tollgate/domain/text.ts'
import { isObject, parseForeign } from '../json.ts'

/** Parts of a key shorter than this would mask ordinary words. */
const MASKED_PART_MIN = 8

const KEY_LIKE = /\b(sk-|pk-|rk-|gsk_|xai-|Bearer )[A-Za-z0-9_.*-]{8,}/g
/** JSON web tokens and Google's keys; only from the start of a run, so that a long run is looked at once. */
const TOKEN_LIKE = /(?<![\w-])(eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?|AIza[\w-]{20,})/g
/** Without the scheme: looking for one at every word of a long run of them takes seconds. */
const CREDENTIALS_IN_URL = /:\/\/[^\s/@:]+:[^\s/@]+@/g

/**
 * Masks credentials in a text that upstream or the network wrote: this channel's key, and everything that looks like
 * one.
 */
export function maskCredentials(text: string, key: string): string {
  let masked = text
  for (const part of spellingsOf(key)) masked = masked.replaceAll(part, '***')
  return masked
    .replace(CREDENTIALS_IN_URL, '://***@')
    .replace(KEY_LIKE, '$1***')
    .replace(TOKEN_LIKE, '***')
}

/**
 * The secret parts of a key. A service account's JSON has two: the rest, such as Google's addresses, is in many
 * messages.
 */
function partsOf(key: string): readonly string[] {
  const account = key.startsWith('{') ? parseForeign(key) : null
  if (!isObject(account)) return key.split(/[|.\n]/)
  const { private_key: pem, private_key_id: id } = account
  return [pem, id].flatMap((part) =>
    typeof part === 'string' ? [part, ...part.split(/\n|\\n/)] : [],
  )
}

/** The key and its parts, as they are and as JSON and addresses write them, the longest first. */
function spellingsOf(key: string): readonly string[] {
  const parts = [key, ...partsOf(key)].filter((part) => part.length >= MASKED_PART_MIN)
  const spellings = parts.flatMap((part) => [
    part,
    JSON.stringify(part).slice(1, -1),
    encodeURIComponent(part.toWellFormed()),
  ])
  return [...new Set(spellings)].toSorted((a, b) => b.length - a.length)
}

/**
 * A text of an upstream or the network, fit to be shown and stored: cleaned first, so that no control character parts a
 * key, then masked, then cut to `charactersMax`, so that no key is cut in two.
 */
export const shownText = (text: string, key: string, charactersMax: number): string =>
  foreignText(maskCredentials(withoutControls(text), key), charactersMax)
