import type { Proof } from '../identity/visitors.ts'
import { gitHubAddress, GITHUB } from './github.ts'
import { LINUX_DO, linuxDoAddress } from './linux-do.ts'
import { OIDC } from './oidc.ts'
import type { FindOidcProvider } from './oidc-provider.ts'
import type { ProviderRequestDeps } from './provider.ts'

/** The values that the browser takes along to a provider. */
export interface BegunSignIn {
  readonly state: string
  /** SHA-256 of the proof's verifier (RFC 7636), and its nonce; null when the provider knows no proofs. */
  readonly proof: (Pick<Proof, 'nonce'> & { readonly codeChallenge: string }) | null
  /** Ours, without a trailing slash. */
  readonly serverAddress: string
}

/**
 * The address at which the browser signs in with a provider (console-api, authorize URLs); null for one that is off or
 * unknown, and for an OpenID provider without an authorization endpoint. Throws the errors of reading its discovery
 * document.
 */
export async function authorizeAddress(
  deps: Pick<ProviderRequestDeps, 'options'> & { readonly findOidcProvider: FindOidcProvider },
  provider: string,
  { state, proof, serverAddress }: BegunSignIn,
): Promise<string | null> {
  const options = deps.options.current()
  if (provider === 'github' && options.flag(GITHUB.option)) {
    return withQuery(`${gitHubAddress(options)}/login/oauth/authorize`, {
      client_id: options.text('GitHubClientId'),
      state,
      scope: 'user:email',
    })
  }
  if (provider === 'linuxdo' && options.flag(LINUX_DO.option)) {
    return withQuery(`${linuxDoAddress(options)}/oauth2/authorize`, {
      response_type: 'code',
      client_id: options.text('LinuxDOClientId'),
      state,
    })
  }
  if (provider !== 'oidc' || !options.flag(OIDC.option)) return null
  const endpoint =
    options.text('oidc.authorization_endpoint') ||
    (await deps.findOidcProvider(options))?.metadata.authorization_endpoint
  if (!endpoint) return null
  return withQuery(endpoint, {
    client_id: options.text('oidc.client_id'),
    redirect_uri: `${serverAddress}/oauth/oidc`,
    response_type: 'code',
    scope: 'openid profile email',
    state,
    ...(proof !== null && {
      nonce: proof.nonce,
      code_challenge: proof.codeChallenge,
      code_challenge_method: 'S256',
    }),
  })
}

/** Keeps the query that an endpoint has of its own (RFC 6749 3.1). */
function withQuery(address: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url.href
}
