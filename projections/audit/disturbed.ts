/** Tables or log changed while they were compared in a way that makes the comparison worthless: compare again. */
export class ComparisonDisturbed extends Error {
  readonly code = 'COMPARISON_DISTURBED'
  readonly retryable = true
  constructor(why: string, cause?: unknown) {
    super(`the comparison was disturbed: ${why}. Run it again`, { cause })
    this.name = 'ComparisonDisturbed'
  }
}
