import { hash } from 'node:crypto'
import type { CarriedCauses } from '@tollgate/domain/account/events.ts'
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

/** A step to look for in a stream: an event with this causation id, of one type or of any, not before a place. */
export interface SoughtStep {
  readonly causationId: string
  readonly eventType?: string
  readonly revision?: number
  readonly position?: Position
}

/** Causation ids that an account remembers. Charges and holds have none; workflow steps repeat within minutes. */
const CAUSES_MAX = 1_000
/** Digits of a fingerprint in base 64: 48 bits. Two ids that share one cost a read, never a wrong answer. */
const FINGERPRINT_DIGITS = 8

/**
 * The causation ids of an account's newest events, as part of its state: they grow with the very appends that the
 * expected revision fences, so that a step that comes again is known without a read. BalanceCarriedForward carries them.
 */
export class RecentCauses {
  /** By fingerprint; the cause that came first is the first. */
  readonly #causes = new Map<string, RememberedCause>()
  /** Causes of all events behind this place are known. */
  #knownBehind: StreamPlace

  /** `carried` holds the fingerprints of causes up to the place `carriedAt`. */
  constructor(knownBehind: StreamPlace, carried = '', carriedAt = knownBehind) {
    this.#knownBehind = knownBehind
    for (let from = 0; from < carried.length; from += FINGERPRINT_DIGITS) {
      const fingerprint = carried.slice(from, from + FINGERPRINT_DIGITS)
      this.#causes.set(fingerprint, { id: null, types: NO_TYPES, last: carriedAt })
    }
  }

  /** Bytes of the causes when they are carried forward. */
  get bytes(): number {
    return this.#causes.size * FINGERPRINT_DIGITS
  }

  /** Takes note of an event that stands in the stream, at this position or before it. In the stream's order. */
  note({ type, metadata: { causationId } }: CausedEvent, place: StreamPlace): void {
    if (causationId === null) return
    const fingerprint = fingerprintOf(causationId)
    const known = this.#causes.get(fingerprint)
    if (known !== undefined) {
      if (known.id !== causationId) known.id = null
      if (!known.types.includes(type)) known.types = [...known.types, type]
      known.last = place
      return
    }
    this.#causes.set(fingerprint, { id: causationId, types: [type], last: place })
    while (this.#causes.size > CAUSES_MAX) this.#forgetOldest()
  }

  /** Whether an event was caused by the step; null where only the stream can tell. */
  find({ causationId, eventType, revision = 0, position = LOG_START }: SoughtStep): boolean | null {
    const known = this.#causes.get(fingerprintOf(causationId))
    if (known !== undefined) {
      if (known.id !== causationId) return null
      if (eventType === undefined || known.types.includes(eventType)) return true
    }
    const isAllKnown =
      revision > this.#knownBehind.revision || position >= this.#knownBehind.position
    return isAllKnown ? false : null
  }

  /** The causes that BalanceCarriedForward is to keep when it follows the events `coming`, which were not noted yet. */
  carried(coming: readonly CausedEvent[]): CarriedCauses {
    const fingerprints = new Set(this.#causes.keys())
    for (const { metadata } of coming) {
      if (metadata.causationId !== null) fingerprints.add(fingerprintOf(metadata.causationId))
    }
    return { after: this.#knownBehind.revision, fingerprints: [...fingerprints].join('') }
  }

  #forgetOldest(): void {
    const [oldest] = this.#causes
    if (oldest === undefined) return
    const [fingerprint, { last }] = oldest
    this.#causes.delete(fingerprint)
    if (last.revision > this.#knownBehind.revision) this.#knownBehind = last
  }
}

interface RememberedCause {
  /** Null for one that was carried forward, or that shares its fingerprint: the stream tells whose it is. */
  id: string | null
  /** Types of the events that it left. */
  types: readonly string[]
  /** Place of the last of them. */
  last: StreamPlace
}

const NO_TYPES: readonly string[] = []

const fingerprintOf = (causationId: string): string =>
  hash('sha256', causationId, 'base64').slice(0, FINGERPRINT_DIGITS)

/** The place of an account without events. */
export const NO_PLACE: StreamPlace = { revision: -1, position: LOG_START }
