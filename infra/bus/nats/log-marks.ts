import type { LogMark } from '@tollgate/domain/timeline/log-view.ts'
import { z } from 'zod'
import { pause } from '../../time/pause.ts'
import type { NatsLink } from './connection.ts'
import { LOG_MARKS_SUBJECT } from './subjects.ts'
import { decode, encode, logMarkSchema } from './messages.ts'

const TELL_EVERY_MS = 5_000
/** Processes that run answer within milliseconds; one that does not is heard with its next message. */
const ANSWERS_WITHIN_MS = 300

export interface LogMarksOptions {
  readonly link: NatsLink
  /** How far this process has seen the log; null before it has seen anything. */
  readonly seen: () => LogMark | null
  readonly hear: (mark: LogMark) => void
  /** Default: five seconds. */
  readonly everyMs?: number
}

const markMessage = z.object({
  mark: logMarkSchema.nullable(),
  /** Whether everybody else is to tell theirs at once. */
  asks: z.boolean(),
})

/**
 * Tells the other processes how far this one has seen the log, and hears them: now, every few seconds, and when NATS is
 * back. Resolves when those who run have had time to answer.
 */
export async function exchangeLogMarks(options: LogMarksOptions): Promise<{ stop(): void }> {
  const { link, seen, hear, everyMs = TELL_EVERY_MS } = options
  const subscription = link.client.subscribe(LOG_MARKS_SUBJECT, {
    callback(err, message) {
      if (err === null) take(message.data)
    },
  })
  function take(data: Uint8Array): void {
    try {
      const { mark, asks } = decode(markMessage, data)
      if (mark !== null && !isOwn(mark)) hear(mark)
      if (asks) tell(false)
    } catch (err) {
      link.logger.warn({ err }, 'how far another process has seen the log cannot be read')
    }
  }
  const isOwn = ({ log, position, hash }: LogMark): boolean => {
    const own = seen()
    return own?.log === log && own.position === position && own.hash === hash
  }
  function tell(asks: boolean): void {
    if (link.isConnected()) {
      link.client.publish(LOG_MARKS_SUBJECT, encode({ mark: seen(), asks }))
    }
  }
  const offReconnect = link.onReconnect(() => tell(true))
  const telling = setInterval(() => tell(false), everyMs).unref()
  tell(true)
  await pause(ANSWERS_WITHIN_MS, new AbortController().signal)
  return {
    stop() {
      clearInterval(telling)
      offReconnect()
      subscription.unsubscribe()
    },
  }
}
