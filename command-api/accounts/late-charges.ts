import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import {
  type AcceptedSequences,
  accept,
  type AccountState,
  hasAccepted,
} from '@tollgate/domain/account/state.ts'
import type { RecordedEvent } from '@tollgate/domain/event.ts'
import { type HoldId, partsOfHold } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import {
  isOfAnotherTimeline,
  lateChargesBegin,
  type Timelines,
} from '@tollgate/domain/timeline/timelines.ts'
import type { LoadedAccount } from './load-account.ts'
import { readBackFrom } from './read-back.ts'

/**
 * Charges of holds that ended too long ago for the state to remember: those that a stream has, and those that a batch
 * adds to it (architecture 6, rule 9).
 */
export class LateCharges {
  readonly #accepted = new Map<HoldId, AcceptedSequences>()
  readonly #timelines: Timelines

  constructor(timelines: Timelines) {
    this.#timelines = timelines
  }

  /**
   * Reads backwards to the end of the hold, which says what it had accepted; for ends of version 1, which do not say
   * it, on to the hold's own revision. For a hold of another timeline that revision says little: its charges may stand
   * anywhere behind the opening of the timeline that followed. Fails with StoreUnavailable where the reader is behind
   * the account.
   */
  async scan(
    store: Pick<EventStore, 'readStream'>,
    stream: string,
    { head, state: { holds, ended } }: LateScanBase,
    command: AccountCommand,
  ): Promise<void> {
    if (command.type !== 'ChargeUsage') return
    const { hold } = command
    if (holds.has(hold) || ended.has(hold) || this.#accepted.has(hold)) return
    const { revision } = partsOfHold(hold)
    const begin = isOfAnotherTimeline(hold, this.#timelines)
      ? lateChargesBegin(hold, this.#timelines)
      : Number.POSITIVE_INFINITY
    this.#accepted.set(hold, [])
    for await (const event of readBackFrom(store, stream, head)) {
      if (event.revision < revision && event.position < begin) return
      if (this.#see(hold, event as RecordedEvent & AccountEvent)) return
    }
  }

  /** Takes note of a charge that the batch itself has decided. */
  note(command: AccountCommand): void {
    if (command.type !== 'ChargeUsage') return
    const { hold, sequence } = command
    const accepted = this.#accepted.get(hold)
    if (accepted !== undefined) this.#accepted.set(hold, accept(accepted, sequence))
  }

  /** The command with the charges that were found for it; unchanged when none were looked for. */
  informed(command: AccountCommand): AccountCommand {
    if (command.type !== 'ChargeUsage') return command
    const accepted = this.#accepted.get(command.hold)
    if (accepted === undefined) return command
    return { ...command, chargedBefore: hasAccepted(accepted, command.sequence) }
  }

  /** Whether all is known of the hold with this event. */
  #see(hold: HoldId, { type, data }: AccountEvent): boolean {
    if (!('hold' in data) || data.hold !== hold) return false
    const accepted = this.#accepted.get(hold) ?? []
    if (type === 'UsageCharged') this.#accepted.set(hold, accept(accepted, data.sequence))
    if (type !== 'HoldReleased' && type !== 'HoldExpired') return false
    if (data.accepted === null) return false
    this.#accepted.set(hold, union(accepted, data.accepted))
    return true
  }
}

/** The end of the account that a charge is decided on, and its memory of holds. */
interface LateScanBase extends Pick<LoadedAccount, 'head'> {
  readonly state: Pick<AccountState, 'holds' | 'ended'>
}

/** Both, as ranges that do not touch. */
function union(some: AcceptedSequences, more: AcceptedSequences): AcceptedSequences {
  const joined: [number, number][] = []
  for (const [first, last] of [...some, ...more].toSorted(([a], [b]) => a - b)) {
    const before = joined.at(-1)
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else joined.push([first, last])
  }
  return joined
}
