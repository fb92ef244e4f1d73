/** An account refuses what a step asks of it, by now: the process tries again later, and people see that it waits. */
export class StepRejected extends Error {
  readonly code = 'STEP_REJECTED'
  readonly retryable = true
  constructor(reason: string) {
    super(`the account refuses the step: ${reason}`)
    this.name = 'StepRejected'
  }
}
