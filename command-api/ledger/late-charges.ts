import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import type { AccountState } from '@tollgate/domain/account/state.ts'
import type { RecordedEvent } from '@tollgate/domain/event.ts'
import { partsOfHold } from '@tollgate/domain/ids.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'

/** What a stream says about charges of ended holds, and what a batch adds to it (architecture 6, rule 9). */
export class LateCharges {
  readonly #scanned = new Set<string>()
  readonly #charged = new Set<string>()

  /** Reads what the stream has of a charge whose hold has ended, from the hold's own revision on. */
  async scan(
    store: Pick<EventStore, 'readStream'>,
    stream: string,
    { holds }: Pick<AccountState, 'holds'>,
    command: AccountCommand,
  ): Promise<void> {
    if (command.type !== 'ChargeUsage') return
    const { hold } = command
    if (holds.has(hold) || this.#scanned.has(hold)) return
    this.#scanned.add(hold)
    const from = partsOfHold(hold).revision
    for await (const event of store.readStream(stream, { from })) {
      this.#see(event as RecordedEvent & AccountEvent)
    }
  }

  /** Takes note of a charge that the batch itself has decided. */
  note(command: AccountCommand): void {
    if (command.type === 'ChargeUsage') this.#charged.add(nameOf(command.hold, command.sequence))
  }

  /** The command with what was found for it; as it was when nothing was looked for. */
  informed(command: AccountCommand): AccountCommand {
    if (command.type !== 'ChargeUsage' || !this.#scanned.has(command.hold)) return command
    return { ...command, chargedBefore: this.#charged.has(nameOf(command.hold, command.sequence)) }
  }

  #see({ type, data }: AccountEvent): void {
    if (type === 'UsageCharged') this.#charged.add(nameOf(data.hold, data.sequence))
  }
}

const nameOf = (hold: string, sequence: number): string => `${hold}#${sequence}`
