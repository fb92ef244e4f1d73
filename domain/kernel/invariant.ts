/** A condition that always holds does not: a bug. It ends the request, never the process. */
export class InvariantBroken extends Error {
  readonly code = 'INVARIANT_BROKEN'
  readonly retryable = false
  constructor(message: string) {
    super(`invariant broken: ${message}`)
    this.name = 'InvariantBroken'
  }
}

/** Throws InvariantBroken with the text of `message` unless the condition holds. */
export function invariant(condition: boolean, message: () => string): asserts condition {
  if (!condition) throw new InvariantBroken(message())
}
