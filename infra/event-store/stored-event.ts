import type {
  DomainEvent,
  EventMetadata,
  RecordedEvent,
  ChainLink,
} from '@tollgate/domain/event.ts'
import { ForeignEvent } from '@tollgate/domain/ports/event-store.ts'
import { InvalidData } from './schemas/fit.ts'
import type { Upcasters } from './upcasters.ts'

/** An event exactly as the store keeps it: data and metadata as text, so that hashes can be checked. */
export interface StoredEvent {
  readonly stream: string
  readonly revision: number
  readonly position: number
  readonly id: string
  readonly type: string
  /** Unix milliseconds. */
  readonly recordedAt: number
  readonly dataText: string
  readonly metadataText: string
  /** Columns beside the metadata; none where the engine has no columns. */
  readonly columns?: ChainColumns
}

/** Hash and chain version of the metadata, stored beside them for comparing. */
export interface ChainColumns {
  /** 64 hexadecimal digits; null for an event of another client, or one from before the columns. */
  readonly hash: string | null
  readonly chainVersion: number | null
}

/** The metadata text of an event written by Tollgate, read. */
type StoredMetadata = EventMetadata & ChainLink

/** The stored text holds no event of Tollgate: somebody else wrote there, or bytes were changed. */
export const unreadable = (
  { stream, revision }: Pick<StoredEvent, 'revision' | 'stream'>,
  cause: unknown,
): ForeignEvent =>
  new ForeignEvent(
    stream,
    revision,
    cause instanceof InvalidData
      ? cause.message
      : 'its data or metadata is not what Tollgate writes',
    cause,
  )

/** It can be read, and follows another event than the one before it. */
export const unlinked = ({ stream, revision }: Pick<StoredEvent, 'revision' | 'stream'>) =>
  new ForeignEvent(stream, revision, 'it does not follow the event before it')

/** Parses a stored event and lifts its data to the current schema version. Fails with ForeignEvent. */
export function decodeEvent(stored: StoredEvent, upcasters: Upcasters): RecordedEvent {
  const { data, metadata } = parse(stored)
  const current = liftedData(stored, metadata.schemaVersion, data, upcasters)
  return {
    id: stored.id,
    type: stored.type,
    stream: stored.stream,
    revision: stored.revision,
    position: stored.position,
    recordedAt: stored.recordedAt,
    data: current.data,
    metadata: {
      actor: metadata.actor,
      correlationId: metadata.correlationId,
      causationId: metadata.causationId,
      ...(metadata.commandId !== undefined && { commandId: metadata.commandId }),
      schemaVersion: current.schemaVersion,
      prevHash: metadata.prevHash,
      hash: metadata.hash,
    },
  }
}

/** Data in the newest version, once it was found to be what its version has. Fails with ForeignEvent. */
export function liftedData(
  stored: Pick<StoredEvent, 'revision' | 'stream' | 'type'>,
  schemaVersion: number,
  data: DomainEvent['data'],
  upcasters: Upcasters,
): ReturnType<Upcasters['upcast']> {
  try {
    return upcasters.upcast(stored.type, schemaVersion, data)
  } catch (error) {
    throw unreadable(stored, error)
  }
}

/** The same, with what it fails with as the answer. */
export function decodedOr(stored: StoredEvent, upcasters: Upcasters): RecordedEvent | ForeignEvent {
  try {
    return decodeEvent(stored, upcasters)
  } catch (error) {
    if (error instanceof ForeignEvent) return error
    throw error
  }
}

function parse(stored: StoredEvent): { data: DomainEvent['data']; metadata: StoredMetadata } {
  try {
    const data = JSON.parse(stored.dataText) as DomainEvent['data']
    const metadata = JSON.parse(stored.metadataText) as Partial<StoredMetadata> | null
    if (typeof metadata?.schemaVersion !== 'number' || typeof metadata.hash !== 'string') {
      throw new TypeError('metadata without schemaVersion or hash')
    }
    const { stream, type, id }: Readonly<Record<string, unknown>> = metadata
    const isItsOwn = stream === stored.stream && type === stored.type && id === stored.id
    if (id !== undefined && !isItsOwn) throw new TypeError('metadata of another event')
    return { data, metadata: metadata as StoredMetadata }
  } catch (error) {
    throw unreadable(stored, error)
  }
}
