import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { AddressGuard } from '@tollgate/relay/upstream/dispatchers.ts'
import { AddressForbidden } from '@tollgate/relay/upstream/address-forbidden.ts'
import { guardedConnector } from './guarded-connector.ts'
import { isPublicAddress } from './public-address.ts'

/** Where channels may lead: everywhere, or out of the operator's own network only. */
export interface ChannelAddresses {
  /** For sending: every connection is checked. */
  readonly guard: AddressGuard
  /**
   * For saving: whether a base URL leads to where channels may. A name that cannot be resolved now may be one later;
   * it is checked again when something is sent.
   */
  mayLeadTo(baseUrl: string): Promise<boolean>
}

export interface ChannelAddressOptions {
  /** Option fetch_setting.allow_private_channel_addresses, as it stands. */
  readonly allowsPrivate: () => boolean
  readonly connectMs: number
  /** IP addresses of a name; the system's way unless a test says otherwise. */
  readonly resolve?: (name: string) => Promise<readonly string[]>
}

export function channelAddresses({
  allowsPrivate,
  connectMs,
  resolve = resolved,
}: ChannelAddressOptions): ChannelAddresses {
  return {
    guard: {
      isOn: () => !allowsPrivate(),
      mayReach: isPublicAddress,
      connector: guardedConnector({
        mayReach: isPublicAddress,
        refusal: (host) => new AddressForbidden(host),
        timeoutMs: connectMs,
      }),
    },
    async mayLeadTo(baseUrl) {
      if (allowsPrivate() || !URL.canParse(baseUrl)) return true
      const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')
      if (isIP(host) !== 0) return isPublicAddress(host)
      const addresses = await resolve(host).catch(() => [])
      return addresses.every((address) => isPublicAddress(address))
    },
  }
}

const resolved = async (name: string): Promise<readonly string[]> =>
  (await lookup(name, { all: true })).map(({ address }) => address)
