import type { CommandOptions, Ledger } from '@tollgate/command-api/accounts/account-ledger.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import type { AskOwner } from './rpc-client.ts'
import { doneSchema, outcomeSchema } from './owner-message.ts'

/** A command may wait behind others and behind a slow append; whoever sent it waits at a screen. */
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
 * nature, may then be sent again without looking.
 */
export const remoteLedger = (ask: AskOwner): RemoteLedger => ({
  execute: (account, command, cause, options?: CommandOptions) =>
    ask(
      account,
      {
        type: 'execute',
        account,
        command,
        cause,
        onlyOnceFrom: options?.deduplicateFrom ?? null,
        deadline: options?.deadline ?? null,
      },
      outcomeSchema,
      EXECUTED_WITHIN_MS,
    ),
  recallIdleQuota: (account) =>
    ask(account, { type: 'recall-idle-quota', account }, doneSchema, EXECUTED_WITHIN_MS),
})
