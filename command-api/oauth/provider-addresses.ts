/**
 * Addresses of services that exist once in the world; the addresses that the operator runs or chooses are in the
 * options.
 */
export interface ProviderAddresses {
  readonly turnstile: string
}

/** The real ones (console-api 1.5). */
export const PROVIDER_ADDRESSES: ProviderAddresses = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
}
