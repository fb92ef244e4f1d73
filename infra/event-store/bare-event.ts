import type { BareEvent, DomainEvent } from '@tollgate/domain/event.ts'
import { type StoredEvent, unreadable } from './stored-event.ts'
import type { Upcasters } from './upcasters.ts'

/** The part of a stored event that read models are made of. */
export interface BareStoredEvent extends Omit<StoredEvent, 'recordedAt' | 'metadataText'> {
  readonly schemaVersion: number
}

/** False for what Tollgate has not written. */
export const isReadable = ({ schemaVersion }: BareStoredEvent): boolean =>
  !Number.isNaN(schemaVersion)

/**
 * The event, with its data parsed when it is looked at: whoever goes through a page once has one event's objects in
 * memory instead of all, which halves the time of going through a log. Looking fails with ForeignEvent.
 */
export function bareEvent(stored: BareStoredEvent, upcasters: Upcasters): BareEvent {
  return new ParsedWhenRead(stored, upcasters)
}

class ParsedWhenRead implements BareEvent {
  readonly id: string
  readonly type: string
  readonly stream: string
  readonly revision: number
  readonly position: number
  readonly #stored: BareStoredEvent
  readonly #upcasters: Upcasters

  constructor(stored: BareStoredEvent, upcasters: Upcasters) {
    this.id = stored.id
    this.type = stored.type
    this.stream = stored.stream
    this.revision = stored.revision
    this.position = stored.position
    this.#stored = stored
    this.#upcasters = upcasters
  }

  get data(): DomainEvent['data'] {
    if (latest.of === this) return latest.data
    const { type, schemaVersion } = this.#stored
    const { data } = this.#upcasters.upcast(type, schemaVersion, parse(this.#stored))
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
    if (Number.isNaN(stored.schemaVersion)) throw new TypeError('metadata without schemaVersion')
    return JSON.parse(stored.dataText) as DomainEvent['data']
  } catch (error) {
    throw unreadable(stored, error)
  }
}
