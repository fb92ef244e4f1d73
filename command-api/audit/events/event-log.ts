import type { Position } from '@tollgate/domain/event.ts'
import type { ReadStreamOptions } from '@tollgate/domain/ports/event-store.ts'

/** An event as the store keeps it: data and metadata as text, so that its hash can be worked out again. */
export interface StoredText {
  readonly stream: string
  readonly revision: number
  readonly position: Position
  readonly id: string
  readonly type: string
  /** Unix milliseconds. */
  readonly recordedAt: number
  readonly dataText: string
  readonly metadataText: string
}

/** How the event browser reads the log; both event stores can. All fail with StoreUnavailable. */
export interface EventLog {
  /** Up to `limit` events after a position, in order. */
  readStoredLog(after: Position, limit: number): Promise<readonly StoredText[]>
  /** Up to `limit` events before a position (null = the log's end), newest first. */
  readStoredLogBackwards(before: Position | null, limit: number): Promise<readonly StoredText[]>
  /** The event that stands at exactly this position; null when none does. */
  readStoredAt(position: Position): Promise<StoredText | null>
  readStoredStream(stream: string, options?: ReadStreamOptions): AsyncIterable<StoredText>
}

/**
 * The facts that the browser needs from an event's texts. Absent or odd members are '' and null: other clients may have
 * written the event.
 */
export interface EventFacts {
  /** Unix milliseconds, by the event itself. */
  readonly at: number | null
  readonly actor: string
  readonly correlationId: string
  readonly causationId: string | null
  readonly hash: string
  /** The request that the event charges or refunds; '' for others. */
  readonly requestId: string
}

export function factsOf({ dataText, metadataText }: StoredText): EventFacts {
  const data = objectIn(dataText)
  const metadata = objectIn(metadataText)
  const { request } = data
  return {
    at: typeof data['at'] === 'number' ? data['at'] : null,
    actor: textOf(metadata['actor']),
    correlationId: textOf(metadata['correlationId']),
    causationId: typeof metadata['causationId'] === 'string' ? metadata['causationId'] : null,
    hash: textOf(metadata['hash']),
    requestId:
      typeof request === 'string' ? request : isObject(request) ? textOf(request['id']) : '',
  }
}

/** The id of the note that says why a balance was adjusted; null where an event names none. */
export function noteIdOf({ dataText }: Pick<StoredText, 'dataText'>): string | null {
  const { adjustment } = objectIn(dataText)
  const note = isObject(adjustment) ? textOf(adjustment['note']) : ''
  return note === '' ? null : note
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    // Another client's bytes, which the browser shows as they are.
    return {}
  }
}
