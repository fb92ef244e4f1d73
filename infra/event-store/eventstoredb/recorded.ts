import type streams from '@eventstore/db-client/generated/streams_pb.js'
import type { Position } from '@tollgate/domain/event.ts'
import type { BareFilter, StreamFilter } from '@tollgate/domain/ports/event-store.ts'
import type { StoredEvent } from '../stored-event.ts'

type Record = streams.ReadResp.ReadEvent.RecordedEvent

/** An event as it came: what tells whether it is of use is read at once, the rest when it is. */
export interface ArrivedEvent {
  readonly stream: string
  readonly type: string
  readonly position: Position
  readonly record: Record
}

/** Null for a link whose target is gone. */
export function arrivedEvent(event: streams.ReadResp.ReadEvent): ArrivedEvent | null {
  const record = event.getEvent()
  if (record === undefined) return null
  return {
    stream: textOf(record.getStreamIdentifier()?.getStreamName_asU8()),
    type: record.getMetadataMap().get('type') ?? '',
    position: positionNumber(record.getCommitPosition()),
    record,
  }
}

/** Whether it is the server's own. */
export const isOfServer = ({ stream, type }: Pick<ArrivedEvent, 'stream' | 'type'>): boolean =>
  stream.startsWith('$') || type.startsWith('$')

/** An event as stored, byte for byte. */
export function storedEvent({ stream, type, position, record }: ArrivedEvent): StoredEvent {
  return {
    stream,
    revision: Number(record.getStreamRevision()),
    position,
    id: record.getId()?.getString() ?? '',
    type,
    recordedAt: recordedAt(record),
    dataText: textOf(record.getData_asU8()),
    metadataText: metadataText({ record }),
  }
}

export const metadataText = ({ record }: Pick<ArrivedEvent, 'record'>): string =>
  textOf(record.getCustomMetadata_asU8())

/** The server tells 100 ns: more digits than a number holds, so the last four go first. */
const recordedAt = (record: Record): number =>
  Number((record.getMetadataMap().get('created') ?? '').slice(0, -TICK_DIGITS))

const TICK_DIGITS = 4

/** Version 24.10 sends it as a checkpoint when its filter has matched nothing by the end of the log. */
export const NO_POSITION = '18446744073709551615'

/** A commit position as the domain's number; it is an offset in bytes, so a number holds 9 petabytes of log. */
export function positionNumber(commit: string): Position {
  const position = Number(commit)
  if (!Number.isSafeInteger(position)) throw new RangeError(`position ${commit} is too large`)
  return position
}

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
  const byCommit = new Map<Position, string>()
  return {
    note({ position, record }) {
      const prepare = record.getPreparePosition()
      if (prepare === record.getCommitPosition()) return
      byCommit.set(position, prepare)
      const oldest = byCommit.keys().next()
      if (byCommit.size > PREPARES_MAX && oldest.done !== true) byCommit.delete(oldest.value)
    },
    logPosition: (position) => ({
      commit: String(position),
      prepare: byCommit.get(position) ?? String(position),
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

const textOf = (bytes: Uint8Array | undefined): string =>
  bytes === undefined
    ? ''
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
