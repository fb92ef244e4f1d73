import { type AnswerReader, makeAnswerReader } from '@tollgate/relay/protocols/answer-reader.ts'
import { type Dispatchers, makeDispatchers } from '@tollgate/relay/upstream/dispatchers.ts'
import { type ChannelAddresses, channelAddresses } from '../../http/channel-addresses.ts'
import { UPSTREAM_CONNECT_MS } from '../bounds.ts'
import type { Identity } from './compose-identity.ts'

/** Connections to upstreams, where they may lead, and the reading of what comes back. */
export interface Upstreams {
  readonly dispatchers: Dispatchers
  /** Those that never lead into private networks. */
  readonly publicDispatchers: Dispatchers
  readonly addresses: ChannelAddresses
  readonly answers: AnswerReader
  close(): Promise<void>
}

export function openUpstreams({ options }: Pick<Identity, 'options'>): Upstreams {
  const addresses = channelAddresses({
    allowsPrivate: () => options.current().flag('fetch_setting.allow_private_channel_addresses'),
    connectMs: UPSTREAM_CONNECT_MS,
  })
  const dispatchers = makeDispatchers(UPSTREAM_CONNECT_MS, addresses.guard)
  const publicDispatchers = makeDispatchers(UPSTREAM_CONNECT_MS, () => addresses.publicGuard)
  const answers = makeAnswerReader()
  return {
    addresses,
    dispatchers,
    publicDispatchers,
    answers,
    async close() {
      await Promise.all([dispatchers.close(), publicDispatchers.close(), answers.close()])
    },
  }
}
