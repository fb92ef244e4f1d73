import { type Actor, type DomainEvent, type NewEvent } from '@tollgate/domain/event.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import { schemaVersionOf } from '@tollgate/domain/schema-versions.ts'

/** The actor of a command and its occasion; becomes the metadata of the events that follow. */
export interface CommandCause {
  readonly actor: Actor
  /** Request id or job id. */
  readonly correlationId: string
  /** Id of the event that this is a consequence of, in work across streams; null otherwise. */
  readonly causationId: string | null
}

/** Gives decided events their ids and metadata. Ids are new at each decision and never derived. */
export const newEvents = <Event extends DomainEvent>(
  events: readonly Event[],
  cause: CommandCause,
  randomness: Randomness,
): readonly (Event & NewEvent)[] =>
  events.map((event) => ({
    ...event,
    id: randomness.uuid(),
    metadata: { ...cause, schemaVersion: schemaVersionOf(event.type) },
  }))
