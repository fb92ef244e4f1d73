import { backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import { pause } from '../../time/pause.ts'
import { reasonOf } from './failure.ts'
import { careForConsumer, ensureLedgerConsumer, isConsumerDrained } from './ledger-consumer.ts'
import { connected, endOf, pull } from './pull-consumer.ts'
import { DeliveryHandler, type DeliveryHandlerOptions } from './delivery-handler.ts'

/** While a take lasts (the event log may be away), NATS is told so well before it gives the message to another. */
const STILL_WORKING_MS = 3_000
/** Messages under way per partition: enough for full appends, little enough to be given again after a crash. */
const UNDER_WAY_MAX = 512
/** How often it is looked whether a partition's consumer does its work. */
const LOOK_MS = 10_000
/** Stopping waits this long for takes under way; messages that are left come again to the next consumer. */
const STOP_MS = 5_000

export interface UsageConsumerOptions extends DeliveryHandlerOptions {
  /** Between one look whether the consumer does its work and the next; default: 10 s. */
  readonly lookMs?: number
  /** For how long nothing may be given out of what waits; default: 15 s. */
  readonly standstillMs?: number
}

/** One partition's consumption events on their way into the ledger. */
export interface UsageConsumer {
  /**
   * Whether all that was published before this was asked has been taken, by any process; waits some seconds for it.
   * False when NATS cannot be asked.
   */
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
  const handler = new DeliveryHandler(options)
  const care = careForConsumer(manager, partition, options.standstillMs)
  const timers = [
    setInterval(() => handler.extendAckWait(), STILL_WORKING_MS).unref(),
    setInterval(() => void look(), options.lookMs ?? LOOK_MS).unref(),
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
    const messages = await pull(consumer, UNDER_WAY_MAX, (message) => handler.begin(message))
    await endOf(messages, link, stopping.signal)
  }

  async function look(): Promise<void> {
    if (!link.isConnected() || stopping.signal.aborted) return
    try {
      // The pull under way ends with its consumer and begins again with the new one.
      const fault = await care.look(handler.now())
      if (fault !== null) link.logger.warn({ partition, fault }, FOUND[fault])
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
      await handler.ended(STOP_MS)
      for (const timer of timers) clearInterval(timer)
    },
  }
}

const FOUND = {
  remains: 'NATS kept acknowledged charges; they are taken again',
  standstill: 'NATS gave out nothing of what waits; all of it is taken again',
} as const
