import type { LogId, RequestId, TokenId, UserId } from '@tollgate/domain/ids.ts'
import type { Quota } from '@tollgate/domain/quota.ts'

/** One client request, and what is known of it outside of the ledger. */
export interface SimulatedRequest {
  readonly id: RequestId
  readonly account: UserId
  readonly token: TokenId | null
  /** The quota that is reserved before it goes upstream. */
  readonly estimate: Quota
  /** The cost of each part of the answer. */
  readonly parts: readonly Quota[]
  /** Between one part and the next. */
  readonly partMs: number
  readonly upstreamFails: boolean
  /** Whether what lies beyond the estimate is covered first, as streams do; else it is a cost beyond the reservation. */
  readonly asksForMore: boolean
  /** How long its client waits for quota before it leaves; longer than requests may wait = it stays. */
  readonly patienceMs: number
  /** When it was let in. This and the following are set as it goes on. */
  startedAt: number | null
  /** When it drew last. */
  drawnAt: number | null
  /** The timeline that its relay works in; null = it was not let in. */
  timeline: LogId | null
  /** When its relay went on after it had last stood still before letting it in; 0 = never. */
  relayAwakeSince: number
  /** Handed to be charged: upstream has answered. */
  settledAt: number | null
  reserved: number
  amount: number
  /** The client saw its end. */
  isAcknowledged: boolean
  /** The journal has acknowledged or stored a message about it. */
  isStored: boolean
  /** Its charge is in the ledger. */
  isCharged: boolean
  /** Its client has left before it was let in. */
  hasLeft: boolean
  outcome: string
}
