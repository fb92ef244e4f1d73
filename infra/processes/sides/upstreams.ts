import { type Dispatchers, makeDispatchers } from '@tollgate/relay/upstream/dispatchers.ts'
import { type ChannelAddresses, channelAddresses } from '../../http/channel-addresses.ts'
import { UPSTREAM_CONNECT_MS } from '../bounds.ts'
import type { Identity } from './identity.ts'

/** Connections to upstreams, and where they may lead. */
export interface Upstreams {
  readonly dispatchers: Dispatchers
  readonly addresses: ChannelAddresses
}

export function openUpstreams({ options }: Pick<Identity, 'options'>): Upstreams {
  const addresses = channelAddresses({
    allowsPrivate: () => options.current().flag('fetch_setting.allow_private_channel_addresses'),
    connectMs: UPSTREAM_CONNECT_MS,
  })
  return { addresses, dispatchers: makeDispatchers(UPSTREAM_CONNECT_MS, addresses.guard) }
}
