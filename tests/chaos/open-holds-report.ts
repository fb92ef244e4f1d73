import {
  ledgerConsumer,
  usageOfPartition,
  USAGE_STREAM,
} from '@tollgate/infra/bus/nats/subjects.ts'
import { connect } from 'nats'
import type { DistributedProduct } from '../support/distributed-product.ts'

/**
 * The report that one would ask for first: which holds are open, who owns their partitions, and what NATS says waits
 * for them.
 */
export async function openHoldsReport(product: DistributedProduct): Promise<string> {
  const holds = await product.query(`
    select data::jsonb->>'hold' as hold, data::jsonb->>'relay' as relay,
      now() - recorded_at as age, (select now() - max(recorded_at) from ledger.events) as quiet
    from ledger.events held
    where type = 'QuotaHeld' and not exists (
      select from ledger.events ended
      where ended.stream = held.stream and ended.type in ('HoldReleased', 'HoldExpired')
        and ended.data::jsonb->>'hold' = held.data::jsonb->>'hold')`)
  const known = await product.query('select * from balances.holds')
  const leases = await product.query(
    `select name, member, held_until - now() as remains from coordination.leases where sharing = 'ledger'`,
  )
  const waiting = await whatWaits(product.nats.url)
  return JSON.stringify({ holds, known, leases, waiting, logs: lastLines(product) }, null, 1)
}

const LOG_LINES = 200

/** The last lines that the processes printed. */
export const lastLines = (product: DistributedProduct): readonly string[] =>
  product.logs().split('\n').slice(-LOG_LINES)

/** Partitions for which NATS has stored something or believes that something waits. */
async function whatWaits(url: string): Promise<readonly object[]> {
  const connection = await connect({ servers: url })
  try {
    const { streams, consumers } = await connection.jetstreamManager()
    const waiting: object[] = []
    for await (const { name, num_pending, num_ack_pending, num_redelivered } of consumers.list(
      USAGE_STREAM,
    )) {
      const partition = Number(name.slice(ledgerConsumer(0).length - 2))
      const { state } = await streams.info(USAGE_STREAM, {
        subjects_filter: usageOfPartition(partition),
      })
      const stored = Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0)
      if (stored + num_pending + num_ack_pending === 0) continue
      waiting.push({ name, partition, stored, num_pending, num_ack_pending, num_redelivered })
    }
    return waiting
  } finally {
    await connection.close()
  }
}
