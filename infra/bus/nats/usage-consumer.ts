import { partitionOf } from '@tollgate/domain/account/partition.ts'
import type { UsageMessage } from '@tollgate/domain/ports/usage-journal.ts'
import type { JsMsg } from 'nats'
import { backOffMs, pause } from '../../event-store/back-off.ts'
import { reasonOf } from './failure.ts'
import { ensureLedgerConsumer, isConsumerDrained } from './ledger-consumer.ts'
import { connected, endOf, pull } from './pulling.ts'
import { type Refusal, storeRefusal } from './refusals.ts'
import type { UsageStream } from './usage-stream.ts'
import { decodeUsage, messageIdOf } from './usage-wire.ts'
import { WireInvalid } from './wire.ts'

/** While a take lasts (the event log may be away), NATS is told so well before it gives the message to another. */
const STILL_WORKING_MS = 3_000
/** Messages under way per partition: enough for full appends, little enough to be given again after a crash. */
const UNDER_WAY_MAX = 512
/** What could not be taken comes again after this, doubling with each time. */
const AGAIN_MS = 250
const AGAIN_MS_MAX = 5_000
/** Stopping waits this long for takes under way; what is left comes again to whoever consumes next. */
const STOP_MS = 5_000

export interface UsageConsumerOptions {
  readonly stream: UsageStream
  readonly partition: number
  /**
   * Resolves when the message's event is in the log; called again for a message whose acknowledgement was lost. Many
   * calls are under way at a time. A retryable error has the message given again later; any other is for good.
   */
  readonly take: (message: UsageMessage) => Promise<void>
  /** Told of each message that was put aside because it can never be taken. */
  readonly onRefused: (refusal: Refusal) => void
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
  const timer = setInterval(() => takes.sayStillWorking(), STILL_WORKING_MS).unref()
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
      clearInterval(timer)
    },
  }
}

/** The messages that are being taken. */
class Takes {
  readonly #options: UsageConsumerOptions
  /** By message id; the newest delivery of a message that came twice is the one to acknowledge. */
  readonly #underWay = new Map<string, JsMsg>()
  readonly #ending = new Set<Promise<void>>()

  constructor(options: UsageConsumerOptions) {
    this.#options = options
  }

  begin(delivery: JsMsg): void {
    const ending = this.#handle(delivery).finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }

  sayStillWorking(): void {
    for (const delivery of this.#underWay.values()) delivery.working()
  }

  async ended(withinMs: number): Promise<void> {
    const over = new AbortController()
    await Promise.race([Promise.all(this.#ending), pause(withinMs, over.signal)])
    over.abort()
  }

  async #handle(delivery: JsMsg): Promise<void> {
    const message = understood(delivery, this.#options.partition)
    if (message instanceof WireInvalid) return this.#refuse(delivery, message)
    const id = messageIdOf(message)
    const isUnderWay = this.#underWay.has(id)
    this.#underWay.set(id, delivery)
    if (isUnderWay) return
    const failure = await failureOf(this.#options.take(message))
    const newest = this.#underWay.get(id) ?? delivery
    this.#underWay.delete(id)
    if (failure === null) newest.ack()
    else if (isRetryable(failure)) this.#giveAgain(newest, failure)
    else await this.#refuse(newest, failure)
  }

  async #refuse(delivery: JsMsg, error: unknown): Promise<void> {
    const { stream, partition, onRefused } = this.#options
    const { subject, data } = delivery
    const refusal = { partition, subject, reason: reasonOf(error), data }
    try {
      await storeRefusal(stream, refusal, delivery)
    } catch (storing) {
      this.#giveAgain(delivery, storing)
      return
    }
    const advice = `a consumption event can never be charged, it is kept in TOLLGATE_REFUSED`
    stream.link.logger.error({ partition, subject, err: error }, advice)
    onRefused(refusal)
    delivery.ack()
  }

  #giveAgain(delivery: JsMsg, error: unknown): void {
    const { stream, partition } = this.#options
    const times = delivery.info.redeliveryCount
    const delayMs = Math.min(AGAIN_MS_MAX, AGAIN_MS * 2 ** Math.min(times - 1, 10))
    delivery.nak(delayMs)
    // One line for each of hundreds of messages would bury the log; the first time says it.
    if (times > 1) return
    const reason = reasonOf(error)
    stream.link.logger.warn({ partition, reason }, 'a consumption event is given again later')
  }
}

/** WireInvalid when it is no consumption event of this partition. */
function understood({ data, subject }: JsMsg, partition: number): UsageMessage | WireInvalid {
  try {
    const message = decodeUsage(data)
    const home = partitionOf(message.account)
    if (home === partition) return message
    return new WireInvalid(
      `account ${message.account} belongs to partition ${home}, not to ${subject}`,
    )
  } catch (error) {
    if (error instanceof WireInvalid) return error
    throw error
  }
}

const failureOf = (work: Promise<void>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error ?? new Error('failed without saying why'),
  )

const isRetryable = (error: unknown): boolean =>
  error instanceof Error && 'retryable' in error && error.retryable === true
