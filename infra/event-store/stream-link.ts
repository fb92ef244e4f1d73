import type { EventData } from '@tollgate/domain/event.ts'
import { isSetAside } from '@tollgate/domain/set-aside/events.ts'

/** The hashes that link an event to the one before it. */
export type Hashes = Readonly<Record<'prevHash' | 'hash', string>>

/** The fields that tell whether an event follows another; null for an event that cannot be read. */
export type Linked = {
  readonly type: string
  readonly data: EventData
  readonly metadata: Hashes
} | null

/** Follows one stream, event by event, and tells Tollgate's events from those of other clients. */
export class StreamLink {
  /**
   * Hash of the last event that is Tollgate's; null when none is known, and the next one that can be read is believed.
   */
  hash: string | null
  /** Revisions of the events behind it that are not Tollgate's, and were not set aside. */
  readonly foreign = new Set<number>()

  constructor(hash: string | null) {
    this.hash = hash
  }

  /**
   * Whether the next event is Tollgate's. Behind a foreign event nothing is, not even what is linked rightly, but for
   * what sets it aside: an owner would have refused to write it.
   */
  isOwn(revision: number, event: Linked): boolean {
    const isLinked = event !== null && (this.hash === null || event.metadata.prevHash === this.hash)
    const aside = isLinked && isSetAside(event) ? event.data.revisions : null
    if (!isLinked || (aside === null && this.foreign.size > 0)) {
      this.foreign.add(revision)
      return false
    }
    for (const one of aside ?? []) this.foreign.delete(one)
    this.hash = event.metadata.hash
    return true
  }
}

const HASHES = /"prevHash":"([0-9a-f]{64})?","hash":"([0-9a-f]{64})"\}$/

/** The hashes at the end of an event's metadata; null where none are. */
export function hashesIn(metadataEnd: string): Hashes | null {
  const [, prevHash = '', hash] = HASHES.exec(metadataEnd) ?? []
  if (hash === undefined) return null
  // Copied, as a part of a text keeps the whole of it in memory.
  return { prevHash, hash: Buffer.from(hash, 'latin1').toString('latin1') }
}
