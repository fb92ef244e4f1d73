import { backOffMs, pause } from '../../event-store/back-off.ts'
import { reasonOf } from './failure.ts'
import { ensureLedgerConsumer, isConsumerDrained, removeWithRemains } from './ledger-consumer.ts'
import { connected, endOf, pull } from './pulling.ts'
import { Takes, type TakesOptions } from './takes.ts'

/** While a take lasts (the event log may be away), NATS is told so well before it gives the message to another. */
const STILL_WORKING_MS = 3_000
/** Messages under way per partition: enough for full appends, little enough to be given again after a crash. */
const UNDER_WAY_MAX = 512
/** How often a partition is searched for what a killed server kept too long. */
const REMAINS_MS = 60_000
/** Stopping waits this long for takes under way; what is left comes again to whoever consumes next. */
const STOP_MS = 5_000

export interface UsageConsumerOptions extends TakesOptions {
  /** Between one search for acknowledged messages that NATS kept and the next; default: a minute. */
  readonly remainsMs?: number
}

/** One partition's consumption events on their way into the ledger. */
export interface UsageConsumer {
  /** Whether nothing waits and nothing is under way, for any process; false when NATS cannot be asked. */
  isDrained(): Promise<boolean>
  /** Pulls nothing more; resolves when what was under way is acknowledged, within five seconds. */
  stop(): Promise<void>
}

/**
 * Consumes one partition's messages until stopped: through lost connections, and on a server that has lost its streams
 * (they are made again). Two processes may consume the same partition for a moment, each message goes to one of them.
 */
export function consumeUsage(options: UsageConsumerOptions): UsageConsumer {
  const { stream, partition } = options
  const { link, manager } = stream
  const stopping = new AbortController()
  const takes = new Takes(options)
  const timers = [
    setInterval(() => takes.sayStillWorking(), STILL_WORKING_MS).unref(),
    // Not at the start: in the rush after a reconnect remains cannot be told from what has just come.
    setInterval(() => void lookForRemains(), options.remainsMs ?? REMAINS_MS).unref(),
  ]
  const following = follow()

  async function follow(): Promise<void> {
    let told = ''
    for (let failures = 1; !stopping.signal.aborted; failures++) {
      await connected(link, stopping.signal)
      try {
        await consumeOnce()
        failures = 1
        told = ''
      } catch (error) {
        const reason = reasonOf(error)
        const text = 'consumption events cannot be taken, trying again'
        if (reason !== told) link.logger.warn({ partition, reason }, text)
        told = reason
      }
      await pause(backOffMs(failures), stopping.signal)
    }
  }

  /** Ends when the connection, the consumer or its stream is lost, or on stop. */
  async function consumeOnce(): Promise<void> {
    if (stopping.signal.aborted) return
    await stream.ensure()
    const info = await ensureLedgerConsumer(manager, partition, UNDER_WAY_MAX)
    const consumer = manager.jetstream().consumers.getPullConsumerFor(info)
    const messages = await pull(consumer, UNDER_WAY_MAX, (message) => takes.begin(message))
    await endOf(messages, link, stopping.signal)
  }

  async function lookForRemains(): Promise<void> {
    if (!link.isConnected() || stopping.signal.aborted) return
    try {
      // The pull under way ends with its consumer and begins again with the new one.
      if (await removeWithRemains(manager, partition)) {
        link.logger.warn({ partition }, 'NATS kept acknowledged charges; they are taken again')
      }
    } catch (error) {
      const reason = reasonOf(error)
      link.logger.warn({ partition, reason }, 'NATS does not say what it has kept')
    }
  }

  return {
    async isDrained() {
      try {
        return await isConsumerDrained(manager, partition)
      } catch (error) {
        const reason = reasonOf(error)
        link.logger.warn({ partition, reason }, 'NATS does not say what waits for the ledger')
        return false
      }
    },
    async stop() {
      stopping.abort()
      await following
      await takes.ended(STOP_MS)
      for (const timer of timers) clearInterval(timer)
    },
  }
}
