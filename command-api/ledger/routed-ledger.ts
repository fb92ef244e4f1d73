import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { AccountLedger, Ledger } from './account-ledger.ts'
import type { Ownership } from './ownership.ts'

/** Longer than a partition is without an owner after a kill (leases last 5 s); nobody at a screen waits much longer. */
const OWNER_PATIENCE_MS = 8_000
const ASK_AGAIN_MS = 100

export interface RoutedLedgerOptions {
  /** Decides for the accounts that this process owns. */
  readonly own: AccountLedger
  readonly ownership: Pick<Ownership, 'ownedSince'>
  /** Passes a command on to the account's owner, wherever it is. */
  readonly others: Pick<Ledger, 'execute'>
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>
}

/**
 * Commands of one process for any account: every one goes through the queue of the account's owner (architecture 6,
 * rule 1). While a partition changes hands and nobody hears the command, it is asked again for some seconds; one that
 * somebody may have heard is not. What other owners decided is read from the log, whose newest events are always theirs.
 */
export function routedLedger({ own, ownership, others, clock }: RoutedLedgerOptions): Ledger {
  return {
    async execute(account, ...rest) {
      const until = clock.monotonicMs() + OWNER_PATIENCE_MS
      for (;;) {
        const ledger = ownership.ownedSince(account) === null ? others : own
        try {
          return await ledger.execute(account, ...rest)
        } catch (error) {
          if (!isUnheard(error) || clock.monotonicMs() >= until) throw error
        }
        await clock.sleep(ASK_AGAIN_MS)
      }
    },
    inspect: (account, look) =>
      ownership.ownedSince(account) === null ? own.read(account, look) : own.inspect(account, look),
  }
}

/** Nobody owned the account at that moment, so nobody can have done anything. */
const isUnheard = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'LEDGER_UNAVAILABLE' &&
  'outcome' in error &&
  error.outcome === 'none'
