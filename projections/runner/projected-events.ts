import { ACCOUNT_EVENT_TYPES } from '@tollgate/domain/account/event-types.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import type { ChannelEvent } from '@tollgate/domain/channel/events.ts'
import type { BareEvent, DomainEvent } from '@tollgate/domain/event.ts'
import type { RequestFailure } from '@tollgate/domain/ports/usage-journal.ts'
import type { RedemptionEvent } from '@tollgate/domain/redemption/events.ts'
import type { SettingsEvent } from '@tollgate/domain/settings/events.ts'
import type { TopUpEvent } from '@tollgate/domain/top-up/events.ts'
import type { TaskEvent } from '@tollgate/domain/task/events.ts'
import type { UserEvent } from '@tollgate/domain/user/events.ts'

/** A request of a known token that failed for good; streams `relay-failures-<relay>-<day>`. */
export type RequestFailed = DomainEvent<'RequestFailed', RequestFailure>

/** Every event that some read model is made of. */
export type ProjectedEvent =
  | AccountEvent
  | ChannelEvent
  | UserEvent
  | SettingsEvent
  | RedemptionEvent
  | TopUpEvent
  | TaskEvent
  | RequestFailed
export type ProjectedType = ProjectedEvent['type']

/** An event as stored, so that `switch (event.type)` narrows `event.data`. */
export type Recorded<Event extends DomainEvent = ProjectedEvent> = Event extends DomainEvent
  ? BareEvent<Event>
  : never

/** A record, not a list, so that the compiler refuses a missing or misspelt type. */
const KNOWN: Readonly<Record<ProjectedType, true>> = {
  ...ACCOUNT_EVENT_TYPES,
  ChannelAdded: true,
  ChannelRevised: true,
  ChannelKeyReplaced: true,
  ChannelEnabled: true,
  ChannelDisabled: true,
  ChannelAutoDisabled: true,
  ChannelHalfOpened: true,
  ChannelTrialFailed: true,
  ChannelAutoEnabled: true,
  ChannelTested: true,
  ChannelBalanceRead: true,
  ChannelDeleted: true,
  UserRegistered: true,
  UserRoleChanged: true,
  UserBanned: true,
  UserReinstated: true,
  UserGroupChanged: true,
  UserDeleted: true,
  CodeIssued: true,
  CodeRevised: true,
  CodeDisabled: true,
  CodeEnabled: true,
  CodeRedeemed: true,
  CodeDeleted: true,
  TopUpRequested: true,
  TopUpPaid: true,
  TopUpPaidAgain: true,
  TopUpAbandoned: true,
  OptionChanged: true,
  LogsCleared: true,
  PriceBookRevised: true,
  PriceRevisionTookEffect: true,
  PriceRevisionWithdrawn: true,
  TaskSubmitted: true,
  TaskProgressed: true,
  TaskSucceeded: true,
  TaskFailed: true,
  RequestFailed: true,
}

/** False for a type written by a newer version, which is skipped and counted, never a crash. */
export const isProjectedType = (type: string): type is ProjectedType => Object.hasOwn(KNOWN, type)

/** The events of the given types, typed as such. */
export function eventsOfTypes<Type extends ProjectedType>(
  events: readonly BareEvent[],
  types: ReadonlySet<Type>,
): readonly Recorded<Extract<ProjectedEvent, { type: Type }>>[] {
  return events.filter((event) => types.has(event.type as Type)) as unknown as readonly Recorded<
    Extract<ProjectedEvent, { type: Type }>
  >[]
}
