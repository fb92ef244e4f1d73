import { exampleUsage } from './example-usage.ts'
import { partitionOf } from '@tollgate/domain/account/partition.ts'
import { holdId, relayId, tokenId, userId } from '@tollgate/domain/ids.ts'
import type { UsageReport } from '@tollgate/domain/ports/usage-journal.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { type NatsLink, openNats } from '@tollgate/infra/bus/nats/connection.ts'
import { openUsageStream, type UsageStream } from '@tollgate/infra/bus/nats/usage-stream.ts'

/** Fixtures that tests of the bus share; nothing here is product code. */
export const ACCOUNT = userId(7)
export const PARTITION = partitionOf(ACCOUNT)
export const RELAY = relayId('5f0c41ad-6c5b-4a0e-9d52-70c2b2d2a4a5')
export const HOLD = holdId(ACCOUNT, 3, null)

export const quietLogger = { info() {}, warn() {}, error() {} }

/** A charge of the account by its number in the hold. */
export const report = (sequence: number, account = ACCOUNT): UsageReport => ({
  type: 'usage',
  account,
  relay: RELAY,
  hold: holdId(account, 3, null),
  sequence,
  token: tokenId(1),
  amount: quota(50),
  request: exampleUsage(`request-${sequence}`),
  final: false,
  endedAt: 1_763_700_000_000,
})

export const openLink = (url: string): Promise<NatsLink> =>
  openNats({ url, credsFile: null, name: 'test', logger: quietLogger })

/** The streams with room for little. */
export const openStream = (link: NatsLink, bytesMax = 16 * 1024 * 1024): Promise<UsageStream> =>
  openUsageStream({ link, replicas: 1, bytesMax, deployment: 'test' })
