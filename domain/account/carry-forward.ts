import type { BalanceCarriedForward } from './events.ts'
import { CARRY_FORWARD_EVENTS_MIN, CARRY_FORWARD_SIZE_RATIO } from './limits.ts'
import { approximateSnapshotBytes, snapshotOf } from './snapshot.ts'
import type { AccountState } from './state.ts'

/** What an account's stream has gathered since its balance was last carried forward. */
export interface SinceCarried {
  readonly events: number
  /** Bytes of their data, as JSON. */
  readonly bytes: number
}

/**
 * Whether the balance should be carried forward now: at least 30 events, and their bytes more than ten times the
 * state's. So reading an account is bounded by its size, and carrying forward adds a tenth to what is written at most.
 */
export const isCarryForwardDue = (state: AccountState, since: SinceCarried): boolean =>
  since.events >= CARRY_FORWARD_EVENTS_MIN &&
  since.bytes > CARRY_FORWARD_SIZE_RATIO * approximateSnapshotBytes(state)

/** The event that makes everything before it unnecessary for loading; accepted sequences of open holds included. */
export const carryForward = (state: AccountState, at: number): BalanceCarriedForward => ({
  type: 'BalanceCarriedForward',
  data: { at, account: snapshotOf(state) },
})
