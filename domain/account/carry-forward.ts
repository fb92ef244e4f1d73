import type { BalanceCarriedForward, CarriedCauses } from './events.ts'
import { CARRY_FORWARD_EVENTS_MIN, CARRY_FORWARD_SIZE_RATIO } from './limits.ts'
import { approximateSnapshotBytes, snapshotOf } from './snapshot.ts'
import type { AccountState } from './state.ts'

/** The events of an account's stream since its balance was last carried forward. */
export interface SinceCarried {
  readonly events: number
  /** Bytes of their data, as JSON. */
  readonly bytes: number
}

/**
 * Whether the balance should be carried forward now: after at least 30 events whose bytes exceed ten times the state's,
 * `causesBytes` included. Reading an account is therefore bounded by its size, and carrying forward adds at most a
 * tenth to the bytes written.
 */
export const isCarryForwardDue = (
  state: AccountState,
  since: SinceCarried,
  causesBytes = 0,
): boolean =>
  since.events >= CARRY_FORWARD_EVENTS_MIN &&
  since.bytes > CARRY_FORWARD_SIZE_RATIO * (approximateSnapshotBytes(state) + causesBytes)

/**
 * The event that makes everything before it unnecessary for loading; accepted sequences of open holds included. Without
 * `causes` steps taken before are looked up in the stream.
 */
export const carryForward = (
  state: AccountState,
  at: number,
  causes: CarriedCauses | null = null,
): BalanceCarriedForward => ({
  type: 'BalanceCarriedForward',
  data: { at, account: snapshotOf(state), causes },
})
