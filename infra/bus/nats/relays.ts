import type { RelayId } from '@tollgate/domain/ids.ts'
import type { Recall, RecallListener, Relays } from '@tollgate/domain/ports/hold-owner.ts'
import { NO_QUOTA } from '@tollgate/domain/quota.ts'
import { z } from 'zod'
import type { NatsLink } from './connection.ts'
import { isNoResponders, reasonOf } from './failure.ts'
import { inFlight } from './in-flight.ts'
import { replySchema } from './reply.ts'
import { serve, type Serving } from './rpc-server.ts'
import { recallSubject } from './subjects.ts'
import { amountSchema, decode, encode, holdIdSchema, userIdSchema } from './messages.ts'

/** Recalls that may wait for relays at a time; further ones count as not answered. */
const RECALLS_MAX = 5_000
/** A relay answers recalls from memory; what is more than this is asked again with the next refusal. */
const RECALLS_OF_RELAY_MAX = 1_000

const recallSchema: z.ZodType<Recall> = z.object({
  account: userIdSchema,
  except: holdIdSchema.nullable(),
})

/** Relays in other processes, each by its id. */
export function natsRelays(link: NatsLink): Relays {
  const bounded = inFlight(link, RECALLS_MAX)
  return {
    async recall(relay, recall, withinMs) {
      const timeout = Math.max(1, withinMs)
      const asked = () => link.client.request(recallSubject(relay), encode(recall), { timeout })
      try {
        const reply = decode(replySchema, (await bounded(asked)).data)
        return reply.status === 'answered' ? amountSchema.parse(reply.answer) : NO_QUOTA
      } catch (error) {
        // A relay that is gone is nothing to report: its holds end by themselves.
        if (!isNoResponders(error)) {
          link.logger.warn({ relay, reason: reasonOf(error) }, 'a relay did not answer a recall')
        }
        return NO_QUOTA
      }
    },
  }
}

export interface RecallServiceOptions {
  readonly link: NatsLink
  readonly relay: RelayId
  readonly listener: RecallListener
}

/** Passes recalls of other processes on to this process's relay. */
export const serveRecalls = ({ link, relay, listener }: RecallServiceOptions): Serving =>
  serve({
    link,
    subject: recallSubject(relay),
    max: RECALLS_OF_RELAY_MAX,
    async answer(data) {
      const { account, except } = decode(recallSchema, data)
      return { status: 'answered', answer: await listener.returnIdleQuota(account, except) }
    },
  })
