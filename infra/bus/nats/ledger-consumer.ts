import {
  AckPolicy,
  type ConsumerInfo,
  DeliverPolicy,
  type JetStreamManager,
  nanos,
  NatsError,
  type StreamInfo,
} from 'nats'
import { ledgerConsumer, USAGE_STREAM, usageOfPartition } from './subjects.ts'

/** What a process that fell silent was given goes to the next one after this; so do messages whose answer was lost. */
const ACK_WAIT_MS = 10_000
/** NATS's number of the error for a consumer that exists with other settings (2.10 and newer; older ones update it). */
const CONSUMER_EXISTS = 10148

/**
 * Makes the durable consumer of a partition, or brings it to these settings; `underWayMax` messages are given out and
 * not acknowledged at most.
 */
export async function ensureLedgerConsumer(
  { consumers }: JetStreamManager,
  partition: number,
  underWayMax: number,
): Promise<ConsumerInfo> {
  const config = {
    durable_name: ledgerConsumer(partition),
    filter_subject: usageOfPartition(partition),
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: underWayMax,
    max_deliver: -1,
  }
  try {
    return await consumers.add(USAGE_STREAM, config)
  } catch (error) {
    if (!(error instanceof NatsError) || error.jsError()?.err_code !== CONSUMER_EXISTS) throw error
    return consumers.update(USAGE_STREAM, config.durable_name, config)
  }
}

/**
 * A server that was killed may know a message as acknowledged and still store it, and would for ever. When that is
 * so, removes the consumer and answers true: made anew, it gives everything out again, and the ledger takes each
 * message only once. What others publish and acknowledge meanwhile is never taken for such remains.
 */
export async function removeWithRemains(
  manager: JetStreamManager,
  partition: number,
): Promise<boolean> {
  const { streams, consumers } = manager
  const before = await streams.info(USAGE_STREAM)
  const consumer = await consumers.info(USAGE_STREAM, ledgerConsumer(partition))
  const of = usageOfPartition(partition)
  const after = await streams.info(USAGE_STREAM, { subjects_filter: of })
  const published = after.state.last_seq - before.state.last_seq
  if (storedIn(after) <= waitingIn(consumer) + published) return false
  return consumers.delete(USAGE_STREAM, consumer.name)
}

/** Whether nothing of a partition waits to be given out or to be acknowledged. */
export async function isConsumerDrained(
  manager: JetStreamManager,
  partition: number,
): Promise<boolean> {
  return waitingIn(await manager.consumers.info(USAGE_STREAM, ledgerConsumer(partition))) === 0
}

const waitingIn = ({ num_pending, num_ack_pending }: ConsumerInfo): number =>
  num_pending + num_ack_pending

const storedIn = ({ state }: StreamInfo): number =>
  Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0)
