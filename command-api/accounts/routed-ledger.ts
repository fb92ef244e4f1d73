import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { OWNER_PATIENCE_MS } from '@tollgate/domain/ports/hold-owner.ts'
import type { AccountLedger, CommandOptions, Ledger } from './account-ledger.ts'
import type { Ownership } from './ownership.ts'

const ASK_AGAIN_MS = 100

export interface RoutedLedgerOptions {
  /** Decides for the accounts that this process owns. */
  readonly own: AccountLedger
  readonly ownership: Pick<Ownership, 'ownedSince'>
  /** Passes a command on to the account's owner, wherever it is. */
  readonly others: Pick<Ledger, 'execute'>
  readonly clock: Clock
}

/**
 * Commands of one process for any account: each goes through the queue of the account's owner (architecture 6, rule 1).
 * While a partition changes hands and no process receives the command, it is sent again for some seconds. A command
 * that a process may have received is sent again only where that changes nothing: a step that is taken once, or a state
 * that is reached anyway. A command without an id of its own is named by the first event that it wrote, which its sender
 * does not know, so that the log cannot tell whether it was done. Its sender gets the failure with outcome 'unknown' and has to look. A command's deadline is that of all its
 * attempts together: none begins after it. Decisions of other owners are read from the log, whose newest events are
 * always theirs.
 */
export function routedLedger({ own, ownership, others, clock }: RoutedLedgerOptions): Ledger {
  return {
    async execute(account, command, cause, options) {
      const until = clock.monotonicMs() + patienceMs(clock, options)
      /** The first attempt that may have been done: with it the outcome is unknown, however the others end. */
      let lost: unknown = null
      for (;;) {
        const ledger = ownership.ownedSince(account) === null ? others : own
        try {
          return await ledger.execute(account, command, cause, options)
        } catch (error) {
          if (isLost(error)) lost ??= error
          const isRepeatable =
            isUnheard(error) || (isLost(error) && changesNothingTwice(command, options))
          if (!isRepeatable || clock.monotonicMs() + ASK_AGAIN_MS >= until) throw lost ?? error
        }
        await clock.sleep(ASK_AGAIN_MS)
      }
    },
    inspect: (account, look) =>
      ownership.ownedSince(account) === null ? own.read(account, look) : own.inspect(account, look),
  }
}

/** How long a command is sent again. */
const patienceMs = (clock: Pick<Clock, 'now'>, options?: CommandOptions): number =>
  Math.min(OWNER_PATIENCE_MS, (options?.deadline ?? Infinity) - clock.now())

/** The account had no owner at that moment, so no process can have done anything. */
const isUnheard = (error: unknown): boolean => outcomeOf(error) === 'none'

/** The command or its answer was lost on the way. */
const isLost = (error: unknown): boolean => outcomeOf(error) === 'unknown'

const outcomeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error && error.code === 'LEDGER_UNAVAILABLE'
    ? Reflect.get(error, 'outcome')
    : null

/** Commands that set a state, and succeed without events where it is reached. */
const STATES: ReadonlySet<AccountCommand['type']> = new Set([
  'SuspendAccount',
  'ResumeAccount',
  'DisableToken',
  'ExpireToken',
])

const changesNothingTwice = ({ type }: AccountCommand, options?: CommandOptions): boolean =>
  (options?.deduplicateFrom ?? null) !== null || STATES.has(type)
