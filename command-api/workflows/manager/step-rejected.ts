/** An account refuses a step for now: the workflow retries it later, and operators see that it waits. */
export class StepRejected extends Error {
  readonly code = 'STEP_REJECTED'
  readonly retryable = true
  constructor(reason: string) {
    super(`the account refuses the step: ${reason}`)
    this.name = 'StepRejected'
  }
}
