import type { RelayId, UserId } from '@tollgate/domain/ids.ts'
import type { RequestCount } from '@tollgate/relay/pipeline/model-rate-limit.ts'
import { z } from 'zod'
import type { NatsLink } from './connection.ts'
import { REQUEST_COUNTS_SUBJECT } from './subjects.ts'
import { decode, encode, relayIdSchema, userIdSchema } from './messages.ts'

/** Relays together may let through what arrives within this beyond the limit. */
const TELL_EVERY_MS = 1_000
/** Users in one message: about 100 KB, well below what NATS takes. */
const USERS_OF_MESSAGE_MAX = 4_000

/** The request counts of a relay, as its rate limiter gives and takes them. */
export interface RequestCounts {
  /** Requests counted since the last call. */
  take(): ReadonlyMap<UserId, RequestCount>
  hear(counts: Iterable<readonly [UserId, RequestCount]>): void
}

export interface RequestCountsOptions {
  readonly link: NatsLink
  /** This relay; its own messages are passed over. */
  readonly relay: RelayId
  readonly counts: RequestCounts
  /** Default: one second. */
  readonly everyMs?: number
}

const countsSchema = z.object({
  relay: relayIdSchema,
  counts: z.array(
    z.tuple([userIdSchema, z.object({ requests: z.int().min(0), successes: z.int().min(0) })]),
  ),
})

/**
 * Tells the other relays each second what this one has let through, and counts what they tell. Nothing waits for it:
 * while the broker is unavailable, each relay goes by what it knows.
 */
export function exchangeRequestCounts(options: RequestCountsOptions): { stop(): Promise<void> } {
  const { link, relay, counts, everyMs = TELL_EVERY_MS } = options
  const subscription = link.client.subscribe(REQUEST_COUNTS_SUBJECT, {
    callback(err, message) {
      if (err === null) hear(message.data)
    },
  })
  function hear(data: Uint8Array): void {
    try {
      const heard = decode(countsSchema, data)
      if (heard.relay !== relay) counts.hear(heard.counts)
    } catch (err) {
      link.logger.warn({ err }, 'what another relay counted cannot be read')
    }
  }
  function tell(): void {
    const untold = [...counts.take()]
    if (!link.isConnected()) return
    for (let from = 0; from < untold.length; from += USERS_OF_MESSAGE_MAX) {
      const part = untold.slice(from, from + USERS_OF_MESSAGE_MAX)
      link.client.publish(REQUEST_COUNTS_SUBJECT, encode({ relay, counts: part }))
    }
  }
  tell()
  const telling = setInterval(tell, everyMs).unref()
  return {
    stop() {
      clearInterval(telling)
      subscription.unsubscribe()
      return Promise.resolve()
    },
  }
}
