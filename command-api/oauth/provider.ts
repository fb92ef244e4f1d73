import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { OptionKey } from '@tollgate/domain/settings/catalogue.ts'
import type { ExternalIdKind } from '../identity/external-ids.ts'
import type { OutgoingFetch } from '../http/outgoing-fetch.ts'
import type { LiveOptions } from '../options/live-options.ts'

/** A service that vouches for people. Texts are those of console-api 2.3. */
export interface Provider {
  readonly kind: ExternalIdKind
  /** Switches it on and off. */
  readonly option: OptionKey
  /** Answered while it is off. */
  readonly offText: string
  /** Answered when another user has the id. */
  readonly takenText: string
}

/** A provider whose people may become users. */
export interface SignUpProvider extends Provider {
  /** Names of new users are this, an underscore and a number, unless the provider gives one. */
  readonly namePrefix: string
}

/** The person that a provider vouches for, as it describes them; '' = it does not say. */
export interface Profile {
  readonly id: string
  /** The person who has the id at present, where it can pass on to another; see ExternalId. */
  readonly holder?: string
  readonly username: string
  readonly displayName: string
  readonly email: string
}

/** The result of asking a provider; the message is for the user, the reason, when there is one, for the operator. */
export type Vouching =
  | { readonly status: 'vouched'; readonly profile: Profile }
  | { readonly status: 'refused'; readonly message: string; readonly reason?: string }

/** Vouches for a person, unless their id cannot be kept and told apart: then the user gets `invalidText`. */
export const vouched = (profile: Profile, invalidText: string): Vouching =>
  EXTERNAL_ID.test(profile.id)
    ? { status: 'vouched', profile }
    : refused(invalidText, 'the id is empty, longer than 255 characters or not printable')

/** Half characters would all be stored as the same one, and two people meet in it. */
const EXTERNAL_ID = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,255}$/u

export const refused = (message: string, reason?: string): Vouching => ({
  status: 'refused',
  message,
  ...(reason !== undefined && { reason }),
})

/** The dependencies of requests to providers. */
export interface ProviderRequestDeps {
  readonly fetch: OutgoingFetch
  readonly options: Pick<LiveOptions, 'current' | 'secret'>
  readonly clock: Clock
  readonly log: { warn(fields: object, text: string): void }
}

/** Tells the operator why a provider does not vouch: users see no more than that it does not. */
export function noteRefusal(
  { log }: Pick<ProviderRequestDeps, 'log'>,
  provider: SignUpProvider,
  { reason }: Vouching & { readonly status: 'refused' },
): void {
  if (reason === undefined) return
  log.warn(
    { provider: provider.namePrefix, reason },
    'a provider could not be asked who somebody is',
  )
}
