/** The local key under which a referral code waits until its visitor signs up (seeds, screens and routes). */
const STORAGE_KEY = 'aff'
/** The server keeps no longer one of a sign-up through others. */
const CHARACTERS_MAX = 32

/** Keeps the code of the one who invited this visitor; nothing changes without one. */
export function rememberReferral(code: string | undefined): void {
  if (code) localStorage.setItem(STORAGE_KEY, code.slice(0, CHARACTERS_MAX))
}

/** The kept code; '' when nobody invited this visitor. */
export function referralCode(): string {
  return localStorage.getItem(STORAGE_KEY) ?? ''
}
