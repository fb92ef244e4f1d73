/**
 * What somebody submits, with the key by which the server knows it again: the same words sent again before there was a
 * definite answer are the same submission, so that nothing is done twice after an answer was lost or by a second click.
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
