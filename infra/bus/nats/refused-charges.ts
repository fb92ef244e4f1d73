import { headers, NatsError, type StoredMsg } from 'nats'
import type { UserId } from '@tollgate/domain/ids.ts'
import type { UsageReport } from '@tollgate/domain/ports/usage-journal.ts'
import { REFUSED_STREAM, usageSubject } from './subjects.ts'
import type { UsageStream } from './usage-stream.ts'
import { decodeUsage, messageIdOf } from './usage-message.ts'

/** The result of redelivering one message of TOLLGATE_REFUSED. */
export type Redelivery =
  | { readonly status: 'published'; readonly charge: UsageReport }
  /** It stays where it is. */
  | { readonly status: 'unreadable'; readonly sequence: number; readonly problem: string }

const STORED_WITHIN_MS = 5_000

/**
 * Publishes every message of TOLLGATE_REFUSED, or those of one account, to the ledger once more and removes it there; what
 * the ledger refuses again comes back as a new message. Those that arrive meanwhile are left for the next time. Fails as
 * NATS does.
 */
export async function* redeliverRefused(
  { link, manager }: UsageStream,
  account?: UserId,
): AsyncGenerator<Redelivery, void, undefined> {
  const { first_seq, last_seq } = (await manager.streams.info(REFUSED_STREAM)).state
  for (let sequence = first_seq; sequence <= last_seq; sequence++) {
    const stored = await storedMessage(manager, sequence)
    if (stored === null) continue
    const message = read(stored)
    if (account !== undefined && (message instanceof Error || message.account !== account)) continue
    if (message instanceof Error) {
      yield { status: 'unreadable', sequence, problem: message.message }
      continue
    }
    if (message.type === 'usage') {
      // Under its first id JetStream would take it for the copy that it has given out already, and drop it.
      const again = headers()
      again.set('Nats-Msg-Id', `${messageIdOf(message)}/again-${sequence}`)
      await link.client.jetstream().publish(usageSubject(message.account), stored.data, {
        headers: again,
        timeout: STORED_WITHIN_MS,
      })
    }
    await manager.streams.deleteMessage(REFUSED_STREAM, sequence)
    // Idle quota that was not returned came back when its hold ended.
    if (message.type === 'usage') yield { status: 'published', charge: message }
  }
}

async function storedMessage(
  { streams }: UsageStream['manager'],
  seq: number,
): Promise<StoredMsg | null> {
  try {
    return await streams.getMessage(REFUSED_STREAM, { seq })
  } catch (error) {
    if (error instanceof NatsError && error.jsError()?.code === 404) return null
    throw error
  }
}

function read({ data }: StoredMsg): ReturnType<typeof decodeUsage> | Error {
  try {
    return decodeUsage(data)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
