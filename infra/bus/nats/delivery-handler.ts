import { retryableOf } from '@tollgate/domain/kernel/transient.ts'
import { partitionOf } from '@tollgate/domain/account/partition.ts'
import { partsOfHold } from '@tollgate/domain/ids.ts'
import type { UsageMessage } from '@tollgate/domain/ports/usage-journal.ts'
import type { JsMsg } from 'nats'
import { pause } from '../../time/pause.ts'
import { reasonOf } from './failure.ts'
import type { DeliveryProgress } from './ledger-consumer.ts'
import { type Refusal, storeRefusal } from './refusals.ts'
import type { UsageStream } from './usage-stream.ts'
import { decodeUsage, messageIdOf } from './usage-message.ts'
import { MessageInvalid } from './messages.ts'

/** A message that could not be taken comes again after this, doubling with each time. */
const AGAIN_MS = 250
const AGAIN_MS_MAX = 5_000
/** An error that does not say whether it passes is believed to be for good when it came so many times. */
const UNEXPECTED_MAX = 3

/** The dependencies of taking one partition's messages. */
export interface DeliveryHandlerOptions {
  readonly stream: UsageStream
  readonly partition: number
  /**
   * Resolves when the message's event is in the log; called again for a message whose acknowledgement was lost. Many
   * calls are under way at a time. A retryable error has the message given again later; one that says that it is not
   * is for good, and so is any other the third time.
   */
  readonly take: (message: UsageMessage) => Promise<void>
  /** Told of each message that was put aside because it can never be taken; the log says so anyway. */
  readonly onRefused?: (refusal: Refusal) => void
}

/** The messages that are being taken. */
export class DeliveryHandler {
  readonly #options: DeliveryHandlerOptions
  /** By message id; the newest delivery of a message that came twice is the one to acknowledge. */
  readonly #underWay = new Map<string, JsMsg>()
  /** When each began, monotonic milliseconds. */
  readonly #ending = new Map<Promise<void>, number>()
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(options: DeliveryHandlerOptions) {
    this.#options = options
  }

  begin(delivery: JsMsg): void {
    const ending = this.#handle(delivery).finally(() => this.#ending.delete(ending))
    this.#ending.set(ending, performance.now())
  }

  now(): DeliveryProgress {
    // A map keeps the order in which its entries came.
    const [oldestSince = null] = this.#ending.values()
    return { oldestSince, failedAt: this.#failedAt }
  }

  extendAckWait(): void {
    for (const delivery of this.#underWay.values()) delivery.working()
  }

  async ended(withinMs: number): Promise<void> {
    const over = new AbortController()
    await Promise.race([Promise.all(this.#ending.keys()), pause(withinMs, over.signal)])
    over.abort()
  }

  async #handle(delivery: JsMsg): Promise<void> {
    const message = understood(delivery, this.#options.partition)
    if (message instanceof MessageInvalid) return this.#refuse(delivery, message)
    const id = messageIdOf(message)
    const isUnderWay = this.#underWay.has(id)
    this.#underWay.set(id, delivery)
    if (isUnderWay) return
    const failure = await failureOf(async () => this.#options.take(message))
    const newest = this.#underWay.get(id) ?? delivery
    this.#underWay.delete(id)
    if (failure === null) newest.ack()
    else if (isToComeAgain(failure, newest.info.redeliveryCount)) this.#giveAgain(newest, failure)
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
    onRefused?.(refusal)
    delivery.ack()
  }

  #giveAgain(delivery: JsMsg, error: unknown): void {
    this.#failedAt = performance.now()
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

/** MessageInvalid when it is no consumption event of this partition. */
function understood({ data, subject }: JsMsg, partition: number): UsageMessage | MessageInvalid {
  try {
    const message = decodeUsage(data)
    const { account, hold } = message
    const home = partitionOf(account)
    if (home !== partition) {
      return new MessageInvalid(
        `account ${account} belongs to partition ${home}, not to ${subject}`,
      )
    }
    if (partsOfHold(hold).account !== account) {
      return new MessageInvalid(`hold ${hold} is not of account ${account}`)
    }
    return message
  } catch (error) {
    return error instanceof MessageInvalid ? error : new MessageInvalid('cannot be read', error)
  }
}

async function failureOf(work: () => Promise<void>): Promise<unknown> {
  try {
    await work()
    return null
  } catch (error) {
    return error ?? new Error('failed without saying why')
  }
}

/** Whether it may work the next time; `times` is how often the message was given out. */
function isToComeAgain(error: unknown, times: number): boolean {
  return retryableOf(error) ?? times < UNEXPECTED_MAX
}
