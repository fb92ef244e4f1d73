/** An event of GET /api/ledger/events; times in unix milliseconds. */
export interface StoredEvent {
  readonly position: number
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly type: string
  /** By the event itself; null where another client wrote it. */
  readonly at: number | null
  readonly recorded_at: number
  readonly actor: string
  readonly actor_name: string
  readonly correlation_id: string
  readonly causation_id: string | null
  /** As stored, byte for byte. */
  readonly data: string
  readonly metadata: string
}

/** A neighbour in the stream. */
export interface EventPlace {
  readonly position: number
  readonly hash: string
}

/** GET /api/ledger/events/{position}. */
export interface EventDetail {
  readonly event: StoredEvent
  readonly previous: EventPlace | null
  readonly next: EventPlace | null
}

/** An event with the position of the one that brought it about. */
export interface RelatedEvent extends StoredEvent {
  readonly parent: number | null
}

/** GET /api/ledger/events/{position}/causes. */
export interface EventCauses {
  readonly events: readonly RelatedEvent[]
  readonly from: number
  readonly to: number
  readonly is_cut: boolean
}

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
