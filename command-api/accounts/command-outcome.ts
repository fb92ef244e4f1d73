import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import type { AccountRejection } from '@tollgate/domain/account/rejections.ts'
import type { Position, WrittenEvent } from '@tollgate/domain/event.ts'

/** The result of a command. */
export type CommandOutcome =
  | {
      readonly status: 'done'
      /** Position of the command's last event; of the account's last known one when nothing had to change. */
      readonly position: Position
      /** None when the command was a repetition. */
      readonly events: readonly OutcomeEvent[]
    }
  | { readonly status: 'rejected'; readonly rejection: AccountRejection }

/** An event that a command has left, with its place in the account's stream, which an owner of an older version does not say. */
export type OutcomeEvent = AccountEvent & Partial<Pick<WrittenEvent, 'id' | 'revision'>>
