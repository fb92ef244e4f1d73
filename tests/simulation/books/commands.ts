import type { CommandOutcome } from '@tollgate/command-api/accounts/account-ledger.ts'
import type { RecordedEvent } from '@tollgate/domain/event.ts'
import type { Runtime } from '../core/simulated-runtime.ts'

/** Remembers what was said to those who sent commands, and holds it against the log. */
export interface Commands {
  see(event: RecordedEvent): void
  /** The answer that a command's sender was given; the correlation id is that of no other command. */
  answered(correlationId: string, outcome: CommandOutcome): void
  /** A step of work across streams is said to be taken. */
  taken(causationId: string): void
  /** The log was put back: these events are not in it any more, and steps may be taken again. */
  putBack(lost: readonly RecordedEvent[]): void
  checkAtRest(): void
}

/** See `Commands`. */
export function makeCommands({ violate }: Runtime): Commands {
  const said = new Map<string, CommandOutcome>()
  const steps = new Set<string>()
  /** Types of stored events by correlation and causation id. */
  const stored = new Map<string, string[]>()
  /** Names of commands and steps whose events were lost with the log. */
  const lostNames = new Set<string>()
  return {
    see({ type, metadata: { correlationId, causationId } }) {
      const name = causationId ?? correlationId
      const types = stored.get(name) ?? []
      stored.set(name, types)
      // A step may have events of several types (a refund also enables its token), but none of them twice.
      if (causationId !== null && types.includes(type))
        violate('step-taken-twice', `${type} ${name}`)
      if (type === 'QuotaDebited' && types.includes(type)) violate('debited-twice', name)
      types.push(type)
    },
    answered: (correlationId, outcome) => void said.set(correlationId, outcome),
    taken: (causationId) => void steps.add(causationId),
    putBack(lost) {
      for (const { metadata } of lost) {
        const name = metadata.causationId ?? metadata.correlationId
        lostNames.add(name)
        stored.delete(name)
      }
    },
    checkAtRest() {
      for (const [id, outcome] of said) {
        if (lostNames.has(id)) continue
        const types = (stored.get(id) ?? []).join(' ')
        const expected =
          outcome.status === 'done' ? outcome.events.map(({ type }) => type).join(' ') : ''
        if (types !== expected) violate('answer-not-true', `said ${expected}, stored ${types}`)
      }
      for (const step of steps)
        if (!stored.has(step) && !lostNames.has(step)) violate('step-lost', step)
    },
  }
}
