import type { DomainEvent } from '../event.ts'

/**
 * An operator has looked at events of a stream that Tollgate has not written, and lets the stream go on without them.
 * Stands in that stream, behind them, and is linked by `prevHash` to the last event before them that is Tollgate's.
 */
export type EventsSetAside = DomainEvent<
  'EventsSetAside',
  {
    readonly at: number
    /** The revisions of the events that count for nothing from here on. */
    readonly revisions: readonly number[]
    /** As the operator gave it. */
    readonly reason: string
    /** The actor: an operator, who ran `npm run ledger -- set-aside` with the log's keys. */
    readonly by: 'operator'
  }
>

export const SET_ASIDE = 'EventsSetAside'

/** Whether an event of any stream sets others aside. Such an event says nothing else and changes no state. */
export const isSetAside = <Event extends Pick<DomainEvent, 'type' | 'data'>>(
  event: Event,
): event is Event & EventsSetAside => event.type === SET_ASIDE
