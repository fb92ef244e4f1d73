import { StreamCut } from '@tollgate/domain/ports/event-store.ts'
import type { StoredEvent } from './stored-event.ts'

/** The newest events of a stream before a revision, newest first, as stored. */
export type ReadBefore = (
  stream: string,
  before: number,
  limit: number,
) => Promise<readonly StoredEvent[]>

/** Events asked for at once when what came before is looked up: at first few, as a carry-forward is mostly near. */
const LOOK_BACK_PAGES = { first: 32, further: 500 } as const

/** Newest first; what another client has cut is not there. */
export const pastCuts =
  (readBefore: ReadBefore): ReadBefore =>
  (stream, before, limit) =>
    readBefore(stream, before, limit).catch((error: unknown) => {
      if (error instanceof StreamCut) return []
      throw error
    })

/**
 * The events before a revision, newest first, back to where the stream's owner begins to read: its newest carry-forward,
 * or its first event. So followers and owners tell the same events apart, wherever they begin. To read an account's
 * whole past would cost each start seconds for each busy account.
 */
export async function readAsOwner(
  readBack: ReadBefore,
  stream: string,
  before: number,
): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = []
  for (let next = before, page = 0; next > 0; page += 1) {
    const size = page === 0 ? LOOK_BACK_PAGES.first : LOOK_BACK_PAGES.further
    const events = await readBack(stream, next, size)
    found.push(...events)
    const isBegun = events.some(({ type }) => type === 'BalanceCarriedForward')
    if (isBegun || events.length < size) break
    next = events.at(-1)?.revision ?? 0
  }
  return found
}
