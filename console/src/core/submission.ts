/**
 * A change that a visitor submits, with the key by which the server deduplicates it. The same change sent again before
 * a definite answer is the same submission. A lost answer or a second click therefore does nothing twice.
 */
export interface Submission {
  readonly what: string
  /** Sent as Idempotency-Key. */
  readonly key: string
}

/** The submission that may be meant when the same is sent again: nothing else was submitted since. */
let unsettled: Submission | null = null

/** `what` says all that the server is asked to change. */
export function beginSubmission(what: string): Submission {
  if (unsettled?.what === what) return unsettled
  // crypto.randomUUID is missing on pages served over plain HTTP.
  const key = crypto.getRandomValues(new Uint32Array(4)).join('-')
  unsettled = { what, key }
  return unsettled
}

/** Without a definite answer, sending the same again asks for what became of it; with one, that is a new wish. */
export function settleSubmission(submission: Submission, isDefinite: boolean): void {
  if (!isDefinite) unsettled = submission
  else if (unsettled === submission) unsettled = null
}
