import type { Position } from '@tollgate/domain/event.ts'
import type { BareFilter, StreamFilter } from '@tollgate/domain/ports/event-store.ts'
import type { StoredEvent } from '../stored-event.ts'

/** An event as it came: its texts are made of the bytes when it is of use. */
export interface ArrivedEvent {
  readonly id: string
  readonly stream: string
  readonly type: string
  readonly revision: number
  /** Where it was committed, and where prepared. */
  readonly position: Position
  readonly prepare: Position
  /** In .NET ticks of 100 ns since 1970. */
  readonly created: string
  readonly data: Buffer
  readonly metadata: Buffer
}

/** Whether it is the server's own. */
export const isOfServer = ({ stream, type }: Pick<ArrivedEvent, 'stream' | 'type'>): boolean =>
  stream.startsWith('$') || type.startsWith('$')

/** An event as stored, byte for byte. */
export const storedEvent = (arrived: ArrivedEvent): StoredEvent => ({
  stream: arrived.stream,
  revision: arrived.revision,
  position: arrived.position,
  id: arrived.id,
  type: arrived.type,
  // More digits than a number holds, so the last four go first.
  recordedAt: Number(arrived.created.slice(0, -TICK_DIGITS)),
  dataText: arrived.data.toString('utf8'),
  metadataText: arrived.metadata.toString('utf8'),
})

const TICK_DIGITS = 4

/** Version 24.10 sends it as a checkpoint when its filter has matched nothing by the end of the log. */
export const NO_POSITION = 2 ** 64 - 1

/** A place in the server's log, as it writes it. */
export interface LogPosition {
  readonly commit: string
  readonly prepare: string
}

/** Gives positions the second part that the server wants: an event committed later than prepared has two offsets. */
export interface Prepares {
  note(arrived: ArrivedEvent): void
  /** Where to go on after a position. */
  logPosition(position: Position): LogPosition
}

/** Remembers the rare positions whose parts differ, at most this many; ours are committed where they stand. */
const PREPARES_MAX = 10_000

export function createPrepares(): Prepares {
  const byCommit = new Map<Position, Position>()
  return {
    note({ position, prepare }) {
      if (prepare === position) return
      byCommit.set(position, prepare)
      const oldest = byCommit.keys().next()
      if (byCommit.size > PREPARES_MAX && oldest.done !== true) byCommit.delete(oldest.value)
    },
    logPosition: (position) => ({
      commit: String(position),
      prepare: String(byCommit.get(position) ?? position),
    }),
  }
}

export const isInStreams = (
  filter: StreamFilter | BareFilter,
  { stream }: Pick<StoredEvent, 'stream'>,
): boolean => filter === 'all' || filter.streamPrefixes.some((prefix) => stream.startsWith(prefix))

export function isOfUse(
  filter: StreamFilter | BareFilter,
  { type }: Pick<StoredEvent, 'type'>,
): boolean {
  if (filter === 'all') return true
  return 'types' in filter
    ? filter.types.includes(type)
    : filter.exceptTypes?.includes(type) !== true
}
