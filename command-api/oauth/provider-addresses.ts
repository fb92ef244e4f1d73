/** Addresses of services that there is one of in the world; what the operator runs or chooses is in the options. */
export interface ProviderAddresses {
  readonly turnstile: string
}

/** The real ones (console-api 1.5). */
export const PROVIDER_ADDRESSES: ProviderAddresses = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
}
