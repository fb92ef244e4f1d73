import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import type { LoadedAccount } from './load-account.ts'
import { readBackFrom } from './read-back.ts'
import type { SoughtStep } from './recent-causes.ts'

/**
 * Makes a command a step of work across streams that is taken once (architecture 6, rule 4): the step is known by its
 * cause's `causationId` and the type of the event it leaves. Bounds say before which place that event cannot stand;
 * give at least one where the stream may be long.
 */
export interface Deduplication {
  /** Left out where one step alone has the causation id: any. */
  readonly eventType?: AccountEvent['type']
  /** Revision of the target stream, noted in the deciding event. Default: the first. */
  readonly revision?: number
  /** Position of the deciding event: its consequences come after it. Default: before the log. */
  readonly position?: Position
}

/**
 * Whether a stream holds the event of a step: as the account remembers, else by reading backwards from where its state
 * ends to the bounds. Fails with StoreUnavailable where the reader is behind the account.
 */
export async function hasCaused(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  { head, causes }: Pick<LoadedAccount, 'head' | 'causes'>,
  sought: SoughtStep,
): Promise<boolean> {
  const remembered = causes.find(sought)
  if (remembered !== null) return remembered
  const { causationId, eventType, revision = 0, position = LOG_START } = sought
  for await (const event of readBackFrom(store, stream, head)) {
    if (event.revision < revision || event.position <= position) return false
    const isOfType = eventType === undefined || event.type === eventType
    if (isOfType && event.metadata.causationId === causationId) return true
  }
  return false
}

interface StepEntry {
  readonly command: AccountCommand
  readonly cause: CommandCause
  readonly deduplicateFrom: Deduplication | null
}

/** Steps of one batch that a stream already has, and those that the batch adds to it. */
export class ProcessedCauses {
  readonly #taken = new Map<string, boolean>()

  async scan(
    store: Pick<EventStore, 'readStream'>,
    stream: string,
    loaded: Pick<LoadedAccount, 'head' | 'causes'>,
    { cause, deduplicateFrom }: StepEntry,
  ): Promise<void> {
    if (deduplicateFrom === null) return
    const { causationId } = cause
    if (causationId === null) throw new TypeError('a step that is taken once needs a causation id')
    const name = nameOf(causationId, deduplicateFrom.eventType)
    if (this.#taken.has(name)) return
    this.#taken.set(
      name,
      await hasCaused(store, stream, loaded, { causationId, ...deduplicateFrom }),
    )
  }

  has({ cause, deduplicateFrom }: StepEntry): boolean {
    if (deduplicateFrom === null) return false
    return this.#taken.get(nameOf(cause.causationId, deduplicateFrom.eventType)) === true
  }

  note({ cause }: StepEntry, events: readonly AccountEvent[]): void {
    if (this.#taken.size === 0 || events.length === 0) return
    this.#taken.set(nameOf(cause.causationId), true)
    for (const { type } of events) this.#taken.set(nameOf(cause.causationId, type), true)
  }
}

const nameOf = (causationId: string | null, eventType = 'any'): string =>
  `${eventType} ${causationId ?? ''}`
