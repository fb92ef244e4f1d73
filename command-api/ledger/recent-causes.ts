import { LOG_START, type Position } from '@tollgate/domain/event.ts'

/** A place in a stream. */
export interface StreamPlace {
  readonly revision: number
  readonly position: Position
}

/** An event as far as it tells which step left it. */
export interface CausedEvent {
  readonly type: string
  readonly metadata: { readonly causationId: string | null }
}

/** What to look for in a stream: an event with this causation id, of one type or of any, not before a place. */
export interface SoughtStep {
  readonly causationId: string
  readonly eventType?: string
  readonly revision?: number
  readonly position?: Position
}

/** Causation ids that an account remembers; few of its events have one, and steps repeat within minutes. */
const CAUSES_MAX = 200

/**
 * The causation ids of an account's newest events, as part of its state: they grow with the very appends that the
 * expected revision fences, so that a step that comes again is known without a read.
 */
export class RecentCauses {
  /** Types of the events of each cause, and the last of them; the cause that came first is the first. */
  readonly #causes = new Map<string, { readonly types: Set<string>; last: StreamPlace }>()
  /** Causes of all events behind this place are known. */
  #knownBehind: StreamPlace

  constructor(knownBehind: StreamPlace) {
    this.#knownBehind = knownBehind
  }

  /** Takes note of an event that stands in the stream, at this position or before it. In the stream's order. */
  note({ type, metadata: { causationId } }: CausedEvent, place: StreamPlace): void {
    if (causationId === null) return
    const known = this.#causes.get(causationId)
    if (known !== undefined) {
      known.types.add(type)
      known.last = place
      return
    }
    this.#causes.set(causationId, { types: new Set([type]), last: place })
    if (this.#causes.size > CAUSES_MAX) this.#forgetOldest()
  }

  /** Whether an event was caused by the step; null where it may stand before all that is remembered. */
  find({ causationId, eventType, revision = 0, position = LOG_START }: SoughtStep): boolean | null {
    const types = this.#causes.get(causationId)?.types
    if (eventType === undefined ? types !== undefined : types?.has(eventType) === true) return true
    const isAllKnown =
      revision > this.#knownBehind.revision || position >= this.#knownBehind.position
    return isAllKnown ? false : null
  }

  #forgetOldest(): void {
    const [oldest] = this.#causes
    if (oldest === undefined) return
    const [causationId, { last }] = oldest
    this.#causes.delete(causationId)
    if (last.revision > this.#knownBehind.revision) this.#knownBehind = last
  }
}

/** Of an account without events. */
export const NO_PLACE: StreamPlace = { revision: -1, position: LOG_START }
