/**
 * Events as the domain makes them, as the store keeps them, and the names of their streams.
 * Data is plain JSON without personal data or secrets. Every event's data carries `at`, the moment of the decision
 * in unix milliseconds by the deciding process's clock; read models date by it, never by the store's own time.
 */

/** The cause of an event: a user, a relay, or the system itself. */
export type Actor = `user:${number}` | `relay:${string}` | 'system'

/** An event as a decider returns it: a type in the past tense and its data. */
export interface DomainEvent<Type extends string = string, Data extends EventData = EventData> {
  readonly type: Type
  readonly data: Data
}

export interface EventData {
  /** Unix milliseconds. */
  readonly at: number
}

export interface EventMetadata {
  readonly actor: Actor
  /** The request or job that this belongs to; a relay or API request id where there is one. */
  readonly correlationId: string
  /** Id of the event or command that brought this about, where work crosses streams; null otherwise. */
  readonly causationId: string | null
  /**
   * The command that decided it: the id it was asked with, else that of its first event. A command
   * writes to one stream: the two together name it. Events from before the field have none.
   */
  readonly commandId?: string
  /** Version of the event type's data shape, from 1. */
  readonly schemaVersion: number
}

/** An event on its way into the store. `id` is a random UUID, new at each decision. */
export interface NewEvent<Event extends DomainEvent = DomainEvent> {
  readonly id: string
  readonly type: Event['type']
  readonly data: Event['data']
  readonly metadata: EventMetadata
}

/** Place in the whole log: a safe integer that grows from event to event; gaps are possible. */
export type Position = number
/** Before the first event of the log. */
export const LOG_START: Position = -1

/** An event as its writer knows it once it stands in the log. */
export interface WrittenEvent<Event extends DomainEvent = DomainEvent> extends NewEvent<Event> {
  readonly stream: string
  /** Place in the stream, from 0 without gaps. */
  readonly revision: number
  /** To its writer, the place of the last event that was appended with it; to readers, its own. */
  readonly position: Position
}

/** An event as read back. */
export interface RecordedEvent<
  Event extends DomainEvent = DomainEvent,
> extends WrittenEvent<Event> {
  /** When the store recorded it, unix milliseconds. */
  readonly recordedAt: number
  readonly metadata: EventMetadata & ChainLink
}

/** A recorded event without the parts that only auditors and operators read: the input of read models. */
export type BareEvent<Event extends DomainEvent = DomainEvent> = Omit<
  RecordedEvent<Event>,
  'metadata' | 'recordedAt'
> & { readonly metadata: Pick<EventMetadata, 'actor'> }

/** Per stream, lower-case hex: hash = SHA-256(prevHash ‖ SHA-256(data) ‖ SHA-256(metadata without the hash)), of stored bytes. */
export interface ChainLink {
  readonly prevHash: string
  readonly hash: string
}

export const accountStream = (account: number): string => `account-${account}`
export const channelStream = (channel: number): string => `channel-${channel}`
export const userStream = (user: number): string => `user-${user}`
export const redemptionStream = (code: number): string => `redemption-${code}`
export const topUpStream = (order: string): string => `topup-${order}`
export const taskStream = (task: number): string => `task-${task}`
export const SETTINGS_STREAM = 'settings'

/** The number in `account-12`, `channel-3`, `user-7`; NaN for a stream without one. */
export const numberOfStream = (stream: string): number =>
  Number(stream.slice(stream.indexOf('-') + 1))
