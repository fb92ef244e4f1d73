import type { Clock } from '@tollgate/domain/ports/clock.ts'

/** What `work` answers; fails with Overdue when it has not after `ms`, and leaves it to itself then. */
export async function within<T>(
  ms: number,
  clock: Pick<Clock, 'sleep'>,
  work: () => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const late = clock.sleep(ms, over.signal).then((): never => {
    throw new Overdue(ms)
  })
  // When the work was faster, nobody looks at this any more.
  late.catch(() => undefined)
  try {
    return await Promise.race([work(), late])
  } finally {
    over.abort()
  }
}

/** No answer in time. */
export class Overdue extends Error {
  readonly code = 'OVERDUE'
  readonly retryable = true
  constructor(ms: number) {
    super(`no answer within ${ms} ms`)
    this.name = 'Overdue'
  }
}
