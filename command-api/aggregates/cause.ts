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
  /** Names the command where its asker knows it by an id that is no causation id, such as a hold's nonce. */
  readonly commandId?: string
}

/**
 * Gives decided events their ids and metadata. Ids are new at each decision and never derived. The events of a command
 * without a name are known by the first of them.
 */
export function newEvents<Event extends DomainEvent>(
  events: readonly Event[],
  cause: CommandCause,
  randomness: Randomness,
): readonly (Event & NewEvent)[] {
  let commandId = cause.commandId ?? cause.causationId
  return events.map((event) => {
    const id = randomness.uuid()
    commandId ??= id
    const metadata = { ...cause, commandId, schemaVersion: schemaVersionOf(event.type) }
    return { ...event, id, metadata }
  })
}
