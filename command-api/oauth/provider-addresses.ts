/** Addresses of services that there is one of in the world; what the operator runs or chooses is in the options. */
export interface ProviderAddresses {
  readonly gitHubToken: string
  readonly gitHubUser: string
  readonly linuxDoToken: string
  readonly linuxDoUser: string
  readonly turnstile: string
}

/** The real ones (console-api 1.5, 2.3). */
export const PROVIDER_ADDRESSES: ProviderAddresses = {
  gitHubToken: 'https://github.com/login/oauth/access_token',
  gitHubUser: 'https://api.github.com/user',
  linuxDoToken: 'https://connect.linux.do/oauth2/token',
  linuxDoUser: 'https://connect.linux.do/api/user',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
}
