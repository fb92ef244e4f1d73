import type { Actor, BareEvent, DomainEvent } from '@tollgate/domain/event.ts'
import type { ForeignEvent } from '@tollgate/domain/ports/event-store.ts'
import { liftedData, type StoredEvent, unreadable } from './stored-event.ts'
import { type Hashes, hashesIn, type Linked } from './stream-link.ts'
import type { Upcasters } from './upcasters.ts'

/** The part of a stored event that read models are made of. */
export interface BareStoredEvent extends Omit<
  StoredEvent,
  'recordedAt' | 'metadataText' | 'dataText'
> {
  /** Null for an event of a type that was not asked for. */
  readonly dataText: string | null
  /** NaN for what Tollgate has not written. */
  readonly schemaVersion: number
  readonly actor: string
  /** The end of the metadata, with the two hashes. */
  readonly metadataEnd: string
}

/** With the hashes that link it to the event before it. */
export type LinkedBareEvent = BareEvent & NonNullable<Linked>

/**
 * The event, with its data parsed when it is looked at: a reader that goes through a page once has one event's objects in
 * memory instead of all, which halves the time of going through a log. Looking fails with ForeignEvent, as the answer
 * is for what can be told without.
 */
export function bareEvent(
  stored: BareStoredEvent,
  upcasters: Upcasters,
): LinkedBareEvent | ForeignEvent {
  const hashes = hashesIn(stored.metadataEnd)
  if (hashes === null || Number.isNaN(stored.schemaVersion)) {
    return unreadable(stored, new TypeError('metadata without schemaVersion or hash'))
  }
  return new ParsedWhenRead(stored, hashes, upcasters)
}

class ParsedWhenRead implements LinkedBareEvent {
  readonly id: string
  readonly type: string
  readonly stream: string
  readonly revision: number
  readonly position: number
  readonly metadata: LinkedBareEvent['metadata']
  readonly #stored: BareStoredEvent
  readonly #upcasters: Upcasters

  constructor(stored: BareStoredEvent, hashes: Hashes, upcasters: Upcasters) {
    this.id = stored.id
    this.type = stored.type
    this.stream = stored.stream
    this.revision = stored.revision
    this.position = stored.position
    this.metadata = { ...hashes, actor: stored.actor as Actor }
    this.#stored = stored
    this.#upcasters = upcasters
  }

  get data(): DomainEvent['data'] {
    if (latest.of === this) return latest.data
    const stored = this.#stored
    const { data } = liftedData(stored, stored.schemaVersion, parse(stored), this.#upcasters)
    latest = { of: this, data }
    return data
  }
}

/** The event looked at last is mostly looked at again. */
let latest: { readonly of: BareEvent | null; readonly data: DomainEvent['data'] } = {
  of: null,
  data: { at: 0 },
}

function parse(stored: BareStoredEvent): DomainEvent['data'] {
  try {
    if (stored.dataText === null) throw new TypeError('an event of a type that was not asked for')
    return JSON.parse(stored.dataText) as DomainEvent['data']
  } catch (error) {
    throw unreadable(stored, error)
  }
}
