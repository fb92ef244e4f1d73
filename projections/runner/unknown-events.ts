import type { RecordedEvent } from '@tollgate/domain/event.ts'
import { isSetAside } from '@tollgate/domain/set-aside/events.ts'
import type { RunnerLogger } from './logger.ts'
import { isProjectedType } from './projected-events.ts'

/** Counts events of types that this version does not know; the first of each type is logged. */
export interface UnknownEvents {
  count(events: readonly RecordedEvent[]): void
  byType(): Readonly<Record<string, number>>
}

export function createUnknownEvents(logger: RunnerLogger): UnknownEvents {
  const unknown = new Map<string, number>()
  return {
    count(events) {
      for (const event of events) {
        if (isProjectedType(event.type) || isSetAside(event)) continue
        const count = (unknown.get(event.type) ?? 0) + 1
        unknown.set(event.type, count)
        if (count === 1) {
          const { type, stream, position } = event
          logger.warn({ type, stream, position }, 'events of an unknown type are skipped')
        }
      }
    },
    byType: () => Object.fromEntries(unknown),
  }
}
