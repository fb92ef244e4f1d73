import type { CommandOptions, Ledger } from '@tollgate/command-api/accounts/account-ledger.ts'
import { CommandDeadlineExceeded } from '@tollgate/command-api/accounts/command-deadline-exceeded.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { AskOwner } from './rpc-client.ts'
import { doneSchema, outcomeSchema } from './owner-message.ts'

/** A command may wait behind others and behind a slow append; its sender waits at a screen. */
const EXECUTED_WITHIN_MS = 5_000

/** The ledgers of other processes. */
export interface RemoteLedger extends Pick<Ledger, 'execute'> {
  /** Has the owner call idle quota back before a debit is refused (architecture 6, rule 11). */
  recallIdleQuota(account: UserId): Promise<void>
}

/**
 * Has commands decided by the account's owner. Rejections come back as values. Fails with what the owner failed with
 * (AccountBusy, StoreUnavailable), or with LedgerUnavailable when it is not there or does not answer: with `outcome`
 * 'unknown' the command may have been done; only a step with `deduplicateFrom`, or a command that can be repeated by its
 * nature, may then be sent again without looking. A deadline goes with the command as it is, and nobody here waits past
 * it; an expired command is not sent, and fails with CommandDeadlineExceeded.
 */
export const remoteLedger = (ask: AskOwner, clock: Pick<Clock, 'now'>): RemoteLedger => ({
  async execute(account, command, cause, options?: CommandOptions) {
    const { deduplicateFrom: onlyOnceFrom = null, deadline = null } = options ?? {}
    const leftMs = deadline === null ? EXECUTED_WITHIN_MS : deadline - clock.now()
    if (leftMs <= 0) throw new CommandDeadlineExceeded(account, cause.causationId, 'none')
    const request = { type: 'execute', account, command, cause, onlyOnceFrom, deadline } as const
    return ask(account, request, outcomeSchema, Math.min(leftMs, EXECUTED_WITHIN_MS))
  },
  recallIdleQuota: (account) =>
    ask(account, { type: 'recall-idle-quota', account }, doneSchema, EXECUTED_WITHIN_MS),
})
