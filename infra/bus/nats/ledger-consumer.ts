import { setTimeout } from 'node:timers/promises'
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

/** Messages given to a process that fell silent go to the next one after this; so do messages whose answer was lost. */
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

/** Longer than any message waits before it is given again, after a lost acknowledgement or a failed take. */
const STANDSTILL_MS = 15_000

/** The fault of a consumer, which is made anew for it. */
export type ConsumerFault = 'remains' | 'standstill'

/** The progress of this process with the messages that it was given; monotonic milliseconds. */
export interface DeliveryProgress {
  /** When the longest of the takes under way began; null = none is under way. */
  readonly oldestSince: number | null
  /** When a take failed last, so that its message has to come again. */
  readonly failedAt: number
}

/** Looks after one partition's consumer; to be called every so often. */
export interface ConsumerCare {
  /**
   * Removes the consumer when something is wrong with it, and says what. Made anew, it gives out again all that is
   * stored, and the ledger takes each message only once.
   */
  look(taking: DeliveryProgress): Promise<ConsumerFault | null>
}

/**
 * A server that was killed comes back with what it wrote down last of its consumers. It may know a message as
 * acknowledged and still store it (remains), or wait for the acknowledgement of one that it never gives out again
 * (standstill: for a while the first that waits was the same, and nobody here was at it). Both would last for ever.
 * Messages that others publish and acknowledge meanwhile are never taken for either.
 */
export function careForConsumer(
  { streams, consumers }: JetStreamManager,
  partition: number,
  standstillMs = STANDSTILL_MS,
): ConsumerCare {
  const name = ledgerConsumer(partition)
  const of = usageOfPartition(partition)
  /** Sequence up to which all is acknowledged while more waits, and since when. */
  let floor: { readonly seq: number; readonly since: number } | null = null
  const standsStill = (
    consumer: ConsumerInfo,
    { oldestSince, failedAt }: DeliveryProgress,
  ): boolean => {
    const seq = consumer.ack_floor.consumer_seq
    const now = performance.now()
    if (waitingIn(consumer) === 0) floor = null
    else if (floor?.seq !== seq) floor = { seq, since: now }
    if (floor === null) return false
    const since = Math.max(floor.since, failedAt)
    const isAtIt = oldestSince !== null && oldestSince <= since
    return !isAtIt && now - since >= standstillMs
  }
  return {
    async look(taking) {
      const before = await streams.info(USAGE_STREAM)
      const consumer = await consumers.info(USAGE_STREAM, name)
      const after = await streams.info(USAGE_STREAM, { subjects_filter: of })
      const published = after.state.last_seq - before.state.last_seq
      const hasRemains = storedIn(after) > waitingIn(consumer) + published
      if (!standsStill(consumer, taking) && !hasRemains) return null
      floor = null
      await consumers.delete(USAGE_STREAM, name)
      return hasRemains ? 'remains' : 'standstill'
    },
  }
}

/** Asked again this often, for this long, whether what was published has been acknowledged. */
const DRAINED_EVERY_MS = 200
const DRAINED_WITHIN_MS = 3_000

/**
 * Whether all of a partition that was published before this was asked is acknowledged; further messages may come all
 * the while. Waits some seconds for it.
 */
export async function isConsumerDrained(
  { streams, consumers }: JetStreamManager,
  partition: number,
): Promise<boolean> {
  const { last_seq } = (await streams.info(USAGE_STREAM)).state
  const until = performance.now() + DRAINED_WITHIN_MS
  for (;;) {
    const consumer = await consumers.info(USAGE_STREAM, ledgerConsumer(partition))
    if (waitingIn(consumer) === 0 || consumer.ack_floor.stream_seq >= last_seq) return true
    if (performance.now() >= until) return false
    await setTimeout(DRAINED_EVERY_MS)
  }
}

const waitingIn = ({ num_pending, num_ack_pending }: ConsumerInfo): number =>
  num_pending + num_ack_pending

const storedIn = ({ state }: StreamInfo): number =>
  Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0)
