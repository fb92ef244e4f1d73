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
import { ON_LEADER } from './client.ts'
import { isLimit } from './reads.ts'
import { readFailure } from './refusal.ts'
import { positionOf } from './read-answer.ts'
import { NO_POSITION } from './recorded.ts'

const METADATA = '$metadata'
const DELETED = '$streamDeleted'
/** A stream's metadata stands in a stream of its own. */
const METADATA_STREAM = '$$'
/** Versions before 23.10 do not say when all has come: what stays silent for so long has no more. */
const SILENCE_MS = 5_000
const SEARCH = { maxSearchWindow: 1_000, checkpointInterval: 100 }

/** What was found so far, and up to where the log was searched: the next search goes on from there. */
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
  let reached = search.from
  await new Promise<void>((resolve, reject) => {
    const done = (): void => {
      // The client tells of the end ahead of up to 16 events that it still holds.
      if (subscription.readableLength > 0) {
        setImmediate(done)
        return
      }
      clearTimeout(silence)
      search.from = reached
      void subscription.unsubscribe().catch(() => undefined)
      resolve()
    }
    const silence = setTimeout(() => done(), SILENCE_MS)
    const subscription = client.subscribeToAll({
      ...ON_LEADER,
      fromPosition: search.from,
      filter: eventTypeFilter({
        prefixes: [METADATA, DELETED],
        checkpointReached: (_, position) => {
          silence.refresh()
          const commit = Number(position.commit)
          if (commit === NO_POSITION) return
          reached = position
          if (positionOf(commit) >= end) done()
        },
        ...SEARCH,
      }),
    })
    subscription.on('data', (resolved) => {
      silence.refresh()
      note(cut, resolved)
      reached = resolved.event?.position ?? reached
    })
    subscription.on('caughtUp', done)
    subscription.on('error', (error: unknown) => {
      clearTimeout(silence)
      reject(readFailure('did not tell which streams are cut', error))
    })
  })
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
