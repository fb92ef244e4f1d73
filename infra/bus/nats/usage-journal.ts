import {
  DuplicateMessage,
  JournalUnavailable,
  type UsageJournal,
  type UsageMessage,
} from '@tollgate/domain/ports/usage-journal.ts'
import type { JetStreamClient } from 'nats'
import { isNoResponders, isTooLarge, reasonOf } from './failure.ts'
import { inFlight } from './in-flight.ts'
import { usageSubject } from './subjects.ts'
import type { UsageStream } from './usage-stream.ts'
import { encodeUsage, messageIdOf } from './usage-message.ts'
import { MessageInvalid } from './messages.ts'

/** A broker that lives answers within milliseconds; the publisher asks again with the same message. */
const ACKNOWLEDGED_WITHIN_MS = 2_000
/** Relays turn requests away when far fewer charges wait; this only bounds memory. */
const PUBLISHING_MAX = 10_000

/**
 * The usage journal on JetStream: resolves when NATS has stored the message. Fails with JournalUnavailable while NATS
 * is unavailable, does not answer, has no stream (which is then made again) or no room; the same message may be
 * published again at any time. A message beyond NATS's max_payload fails with MessageInvalid, for good, and one whose
 * name NATS knows although it was not published before with DuplicateMessage: NATS drops it and says so in its
 * acknowledgement alone.
 */
export function natsUsageJournal(stream: UsageStream): UsageJournal {
  const jetStream = stream.link.client.jetstream()
  const bounded = inFlight(stream.link, PUBLISHING_MAX)
  return {
    async publish(message, isRepeated = false) {
      try {
        const isKnown = await bounded(() => publish(jetStream, message))
        if (isKnown && !isRepeated) throw new DuplicateMessage(message)
      } catch (error) {
        if (error instanceof DuplicateMessage) throw error
        if (isTooLarge(error)) throw new MessageInvalid('the charge is too large for NATS', error)
        if (isNoResponders(error)) await makeAgain(stream)
        throw new JournalUnavailable(`NATS did not take the charge: ${reasonOf(error)}`, error)
      }
    },
  }
}

/** Answers whether NATS had a message of this id already, and so did not store this one. */
async function publish(jetStream: JetStreamClient, message: UsageMessage): Promise<boolean> {
  // No `expect` here: its headers go along when NATS repeats the message, and other parties' streams would refuse it.
  const { duplicate } = await jetStream.publish(
    usageSubject(message.account),
    encodeUsage(message),
    {
      msgID: messageIdOf(message),
      timeout: ACKNOWLEDGED_WITHIN_MS,
    },
  )
  return duplicate
}

/** A server that lost its disk comes back empty. */
async function makeAgain(stream: UsageStream): Promise<void> {
  try {
    await stream.ensure()
  } catch (error) {
    throw new JournalUnavailable(`NATS has no usage stream: ${reasonOf(error)}`, error)
  }
}
