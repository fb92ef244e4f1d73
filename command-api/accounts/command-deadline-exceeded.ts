/**
 * The command's deadline has passed and its caller waits no more. With `outcome` 'unknown' its events may still be
 * stored: the same step sent again (see Deduplication) gets its result. With 'none' it was dropped and changes nothing.
 */
export class CommandDeadlineExceeded extends Error {
  readonly code = 'COMMAND_OVERDUE'
  readonly retryable = true
  readonly outcome: 'none' | 'unknown'
  constructor(account: number, command: string | null, outcome: 'none' | 'unknown') {
    super(
      `command ${command ?? 'without an id'} on account ${account} was not done in time; its outcome is ${outcome}`,
    )
    this.name = 'CommandDeadlineExceeded'
    this.outcome = outcome
  }
}
