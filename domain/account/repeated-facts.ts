import type { AccountEvent } from './events.ts'

/**
 * An account has at most one of these facts for each cause: they move quota by a person's decision. Charges differ by
 * hold and sequence, and a user's row suspends and resumes its account again and again.
 */
const ONCE_PER_CAUSE: ReadonlySet<string> = new Set<AccountEvent['type']>([
  'QuotaCredited',
  'QuotaDebited',
  'UsageRefunded',
  'AffiliateRewardEarned',
  'AffiliateQuotaTransferred',
])

/** An event as far as it tells whether it is there twice. */
export interface CausedFact {
  readonly stream: string
  readonly revision: number
  readonly type: string
}

/** The second of two facts with one cause. */
export interface RepeatedFact extends CausedFact {
  readonly causationId: string
  /** Revision of the first in the same stream. */
  readonly firstRevision: number
}

/** Whether a type is among those of which one cause leaves one. */
export const isOncePerCause = (type: string): boolean => ONCE_PER_CAUSE.has(type)

/** Finds facts that were booked twice. Keeps about 200 bytes for each fact that has a cause: charges have none. */
export class RepeatedFacts {
  readonly #first = new Map<string, number>()

  /** The repetition that this event is; null when it is the first of its cause, or none of these facts. */
  see({ stream, revision, type }: CausedFact, causationId: string | null): RepeatedFact | null {
    if (causationId === null || !isOncePerCause(type)) return null
    const key = `${stream} ${type} ${causationId}`
    const firstRevision = this.#first.get(key)
    if (firstRevision !== undefined) return { stream, revision, type, causationId, firstRevision }
    this.#first.set(key, revision)
    return null
  }
}
