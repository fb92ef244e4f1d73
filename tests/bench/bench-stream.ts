import type { NatsLink } from '@tollgate/infra/bus/nats/connection.ts'
import { openUsageStream, type UsageStream } from '@tollgate/infra/bus/nats/usage-stream.ts'

/** Room for all charges of one measurement, which wait there before the ledger begins. */
const BYTES_MAX = 256 * 1024 * 1024

/** The stream of consumption events with the same settings for all processes of the bench. */
export const openBenchStream = (link: NatsLink): Promise<UsageStream> =>
  openUsageStream({ link, replicas: 1, bytesMax: BYTES_MAX, deployment: 'bench' })
