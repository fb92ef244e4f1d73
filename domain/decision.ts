/**
 * What every decider of the domain looks like. `decide` is pure: events, or one named rejection. `evolve` is total: an
 * event that happened is never refused. Loading a stream is a fold of `evolve` from `initial`.
 */
export interface Decider<State, Command, Event, Rejection> {
  readonly initial: State
  decide(state: State, command: Command): Decision<Event, Rejection>
  evolve(state: State, event: Event): State
}

/** No events means that the command asked for what already is so. */
export type Decision<Event, Rejection> =
  | { readonly status: 'decided'; readonly events: readonly Event[] }
  | { readonly status: 'rejected'; readonly rejection: Rejection }

export const decided = <Event>(...events: readonly Event[]): Decision<Event, never> => ({
  status: 'decided',
  events,
})

export const rejected = <Rejection>(rejection: Rejection): Decision<never, Rejection> => ({
  status: 'rejected',
  rejection,
})
