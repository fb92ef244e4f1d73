import type { Clock } from '../ports/clock.ts'

/** No answer in time. */
export class DeadlineExceeded extends Error {
  readonly code = 'DEADLINE_EXCEEDED'
  readonly retryable = true
  constructor(ms: number) {
    super(`no answer within ${ms} ms`)
    this.name = 'DeadlineExceeded'
  }
}

/**
 * The answer of work, or that of `late` when there is none after `ms`; by default that fails with DeadlineExceeded.
 * Late work is left to itself.
 */
export async function within<Answer, Late = never>(
  ms: number,
  clock: Pick<Clock, 'sleep'>,
  work: Promise<Answer>,
  late: () => Late = () => {
    throw new DeadlineExceeded(ms)
  },
): Promise<Answer | Late> {
  const over = new AbortController()
  // When the work was faster, nobody looks at this any more.
  const isLate = clock.sleep(ms, over.signal).then((): typeof LATE => LATE)
  try {
    const first = await Promise.race([work, isLate])
    return first === LATE ? late() : first
  } finally {
    over.abort()
  }
}

const LATE: unique symbol = Symbol('late')
