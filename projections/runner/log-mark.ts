import {
  type BareEvent,
  LOG_START,
  type Position,
  type RecordedEvent,
} from '@tollgate/domain/event.ts'
import { type EventStore, StreamUnusable } from '@tollgate/domain/ports/event-store.ts'

/** How the reason begins for which a read model stopped that has seen another log than this one. */
export const AHEAD_OF_LOG = 'ahead of the event log'

/**
 * The event that a checkpoint stands on: the newest of the log at or before its position. A log that was put back to an
 * older state, or replaced, has another event there, or none.
 */
export interface LogMark {
  readonly stream: string
  readonly revision: number
  readonly hash: string
}

/** Where a checkpoint is to stand; `mark` is null where the event's hash was not read. */
export interface LogPlace {
  readonly position: Position
  readonly mark: LogMark | null
}

type Marked = Pick<RecordedEvent, 'stream' | 'revision'> & { readonly metadata: { hash: string } }

export const markOf = ({ stream, revision, metadata }: Marked): LogMark => ({
  stream,
  revision,
  hash: metadata.hash,
})

/** The place of an event; without a mark when it was read without its hash. */
export const placeOf = (event: BareEvent): LogPlace => ({
  position: event.position,
  mark: isMarked(event) ? markOf(event) : null,
})

const isMarked = (event: BareEvent): event is BareEvent & Marked => 'hash' in event.metadata

/** The log's answer about a checkpoint. */
export type Footing =
  /** The log has the event that it stands on; nothing of the log lies between that event and the checkpoint. */
  | { readonly isFirm: true; readonly event: Position; readonly mark: LogMark | null }
  | { readonly isFirm: false; readonly problem: string }

/**
 * Holds a checkpoint against the log. One without a mark is from before marks were kept: it is believed, and its mark
 * answered, unless the log's positions have no gaps and none of its events stands there.
 */
export async function footingOf(
  store: Pick<EventStore, 'readStream' | 'newestAt' | 'headPosition' | 'hasGaplessPositions'>,
  { name, position, mark }: LogPlace & { readonly name: string },
): Promise<Footing> {
  if (position === LOG_START) return { isFirm: true, event: LOG_START, mark: null }
  const marked = mark === null ? 'unknown' : await eventAt(store, mark)
  const event = marked === 'unknown' ? await store.newestAt(position) : marked
  const isThere =
    mark === null || marked === 'unknown'
      ? event?.position === position || !store.hasGaplessPositions
      : event !== null && event.metadata.hash === mark.hash && event.position <= position
  if (!isThere) {
    return { isFirm: false, problem: describe(name, position, await store.headPosition()) }
  }
  if (event === null) return { isFirm: true, event: position, mark: null }
  return {
    isFirm: true,
    event: marked === 'unknown' ? position : event.position,
    mark: markOf(event),
  }
}

/** Unknown where another client has cut the stream: that says nothing of the rest of the log. */
async function eventAt(
  store: Pick<EventStore, 'readStream'>,
  { stream, revision }: LogMark,
): Promise<RecordedEvent | null | 'unknown'> {
  try {
    for await (const event of store.readStream(stream, { from: revision, limit: 1 })) return event
    for await (const _ of store.readStream(stream, { limit: 1 })) return null
    return null
  } catch (error) {
    if (error instanceof StreamUnusable) return 'unknown'
    throw error
  }
}

function describe(name: string, position: Position, head: Position): string {
  const found =
    head < position
      ? `the log ends at ${head}`
      : 'another event stands there: the log was put back to an older state, or replaced'
  const [model] = name.split('/', 1)
  return `${AHEAD_OF_LOG}: it has seen position ${position}, ${found}; to build it from this log: npm run projections -- rebuild ${model}`
}
