import * as client from 'openid-client'
import type { OptionsView } from '@tollgate/domain/settings/options.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { OutgoingFetch } from '../http/outgoing-fetch.ts'
import { PROVIDER_TIMEOUT_MS } from './ask-provider.ts'
import { orUnreachable } from './unreachable.ts'

/** An OpenID provider as options and its own discovery document describe it. */
export interface OidcProvider {
  readonly metadata: client.ServerMetadata
  /** Whether the provider has said who it is and where its keys are: only then an id_token can be checked. */
  readonly isDiscovered: boolean
  readonly tokenEndpoint: string
  readonly userInfoEndpoint: string
}

/** Finds the provider; null when none of the options says where it is. Throws what asking it throws. */
export type FindOidcProvider = (options: OptionsView) => Promise<OidcProvider | null>

/** A provider that moves or turns its keys is followed within this time. */
const DISCOVERED_FOR_MS = 10 * 60_000

/** Discovers providers from option oidc.well_known; the endpoints that options name count more than discovered ones. */
export function oidcDiscovery(fetch: OutgoingFetch, clock: Clock): FindOidcProvider {
  let latest: {
    readonly address: string
    readonly at: number
    readonly found: client.ServerMetadata
  } | null = null
  const discovered = async (address: string): Promise<client.ServerMetadata> => {
    const isFresh = latest !== null && clock.now() - latest.at < DISCOVERED_FOR_MS
    if (latest !== null && latest.address === address && isFresh) return latest.found
    const found = await discover(fetch, address)
    latest = { address, at: clock.now(), found }
    return found
  }
  return async (options) => {
    const wellKnown = options.text('oidc.well_known')
    const metadata = wellKnown === '' ? null : await discovered(wellKnown)
    const tokenEndpoint = options.text('oidc.token_endpoint') || metadata?.token_endpoint
    const userInfoEndpoint = options.text('oidc.user_info_endpoint') || metadata?.userinfo_endpoint
    if (!tokenEndpoint || !userInfoEndpoint) return null
    return {
      metadata: metadata ?? { issuer: new URL(tokenEndpoint).origin },
      isDiscovered: metadata !== null,
      tokenEndpoint,
      userInfoEndpoint,
    }
  }
}

async function discover(fetch: OutgoingFetch, address: string): Promise<client.ServerMetadata> {
  // The id counts for nothing here: what is discovered is the same for all clients.
  const configuration = await client.discovery(new URL(address), 'tollgate', undefined, undefined, {
    [client.customFetch]: orUnreachable(fetch),
    timeout: PROVIDER_TIMEOUT_MS / 1000,
    execute: isPlainHttp(address) ? [client.allowInsecureRequests] : [],
  })
  return configuration.serverMetadata()
}

/** Plain http where the operator has written it: a provider beside Tollgate, behind no TLS. */
export const isPlainHttp = (address: string): boolean => new URL(address).protocol === 'http:'
