import { ForeignEvent } from '@tollgate/domain/ports/event-store.ts'
import { isSetAside } from '@tollgate/domain/set-aside/events.ts'
import type { AuditableEventStore, StoredHead } from './auditable-store.ts'
import { decodedOr, type StoredEvent } from './stored-event.ts'
import { StreamLink } from './stream-link.ts'
import { UPCASTERS } from './upcasters.ts'

/** The events of a stream that are Tollgate's and those that are not. */
export interface ExaminedStream {
  /** Where an event goes that is to stand next; null for a stream without events. */
  readonly end: StoredHead | null
  /** The latest `at` among its own events, unix milliseconds; 0 for none. */
  readonly at: number
  /** Revisions that are not Tollgate's and that nobody has set aside, in order. */
  readonly foreign: ReadonlySet<number>
  /** Revisions that are not Tollgate's and were set aside. */
  readonly setAside: ReadonlyMap<number, SetAsideReason>
}

export interface SetAsideReason {
  readonly reason: string
  /** Unix milliseconds. */
  readonly at: number
}

/** Reads a stream from its first event to its last, as its owner does. Fails with StoreUnavailable and StreamCut. */
export async function examineStream(
  store: Pick<AuditableEventStore, 'readStoredStream'>,
  stream: string,
): Promise<ExaminedStream> {
  const link = new StreamLink('')
  const setAside = new Map<number, SetAsideReason>()
  let newest: StoredEvent | null = null
  let latest = 0
  for await (const stored of store.readStoredStream(stream)) {
    newest = stored
    const read = decodedOr(stored, UPCASTERS)
    const event = read instanceof ForeignEvent ? null : read
    const foreign = event !== null && isSetAside(event) ? [...link.foreign] : []
    if (!link.isOwn(stored.revision, event) || event === null) continue
    latest = Math.max(latest, event.data.at)
    if (!isSetAside(event)) continue
    const { reason, at } = event.data
    for (const revision of foreign) {
      if (!link.foreign.has(revision)) setAside.set(revision, { reason, at })
    }
  }
  const end =
    newest === null
      ? null
      : {
          revision: newest.revision,
          hash: link.hash ?? '',
          storedHash: newest.columns?.hash ?? '',
        }
  return { end, at: latest, foreign: link.foreign, setAside }
}
