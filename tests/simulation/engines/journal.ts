import { partitionOf } from '@tollgate/domain/account/partition.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import {
  DuplicateMessage,
  JournalUnavailable,
  type UsageJournal,
  type UsageMessage,
} from '@tollgate/domain/ports/usage-journal.ts'
import { messageIdOf } from '@tollgate/infra/bus/nats/usage-message.ts'
import type { Life, Machine } from '../core/machine.ts'
import type { Runtime } from '../core/simulated-runtime.ts'

/**
 * The usage journal as a server of its own, like a JetStream work queue: what it has acknowledged it keeps until a
 * consumer acknowledges it; it delivers at least once, in no particular order, and takes nothing more when it is full.
 */
export interface SimulatedJournal {
  /** The relay's side. */
  portOf(life: Life): UsageJournal
  /** Whether everything of a partition that is in the journal now is acknowledged; null = no answer. */
  isDrained(life: Life, partition: number): Promise<boolean | null>
  /** Messages that nobody has acknowledged; for those who check. */
  unacknowledged(): readonly StoredMessage[]
  setUnavailable(isUnavailable: boolean): void
  /** It takes messages and gives none out, as when consumers cannot be served. */
  setStalled(isStalled: boolean): void
}

export interface StoredMessage {
  readonly message: UsageMessage
  readonly storedAt: number
}

/** A process that takes messages in. */
export interface Consumer {
  readonly machine: Machine
  /** Whether it consumes the messages of an account at the moment. */
  readonly isConsuming: (account: UserId) => boolean
  /** Resolves when the message may be acknowledged. */
  readonly take: (message: UsageMessage) => Promise<void>
}

/** Those who check are told of what only the journal knows. */
export interface JournalWatch {
  readonly onStored: (message: UsageMessage) => void
  /** It has found, now, that all of a partition's messages are acknowledged. */
  readonly onDrained: (partition: number) => void
}

interface Message extends StoredMessage {
  isAcknowledged: boolean
}

const TIMEOUT_MS = 1_000
const LATENCY_MS = [1, 6] as const
/** A message that nobody has acknowledged is delivered again after so long. */
const REDELIVER_MS = [500, 4_000] as const
/** A second copy of a message may come long after the first, also after it was acknowledged. */
const REPEATED_AFTER_MS = [10, 40_000] as const
const DELIVERY_MS = [1, 20] as const
const DELIVERY_SLOW_MS = [20, 1_500] as const
/** Messages that it keeps; beyond, it discards new ones and says so. */
const MESSAGES_MAX = 12

/** See `SimulatedJournal`. */
export function makeJournal(
  runtime: Runtime,
  consumers: () => readonly Consumer[],
  /** Whether it knows messages by their names, as JetStream does; else it stores each copy. */
  knowsNames: boolean,
  isAlone: (machine: string) => boolean,
  { onStored, onDrained }: JournalWatch,
): SimulatedJournal {
  const { scheduler, chances } = runtime
  const messages = new Set<Message>()
  const names = new Set<string>()
  let isUnavailable = false
  let isStalled = false

  function store(message: UsageMessage): boolean {
    if (messages.size >= MESSAGES_MAX) return false
    names.add(messageIdOf(message))
    const stored: Message = { message, storedAt: scheduler.now(), isAcknowledged: false }
    messages.add(stored)
    onStored(message)
    deliverUntilAcknowledged(stored)
    if (chances.chance(runtime.faults().journalRepeated)) {
      const againAt = scheduler.now() + chances.whole(...REPEATED_AFTER_MS)
      scheduler.at(againAt, () => deliver(stored))
    }
    return true
  }

  function deliverUntilAcknowledged(stored: Message): void {
    if (stored.isAcknowledged) return
    deliver(stored)
    scheduler.at(scheduler.now() + chances.whole(...REDELIVER_MS), () =>
      deliverUntilAcknowledged(stored),
    )
  }

  function deliver(stored: Message): void {
    if (isUnavailable || isStalled) return
    const { message } = stored
    const isMisled = chances.chance(runtime.faults().wrongOwner)
    const able = consumers().filter(
      ({ machine, isConsuming }) =>
        machine.life() !== null &&
        !isAlone(machine.name) &&
        (isMisled || isConsuming(message.account)),
    )
    const [first, ...others] = able
    if (first === undefined) return
    const { machine, take } = chances.pick([first, ...others])
    const [least, most] = chances.chance(runtime.faults().slow) ? DELIVERY_SLOW_MS : DELIVERY_MS
    const life = machine.life()
    life?.after(chances.whole(least, most), () => {
      take(message).then(
        () => life.send(() => acknowledge(stored, machine.name)),
        // Not acknowledged, it comes again.
        () => undefined,
      )
    })
  }

  function acknowledge(stored: Message, by: string): void {
    if (isUnavailable || isAlone(by) || chances.chance(runtime.faults().journalLost)) return
    stored.isAcknowledged = true
    messages.delete(stored)
  }

  function publish(life: Life, message: UsageMessage, isRepeated: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      life.send(() => {
        const fail = (why: string): void => reject(new JournalUnavailable(why))
        if (isUnavailable || isAlone(life.name)) {
          life.after(chances.whole(...LATENCY_MS), () => fail('the journal is away'))
          return
        }
        const timeout = life.after(TIMEOUT_MS, () => fail('the journal does not answer'))
        if (chances.chance(runtime.faults().journalLost)) return
        const [least, most] = chances.chance(runtime.faults().slow) ? DELIVERY_SLOW_MS : LATENCY_MS
        scheduler.at(scheduler.now() + chances.whole(least, most), () => {
          if (isUnavailable) return
          const isKnown = knowsNames && names.has(messageIdOf(message))
          const isStored = isKnown || store(message)
          if (chances.chance(runtime.faults().journalUnanswered)) return
          life.after(1, () => {
            timeout.cancel()
            if (isKnown && !isRepeated) reject(new DuplicateMessage(message))
            else if (isStored) resolve()
            else fail('the journal is full')
          })
        })
      })
    })
  }

  return {
    portOf: (life) => ({
      publish: (message, isRepeated = false) => publish(life, message, isRepeated),
    }),
    isDrained: (life, partition) =>
      new Promise((resolve) => {
        life.send(() => {
          const timeout = life.after(TIMEOUT_MS, () => resolve(null))
          if (isUnavailable || isAlone(life.name) || chances.chance(runtime.faults().journalLost))
            return
          scheduler.at(scheduler.now() + chances.whole(...LATENCY_MS), () => {
            const isDrained = ![...messages].some(
              ({ message }) => partitionOf(message.account) === partition,
            )
            if (isDrained) onDrained(partition)
            life.after(1, () => {
              timeout.cancel()
              resolve(isDrained)
            })
          })
        })
      }),
    unacknowledged: () => [...messages],
    setUnavailable(unavailable) {
      isUnavailable = unavailable
      runtime.trace(() => `the journal is ${unavailable ? 'away' : 'back'}`)
    },
    setStalled(stalled) {
      isStalled = stalled
      runtime.trace(() => `the journal gives ${stalled ? 'nothing out' : 'messages out again'}`)
    },
  }
}
