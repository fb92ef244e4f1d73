import type { Msg } from 'nats'
import { pause } from '../../time/pause.ts'
import type { NatsLink } from './connection.ts'
import { failedReply, type Reply } from './reply.ts'
import { encode } from './messages.ts'

/** Stopping waits this long for answers under way; who asked has given up by then and asks again. */
const STOP_MS = 2_000

export interface ServingOptions {
  readonly link: NatsLink
  readonly subject: string
  /**
   * Queue group: only one of all who serve the subject under this name gets each request. Default: everybody gets it.
   */
  readonly queue?: string
  /** Requests worked on at a time; further ones are turned away. */
  readonly max: number
  /** Null = say nothing: another process is to answer. */
  readonly answer: (data: Uint8Array) => Promise<Reply | null>
}

/** A server that answers requests until it is stopped. */
export interface Serving {
  /** Takes no further request; resolves when those under way are answered, within two seconds. */
  stop(): Promise<void>
}

/** Too many requests are worked on already; ask again later. */
export class OwnerBusy extends Error {
  readonly code = 'OWNER_BUSY'
  readonly retryable = true
  readonly outcome = 'none'
  constructor(max: number) {
    super(`more than ${max} requests are being worked on`)
    this.name = 'OwnerBusy'
  }
}

/**
 * Answers requests on a subject. A request that fails is answered as a failure; a failure that cannot be mended is
 * logged.
 */
export function serve({ link, subject, queue, max, answer }: ServingOptions): Serving {
  const underWay = new Set<Promise<void>>()
  const work = async (message: Msg): Promise<void> => {
    const reply = await answer(message.data).catch((error: unknown) => failed(error))
    if (reply !== null) respond(message, reply)
  }
  const failed = (error: unknown): Reply => {
    const reply = failedReply(error)
    if (reply.status === 'failed' && !reply.retryable) {
      link.logger.error({ err: error, subject }, 'a request of another process failed')
    }
    return reply
  }
  const respond = (message: Msg, reply: Reply): void => {
    try {
      message.respond(encode(reply))
    } catch (error) {
      // A reply beyond the server's max_payload: who asked is told that there is none.
      message.respond(encode(failed(error)))
    }
  }
  const begin = (message: Msg): void => {
    if (underWay.size >= max) {
      respond(message, failedReply(new OwnerBusy(max)))
      return
    }
    const working = work(message).finally(() => underWay.delete(working))
    underWay.add(working)
  }
  const subscription = link.client.subscribe(subject, {
    ...(queue === undefined ? {} : { queue }),
    callback(err, message) {
      if (err === null) begin(message)
      else link.logger.error({ err, subject }, 'NATS does not let this process listen')
    },
  })
  return {
    async stop() {
      const over = new AbortController()
      const ended = async (): Promise<void> => {
        if (!subscription.isClosed()) await subscription.drain()
        await Promise.all(underWay)
      }
      await Promise.race([ended(), pause(STOP_MS, over.signal)])
      over.abort()
      if (!subscription.isClosed()) subscription.unsubscribe()
    },
  }
}
