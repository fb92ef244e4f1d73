import { type ApiReply, type ApiRequest, failure } from '../http-contract/api-route.ts'
import { DENIALS, userHeaderDenial } from './authenticate.ts'

type Sender = Pick<ApiRequest, 'sentFrom' | 'newApiUser'>

/**
 * Routes that act on the session cookie alone (decision 49): why they do not for this sender, null when they do. Cookies
 * are shared with sibling hosts, and over plain HTTP browsers do not say which of them a link or a picture stands on. The
 * header New-Api-User, equal to the caller, then shows that a page of ours or a script of the user's sends it.
 */
export function refuseCookieOnly(
  { sentFrom, newApiUser }: Sender,
  userId: number,
): ApiReply | null {
  if (sentFrom === 'own-page' || sentFrom === 'address-bar') return null
  const denial = userHeaderDenial(newApiUser, userId)
  return denial === null ? null : failure(denial, 401)
}

/**
 * The same for signing in over a living session, which ends it. Any value of the header shows that no other host's page
 * sends it; a page of ours may have forgotten the signed-in user.
 */
export function refuseSignInOver({ sentFrom, newApiUser }: Sender): ApiReply | null {
  if (sentFrom === 'own-page' || sentFrom === 'address-bar' || newApiUser !== null) return null
  return failure(DENIALS.userHeaderMissing, 401)
}
