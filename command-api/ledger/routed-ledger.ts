import type { AccountLedger, Ledger } from './account-ledger.ts'
import type { Ownership } from './ownership.ts'

export interface RoutedLedgerOptions {
  /** Decides for the accounts that this process owns. */
  readonly own: AccountLedger
  readonly ownership: Pick<Ownership, 'ownedSince'>
  /** Passes a command on to the account's owner, wherever it is. */
  readonly others: Pick<Ledger, 'execute'>
}

/**
 * Commands of one process for any account: every one goes through the queue of the account's owner (architecture 6,
 * rule 1). What other owners decided is read from the log, whose newest events are always theirs.
 */
export function routedLedger({ own, ownership, others }: RoutedLedgerOptions): Ledger {
  return {
    execute: (account, ...rest) =>
      ownership.ownedSince(account) === null
        ? others.execute(account, ...rest)
        : own.execute(account, ...rest),
    inspect: (account, look) =>
      ownership.ownedSince(account) === null ? own.read(account, look) : own.inspect(account, look),
  }
}
