/**
 * Nobody waits for the command any more. With `outcome` 'unknown' its events may still be stored: the same step asked for
 * again (see Deduplication) gets what became of it. With 'none' it was dropped, and nothing comes of it.
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
