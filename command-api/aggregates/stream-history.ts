import type { RecordedEvent } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import { z } from 'zod'
import { CSV_BATCH_ROWS } from '../http-contract/csv-batches.ts'
import { queryIntOf } from '../http-contract/request-values.ts'

/** The dependencies of routes that read the history of one stream. */
export interface HistoryDeps {
  readonly store: Pick<EventStore, 'readStream'>
  /** User names by id, deleted users' too; unknown ids are left out. */
  readonly usernames: (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>
}

/** A part of a stream's history, newest first. */
export interface HistoryPage {
  readonly events: readonly RecordedEvent[]
  /** Revision before which the next part begins; null at the beginning of the stream. */
  readonly nextBefore: number | null
}

const ITEMS_DEFAULT = 20
const ITEMS_MOST = 100
/** Bound for a stream with few wanted events: the next call reads on. */
const EVENTS_READ_MOST = 2_000

/** No stream has more; a greater revision begins at its end. */
const REVISIONS_MOST = 2_147_483_647

/** Query of such a route: `before` is `next_before` of the part before, absent for the newest. */
export const HISTORY_QUERY = {
  before: z
    .preprocess((written) => Math.min(queryIntOf(written), REVISIONS_MOST), z.int())
    .describe('The next_before of the part before; 0 = from the newest'),
  limit: z
    .preprocess(
      (written) => Math.min(Math.max(queryIntOf(written), 0) || ITEMS_DEFAULT, ITEMS_MOST),
      z.int().min(1).max(ITEMS_MOST).meta({ default: ITEMS_DEFAULT }),
    )
    .describe('Most changes of an answer; it may have fewer and still go on'),
} as const

/** The newest events of a stream that are looked for. A call reads a bounded part and may find fewer than it asks for. */
export async function readHistory(
  { store }: Pick<HistoryDeps, 'store'>,
  stream: string,
  { before, limit }: { readonly before: number; readonly limit: number },
  isWanted: (event: RecordedEvent) => boolean,
): Promise<HistoryPage> {
  const events: RecordedEvent[] = []
  let last: number | null = null
  const from = before > 0 ? { from: before - 1 } : {}
  const read = store.readStream(stream, {
    direction: 'backwards',
    limit: EVENTS_READ_MOST,
    ...from,
  })
  for await (const event of read) {
    last = event.revision
    if (!isWanted(event)) continue
    events.push(event)
    if (events.length === limit) break
  }
  return { events, nextBefore: last === null || last === 0 ? null : last }
}

/** All events of a stream that are looked for, newest first, as batches for a file. */
export async function* wholeHistory(
  deps: Pick<HistoryDeps, 'store'>,
  stream: string,
  isWanted: (event: RecordedEvent) => boolean,
): AsyncGenerator<readonly RecordedEvent[]> {
  let before: number | null = 0
  while (before !== null) {
    const page: HistoryPage = await readHistory(
      deps,
      stream,
      { before, limit: CSV_BATCH_ROWS },
      isWanted,
    )
    yield page.events
    before = page.nextBefore
  }
}

/** The user who caused an event; null = Tollgate itself. */
export const userOfActor = ({ metadata }: RecordedEvent): number | null => {
  const [, id] = /^user:(\d+)$/.exec(metadata.actor) ?? []
  return id === undefined ? null : Number(id)
}

/** The users who caused these events, by id. */
export const actorNames = (
  { usernames }: Pick<HistoryDeps, 'usernames'>,
  events: readonly RecordedEvent[],
): Promise<ReadonlyMap<number, string>> =>
  usernames([...new Set(events.flatMap((event) => userOfActor(event) ?? []))])
