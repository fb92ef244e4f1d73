import { timingSafeEqual } from 'node:crypto'
import type { CookieToSet } from '../http-contract/api-route.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Entropy } from '../secrets/entropy.ts'
import type { Vault } from '../secrets/vault.ts'

/** Half a year: longer than anybody who administers a gateway stays away from it. */
export const KNOWN_BROWSER_SECONDS = 15_552_000

/**
 * Browsers in which a user has signed in under a name. An attacker who guesses at that name from many addresses has
 * none of them, and so does not use up the attempts of the user who sits at one (the device cookies of OWASP). Nothing
 * is stored: the cookie proves itself, and is worth a count of attempts, never a session.
 */
export interface KnownBrowsers {
  /** The cookie of a browser that has just signed in under a name. */
  remember(name: string): CookieToSet
  /** The browser's id; null unless it has signed in under this very name in the last half year. */
  recognise(token: string | null, name: string): string | null
}

const ID_BYTES = 16

/** Known browsers by cookies that the vault's key signs. Names are compared as they are given. */
export function knownBrowsers({
  vault,
  clock,
  entropy,
}: {
  readonly vault: Pick<Vault, 'fingerprint'>
  readonly clock: Pick<Clock, 'now'>
  readonly entropy: Entropy
}): KnownBrowsers {
  const signature = (name: string, id: string, signedInAt: number): Buffer =>
    vault.fingerprint('known-browser', JSON.stringify([name, id, signedInAt]))
  const nowSeconds = (): number => Math.floor(clock.now() / 1000)
  return {
    remember(name) {
      const id = entropy(ID_BYTES).toString('base64url')
      const at = nowSeconds()
      const token = `${id}.${at}.${signature(name, id, at).toString('base64url')}`
      return { token, maxAgeSeconds: KNOWN_BROWSER_SECONDS }
    },
    recognise(token, name) {
      const [id = '', at = '', signed = ''] = token?.split('.') ?? []
      const signedInAt = Number(at)
      if (!(signedInAt > nowSeconds() - KNOWN_BROWSER_SECONDS)) return null
      const expected = signature(name, id, signedInAt)
      const shown = Buffer.from(signed, 'base64url')
      const isGenuine = shown.length === expected.length && timingSafeEqual(shown, expected)
      return isGenuine ? id : null
    },
  }
}
