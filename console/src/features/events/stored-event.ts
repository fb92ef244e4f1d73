import type { Answer } from '../../core/calls.ts'

/**
 * An event of the log; times in unix milliseconds. `at` is by the event itself, null where another client wrote it;
 * `data` and `metadata` are as stored, byte for byte.
 */
export type StoredEvent = Answer<'GET /api/ledger/events'>['events'][number]

/** An event with its neighbours in the stream. */
export type EventDetail = Answer<'GET /api/ledger/events/{position}'>

/** A neighbour in the stream. */
export type EventPlace = NonNullable<EventDetail['previous']>

/** An event with the position of the one that brought it about. */
export type RelatedEvent = Answer<'GET /api/ledger/events/{position}/causes'>['events'][number]

/** The members of a text that is a JSON object; none of any other text. */
export function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    // Another client's bytes; the page shows them as they are.
    return {}
  }
}
