import type {
  ResolvedEvent,
  AllStreamResolvedEvent,
  Position as LogPosition,
} from '@eventstore/db-client'
import type { Position } from '@tollgate/domain/event.ts'
import type { StreamFilter } from '@tollgate/domain/ports/event-store.ts'
import type { StoredEvent } from '../stored-event.ts'

/**
 * An event as stored, from what the client has parsed: JSON that JSON.stringify has written is written the same again.
 * Null for events of the server itself and for links whose target is gone.
 */
export function storedEvent(resolved: ResolvedEvent | AllStreamResolvedEvent): StoredEvent | null {
  const event = resolved.event
  if (event === undefined || event.streamId.startsWith('$') || event.type.startsWith('$'))
    return null
  const commit = event.position?.commit ?? resolved.commitPosition
  if (commit === undefined) {
    throw new TypeError('the server does not tell positions: EventStoreDB 22.10 or newer is needed')
  }
  return {
    stream: event.streamId,
    revision: Number(event.revision),
    position: positionNumber(commit),
    id: event.id,
    type: event.type,
    recordedAt: event.created.getTime(),
    dataText: textOf(event.data),
    metadataText: textOf(event.metadata),
  }
}

/** Version 24.10 sends it as a checkpoint when its filter has matched nothing by the end of the log. */
export const NO_POSITION = 2n ** 64n - 1n

/** A commit position as the domain's number; it is an offset in bytes, so a number holds 9 petabytes of log. */
export function positionNumber(commit: bigint): Position {
  const position = Number(commit)
  if (!Number.isSafeInteger(position)) throw new RangeError(`position ${commit} is too large`)
  return position
}

/** Gives positions the second part that the server wants: an event committed later than prepared has two offsets. */
export interface Prepares {
  note(resolved: AllStreamResolvedEvent): void
  /** Where to go on after a position. */
  logPosition(position: Position): LogPosition
}

/** Remembers the rare positions whose parts differ, at most this many; ours are committed where they stand. */
const PREPARES_MAX = 10_000

export function createPrepares(): Prepares {
  const byCommit = new Map<Position, bigint>()
  return {
    note(resolved) {
      const position = resolved.event?.position
      if (position === undefined || position.commit === position.prepare) return
      byCommit.set(positionNumber(position.commit), position.prepare)
      const oldest = byCommit.keys().next()
      if (byCommit.size > PREPARES_MAX && oldest.done !== true) byCommit.delete(oldest.value)
    },
    logPosition: (position) => ({
      commit: BigInt(position),
      prepare: byCommit.get(position) ?? BigInt(position),
    }),
  }
}

export const letsThrough = (
  filter: StreamFilter,
  { stream, type }: Pick<StoredEvent, 'stream' | 'type'>,
): boolean =>
  filter === 'all' ||
  (filter.streamPrefixes.some((prefix) => stream.startsWith(prefix)) &&
    filter.exceptTypes?.includes(type) !== true)

const textOf = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : (JSON.stringify(value) ?? '')
