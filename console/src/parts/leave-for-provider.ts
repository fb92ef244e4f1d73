import { callEnvelope } from '../core/api.ts'
import { i18n } from '../core/i18n.ts'
import { referralCode } from '../core/referral.ts'

/** Providers that the browser is sent to; it comes back to /oauth/{provider} with a code. */
export type OAuthProvider = 'github' | 'oidc' | 'linuxdo'

/** Where the visitor wanted to go, kept in this tab while it is away at a provider. */
const NEXT_KEY = 'sign-in-next'

/**
 * Leaves for a provider: to sign in, or, when somebody is signed in, to bind it to them. `next` is a path of this site
 * to go to after a sign-in. Throws ApiError; also when the provider has been switched off since the page was loaded.
 */
export async function leaveForProvider(provider: OAuthProvider, next = ''): Promise<void> {
  const begun = await callEnvelope('GET', '/api/oauth/state', {
    query: { provider, aff: referralCode() },
  })
  if (begun.authorize_url === undefined) throw new Error(i18n.t('provider.off'))
  keepNext(next)
  location.assign(begun.authorize_url)
}

/** Keeps where to go after a sign-in at a provider, for a way that leaves this site by itself. */
export const keepNext = (next: string): void => sessionStorage.setItem(NEXT_KEY, next)

/** Where to go after the sign-in that has just come back; '' = nowhere in particular. Asked once. */
export function takeNext(): string {
  const next = sessionStorage.getItem(NEXT_KEY) ?? ''
  sessionStorage.removeItem(NEXT_KEY)
  return next
}
