import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import { AccountBusy } from '@tollgate/command-api/accounts/account-ledger.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import {
  ReadDenied,
  StoreUnavailable,
  StreamUnusable,
  WriteDenied,
} from '@tollgate/domain/ports/event-store.ts'
import { z } from 'zod'
import { reasonOf } from './failure.ts'

/** The reply to a request: an answer, or an error by its code. */
export type Reply =
  | { readonly status: 'answered'; readonly answer: unknown }
  | ({ readonly status: 'failed' } & Failure)

interface Failure {
  /** Code of the error that the other process had; `FAULT` when it had none. */
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  /** 'none' when the request certainly changed nothing. */
  readonly outcome: 'none' | 'unknown'
}

/** The account's owner cannot be reached or cannot work now; ask again. */
export class LedgerUnavailable extends Error {
  readonly code = 'LEDGER_UNAVAILABLE'
  readonly retryable = true
  /** 'none' when the request certainly changed nothing. */
  readonly outcome: 'none' | 'unknown'
  constructor(message: string, outcome: 'none' | 'unknown', cause?: unknown) {
    super(message, { cause })
    this.name = 'LedgerUnavailable'
    this.outcome = outcome
  }
}

/** The owner failed in a way that asking again does not mend; its log says how. */
export class OwnerFault extends Error {
  readonly code = 'OWNER_FAULT'
  readonly retryable = false
  constructor(message: string) {
    super(message)
    this.name = 'OwnerFault'
  }
}

export const replySchema: z.ZodType<Reply> = z.discriminatedUnion('status', [
  z.object({ status: z.literal('answered'), answer: z.unknown() }),
  z.object({
    status: z.literal('failed'),
    code: z.string(),
    message: z.string(),
    retryable: z.boolean(),
    outcome: z.enum(['none', 'unknown']),
  }),
])

/** An error on its way to the process that asked. */
export const failedReply = (error: unknown): Reply => ({
  status: 'failed',
  code: textIn(error, 'code') ?? 'FAULT',
  message: reasonOf(error),
  retryable: isTransient(error),
  outcome: textIn(error, 'outcome') === 'none' ? 'none' : 'unknown',
})

/** The error again, in the process that asked; codes that it has a class for come back as that class. */
export function errorOf({ code, message, retryable, outcome }: Failure, account: UserId): Error {
  switch (code) {
    case 'ACCOUNT_BUSY':
      return new AccountBusy(account)
    case 'STORE_UNAVAILABLE':
      return new StoreUnavailable(message, outcome)
    case 'WRITE_DENIED':
      return new WriteDenied(message)
    case 'READ_DENIED':
      return new ReadDenied(message)
    case 'STREAM_CUT':
    case 'FOREIGN_EVENT':
      return new StreamUnusable(code, message)
    default:
      return retryable
        ? new LedgerUnavailable(message, outcome)
        : new OwnerFault(`${message} (${code})`)
  }
}

function textIn(error: unknown, key: 'code' | 'outcome'): string | null {
  if (!(error instanceof Error)) return null
  const value: unknown = Reflect.get(error, key)
  return typeof value === 'string' ? value : null
}
