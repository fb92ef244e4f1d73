import {
  type AllStreamResolvedEvent,
  type EventStoreDBClient,
  type Position as LogPosition,
  eventTypeFilter,
  START,
} from '@eventstore/db-client'
import type { Position } from '@tollgate/domain/event.ts'
import type { CutStream } from '@tollgate/domain/ports/event-store.ts'
import { isStreamOfTollgate } from '@tollgate/domain/stream-names.ts'
import { isLimit } from './reads.ts'
import { positionOf } from './read-answer.ts'
import { searchLog } from './search-log.ts'

const METADATA = '$metadata'
const DELETED = '$streamDeleted'
/** A stream's metadata stands in a stream of its own. */
const METADATA_STREAM = '$$'
/** The streams found so far, and up to where the log was searched: the next search goes on from there. */
export interface CutSearch {
  readonly cut: Map<string, CutStream>
  from: typeof START | LogPosition
}

export const newCutSearch = (): CutSearch => ({ cut: new Map(), from: START })

/**
 * Streams of Tollgate that are limited or deleted now, as the server's own events tell; the newest metadata of a stream
 * counts. The server looks for them. Fails with StoreUnavailable.
 */
export async function readCutStreams(
  client: EventStoreDBClient,
  end: Position,
  search: CutSearch,
): Promise<readonly CutStream[]> {
  const { cut } = search
  search.from = await searchLog(
    client,
    { from: search.from, end, filter: eventTypeFilter, prefixes: [METADATA, DELETED] },
    (resolved) => note(cut, resolved),
  )
  return [...cut.values()].toSorted((one, other) => one.position - other.position)
}

function note(
  cut: Map<string, CutStream>,
  { event, commitPosition }: AllStreamResolvedEvent,
): void {
  if (event === undefined) return
  const isMetadata = event.type === METADATA && event.streamId.startsWith(METADATA_STREAM)
  const stream = isMetadata ? event.streamId.slice(METADATA_STREAM.length) : event.streamId
  if (!isStreamOfTollgate(stream)) return
  const position = positionOf(Number(event.position?.commit ?? commitPosition ?? 0n))
  if (event.type === DELETED) cut.set(stream, { stream, how: 'deleted for good', position })
  if (!isMetadata) return
  const { data } = event
  if (typeof data === 'object' && data !== null && isLimit(data)) {
    cut.set(stream, { stream, how: JSON.stringify(data), position })
  } else cut.delete(stream)
}
