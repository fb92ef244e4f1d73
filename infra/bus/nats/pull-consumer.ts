import {
  type Consumer,
  ConsumerEvents,
  type ConsumerMessages,
  type JsMsg,
  type Subscription,
} from 'nats'
import { pause } from '../../time/pause.ts'
import type { NatsLink } from './connection.ts'

/** A pull that nothing came for is asked again; half of it without a sign of life is noticed. */
const PULL_MS = 10_000

/** The member that the client's messages keep to themselves; its version is pinned because of this. */
interface PullInternals {
  readonly sub: Subscription
}

/** Begins to pull, at most so many ahead; each message is handed over as it comes. */
export const pull = (
  consumer: Consumer,
  ahead: number,
  take: (message: JsMsg) => void,
): Promise<ConsumerMessages> =>
  consumer.consume({ max_messages: ahead, expires: PULL_MS, callback: take })

/** Resolves when there is a connection, or the signal aborts. */
export async function connected(link: NatsLink, signal: AbortSignal): Promise<void> {
  const back = new AbortController()
  const go = (): void => back.abort()
  const off = link.onReconnect(go)
  signal.addEventListener('abort', go, { once: true })
  if (link.isConnected() || signal.aborted) go()
  await aborted(back.signal)
  off()
  signal.removeEventListener('abort', go)
}

/**
 * Events that the client reports and does not recover from well enough itself: its own next look is up to 30 s away.
 */
const LOST: ReadonlySet<string> = new Set([
  ConsumerEvents.ConsumerDeleted,
  ConsumerEvents.ConsumerNotFound,
  ConsumerEvents.StreamNotFound,
  ConsumerEvents.NoResponders,
  ConsumerEvents.HeartbeatsMissed,
])

/** Resolves when this pull has ended: the connection, the consumer or its stream was lost, or the signal aborted. */
export async function endOf(
  messages: ConsumerMessages,
  link: NatsLink,
  signal: AbortSignal,
): Promise<void> {
  const ended = new AbortController()
  const end = (): void => ended.abort()
  const offDisconnect = link.onDisconnect(end)
  signal.addEventListener('abort', end, { once: true })
  void messages.closed().then(end, end)
  void watch(messages, end)
  if (!link.isConnected() || signal.aborted) end()
  await aborted(ended.signal)
  offDisconnect()
  signal.removeEventListener('abort', end)
  await close(messages, link)
}

async function watch(messages: ConsumerMessages, end: () => void): Promise<void> {
  for await (const { type } of await messages.status()) if (LOST.has(type)) end()
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** A server that lives answers a flush within milliseconds. */
const DRAIN_MS = 1_000

/**
 * Closes a pull: messages that the server has sent already still come in; closing at once would leave them to time out
 * there.
 */
async function close(messages: ConsumerMessages, link: NatsLink): Promise<void> {
  const { sub } = messages as unknown as PullInternals
  const over = new AbortController()
  if (link.isConnected() && !sub.isClosed()) {
    await Promise.race([sub.drain(), pause(DRAIN_MS, over.signal)])
    over.abort()
  }
  await messages.close()
}
