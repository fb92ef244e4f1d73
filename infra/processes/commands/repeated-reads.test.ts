import { StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import { expect, test } from 'vitest'
import type { AuditableEventStore } from '../../event-store/auditable-store.ts'
import { withRepeatedReads } from './repeated-reads.ts'

const unavailable = new StoreUnavailable('away', 'none')

/** A log that answers as it is told, an error by failing; and a clock that the waiting moves. */
function logOf(answers: readonly (number | Error)[]) {
  let now = 0
  const left = [...answers]
  const headPosition = async (): Promise<number> => {
    const answer = left.shift() ?? unavailable
    if (answer instanceof Error) throw answer
    return answer
  }
  const clock = { monotonicMs: () => now, sleep: async (ms: number) => void (now += ms) }
  return withRepeatedReads({ headPosition } as AuditableEventStore, clock)
}

test('given a log that goes away in a run, when a page is not answered, then it is asked for again', async () => {
  const log = logOf([1, unavailable, unavailable, 2])
  expect([await log.headPosition(), await log.headPosition()]).toEqual([1, 2])
})

test('given a log that is away at the start or for a minute, when a run needs it, then the run fails', async () => {
  await expect(logOf([unavailable, 1]).headPosition()).rejects.toBe(unavailable)
  const log = logOf([1])
  await log.headPosition()
  await expect(log.headPosition()).rejects.toBe(unavailable)
})

test('given what waiting does not mend, when it fails, then it is told at once', async () => {
  const broken = new Error('broken')
  const log = logOf([1, broken, 2])
  await log.headPosition()
  await expect(log.headPosition()).rejects.toBe(broken)
})
