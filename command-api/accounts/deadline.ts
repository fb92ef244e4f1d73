import { within } from '@tollgate/domain/kernel/within.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Ledger } from './account-ledger.ts'

/** A person at a screen waits no longer; the same as for commands on other streams. */
export const COMMAND_MS = 10_000

/** The ledger for people: commands and questions that take longer than ten seconds fail. */
export const ledgerWithDeadline = (
  ledger: Ledger,
  clock: Pick<Clock, 'now' | 'sleep'>,
): Ledger => ({
  execute: (account, command, cause, options) =>
    ledger.execute(account, command, cause, { deadline: clock.now() + COMMAND_MS, ...options }),
  inspect: (account, look) => within(COMMAND_MS, clock, ledger.inspect(account, look)),
})
