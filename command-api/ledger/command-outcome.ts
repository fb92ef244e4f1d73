import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import type { AccountRejection } from '@tollgate/domain/account/rejections.ts'
import type { Position } from '@tollgate/domain/event.ts'

/** What came of a command. */
export type CommandOutcome =
  | {
      readonly status: 'done'
      /** Of the command's last event; of the account's last known one when nothing had to change. */
      readonly position: Position
      /** None when the command was a repetition. */
      readonly events: readonly AccountEvent[]
    }
  | { readonly status: 'rejected'; readonly rejection: AccountRejection }
