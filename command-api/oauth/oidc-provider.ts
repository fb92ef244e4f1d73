import * as client from 'openid-client'
import type { OptionsView } from '@tollgate/domain/settings/options.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { OutgoingFetch } from '../http/outgoing-fetch.ts'
import { z } from 'zod'
import { PROVIDER_TIMEOUT_MS } from './ask-provider.ts'
import { reasonOf } from './reason.ts'
import { orUnreachable } from './unreachable.ts'

/** An OpenID provider as options and its own discovery document describe it. */
export interface OidcProvider {
  readonly metadata: client.ServerMetadata
  /** Whether the provider has said who it is and where its keys are: only then an id_token can be checked. */
  readonly isDiscovered: boolean
  readonly tokenEndpoint: string
  readonly userInfoEndpoint: string
}

/** Finds the provider; null when no option has its address. Throws the errors of asking it. */
export type FindOidcProvider = (options: OptionsView) => Promise<OidcProvider | null>

/** A provider that moves or turns its keys is followed within this time. */
const DISCOVERED_FOR_MS = 10 * 60_000

/** After a discovery that failed, before the next one where saved endpoints do without it. */
const FAILED_FOR_MS = 60_000

/**
 * Discovers providers from option oidc.well_known. Saved endpoints count more than discovered ones, and serve alone where
 * the document cannot be read: id_tokens are not looked at then.
 */
export function oidcDiscovery(
  fetch: OutgoingFetch,
  clock: Clock,
  log: { warn(facts: object, message: string): void },
): FindOidcProvider {
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
  let failed: { readonly address: string; readonly at: number } | null = null
  /** Null where the document cannot be read. */
  const discoveredIfReadable = async (address: string): Promise<client.ServerMetadata | null> => {
    if (failed?.address === address && clock.now() - failed.at < FAILED_FOR_MS) return null
    try {
      return await discovered(address)
    } catch (error) {
      failed = { address, at: clock.now() }
      log.warn(
        { provider: 'oidc', reason: reasonOf(error) },
        'oidc: the document at oidc.well_known cannot be read; the saved endpoints are used',
      )
      return null
    }
  }
  return async (options) => {
    const wellKnown = options.text('oidc.well_known')
    const saved = {
      token: options.text('oidc.token_endpoint'),
      userInfo: options.text('oidc.user_info_endpoint'),
    }
    const find = saved.token !== '' && saved.userInfo !== '' ? discoveredIfReadable : discovered
    const metadata = wellKnown === '' ? null : await find(wellKnown)
    const tokenEndpoint = saved.token || metadata?.token_endpoint
    const userInfoEndpoint = saved.userInfo || metadata?.userinfo_endpoint
    if (!tokenEndpoint || !userInfoEndpoint) return null
    return {
      metadata: metadata ?? { issuer: new URL(tokenEndpoint).origin },
      isDiscovered: metadata !== null,
      tokenEndpoint,
      userInfoEndpoint,
    }
  }
}

/** The provider that a discovery document, or an issuer above one, describes. Throws the errors of reading it. */
export async function discover(
  fetch: OutgoingFetch,
  address: string,
): Promise<client.ServerMetadata> {
  const document = await documentAt(orUnreachable(fetch), address)
  if (document !== null) return document
  // The id counts for nothing here: all clients get the same document.
  const configuration = await client.discovery(new URL(address), 'tollgate', undefined, undefined, {
    [client.customFetch]: orUnreachable(fetch),
    timeout: PROVIDER_TIMEOUT_MS / 1000,
    execute: isPlainHttp(address) ? [client.allowInsecureRequests] : [],
  })
  return configuration.serverMetadata()
}

const discoveryDocument = z
  .object({ issuer: z.string().min(1), token_endpoint: z.string() })
  .catchall(z.json())

/** The discovery document at the very address that is saved; null where that is an issuer's, below which it lies. */
async function documentAt(
  fetch: client.CustomFetch,
  address: string,
): Promise<client.ServerMetadata | null> {
  const answer = await fetch(address, {
    method: 'GET',
    headers: { accept: 'application/json' },
    body: undefined,
    redirect: 'manual',
    signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS),
  })
  if (answer.status !== 200) return null
  return discoveryDocument.safeParse(await answer.json().catch(() => null)).data ?? null
}

/** Plain http where the operator has written it: a provider beside Tollgate, behind no TLS. */
export const isPlainHttp = (address: string): boolean => new URL(address).protocol === 'http:'
