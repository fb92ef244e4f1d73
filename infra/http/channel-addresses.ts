import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { Reach } from '@tollgate/domain/ports/channel-probe.ts'
import type { AddressGuard } from '@tollgate/relay/upstream/dispatchers.ts'
import { AddressForbidden } from '@tollgate/relay/upstream/address-forbidden.ts'
import { guardedConnector } from './guarded-connector.ts'
import { isMetadataAddress, isMetadataName } from './metadata-address.ts'
import { isPublicAddress } from './public-address.ts'

/** Where channels may lead: out of the operator's own network only, or into it too, but never to a metadata service. */
export interface ChannelAddresses {
  /** For sending: the guard in force; every connection is checked. */
  readonly guard: () => AddressGuard
  /** For sending to the public internet alone, whatever the option says. */
  readonly publicGuard: AddressGuard
  /**
   * For saving: why a channel may not lead to a base URL or through a proxy; null when it may. A name that cannot be
   * resolved now may be one later; it is checked again when something is sent.
   */
  addressProblem(address: string, reach: Reach): Promise<'metadata' | 'private' | null>
}

export interface ChannelAddressOptions {
  /** Option fetch_setting.allow_private_channel_addresses, as it stands. */
  readonly allowsPrivate: () => boolean
  readonly connectMs: number
  /** IP addresses of a name, when saving; the system's way unless a test says otherwise. */
  readonly resolve?: (name: string) => Promise<readonly string[]>
  /** The same when sending. */
  readonly lookup?: LookupFunction
}

export function channelAddresses({
  allowsPrivate,
  connectMs,
  resolve = resolved,
  lookup: lookupToSend,
}: ChannelAddressOptions): ChannelAddresses {
  const guardOf = (name: string, mayReach: AddressGuard['mayReach']): AddressGuard => ({
    name,
    mayReach,
    mayName: (host) => !isMetadataName(host),
    connector: guardedConnector({
      mayReach,
      refusal: (host) => new AddressForbidden(host),
      timeoutMs: connectMs,
      lookup: lookupToSend,
    }),
  })
  const publicOnly = guardOf('public only', isPublicAddress)
  const anyButMetadata = guardOf('any but metadata', (ip) => !isMetadataAddress(ip))
  return {
    guard: () => (allowsPrivate() ? anyButMetadata : publicOnly),
    publicGuard: publicOnly,
    async addressProblem(address, reach) {
      if (!URL.canParse(address)) return null
      const host = new URL(address).hostname.replace(/^\[|\]$/g, '')
      if (isMetadataName(host)) return 'metadata'
      const addresses = await addressesOf(host, resolve)
      if (addresses.some(isMetadataAddress)) return 'metadata'
      if (reach === 'configured' && allowsPrivate()) return null
      return addresses.every(isPublicAddress) ? null : 'private'
    },
  }
}

const addressesOf = async (
  host: string,
  resolve: (name: string) => Promise<readonly string[]>,
): Promise<readonly string[]> => (isIP(host) === 0 ? resolve(host).catch(() => []) : [host])

const resolved = async (name: string): Promise<readonly string[]> =>
  (await lookup(name, { all: true })).map(({ address }) => address)
