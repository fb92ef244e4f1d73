/** The facts that the runtime adds to a command for its decision. */
export interface DecisionContext {
  /** Unix milliseconds by the deciding process's clock, never below the stream's last event's. */
  readonly at: number
  /** The revision that the first event of this decision will get. */
  readonly nextRevision: number
}

/**
 * The form of every decider of the domain. `decide` is pure: events, or one named rejection. `evolve` is total: an
 * event that happened is never refused. Loading a stream is a fold of `evolve` from `initial`.
 */
export interface Decider<State, Command, Event, Rejection> {
  readonly initial: State
  decide(state: State, command: Command, context: DecisionContext): Decision<Event, Rejection>
  evolve(state: State, event: Event): State
}

/** No events mean that the requested state is already there. */
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
