import type { Decider as DomainDecider } from '@tollgate/domain/decision.ts'
import type { DomainEvent } from '@tollgate/domain/event.ts'
import {
  type AggregateOutcome,
  type AggregateWriter,
  type Decider,
  executeOn,
} from './ledger/aggregate.ts'
import type { CommandCause } from './ledger/cause.ts'

/** Load → decide → append for a channel, a user or the settings, with the domain's own decider. */
export const decideOn = <State, Command, Event extends DomainEvent, Rejection extends object>(
  writer: AggregateWriter,
  stream: string,
  decider: DomainDecider<State, Command, Event, Rejection>,
  command: Command,
  cause: CommandCause,
): Promise<AggregateOutcome<State, Event, Rejection>> =>
  executeOn(writer, stream, foldable(decider), command, cause)

/** The domain's decider in the shape that loading and appending want. */
export const foldable = <State, Command, Event extends DomainEvent, Rejection extends object>(
  decider: DomainDecider<State, Command, Event, Rejection>,
): Decider<State, Command, Event, Rejection> => ({
  initial: () => decider.initial,
  evolve: (state, event) => decider.evolve(state, event),
  decide: (state, command) => {
    const decision = decider.decide(state, command)
    return decision.status === 'decided' ? decision.events : decision.rejection
  },
})
