import { expect, test } from 'vitest'
import { until } from './processes.ts'

/** Questions in the time that a condition takes to hold, which are few on a busy machine and never more. */
async function questionsWithin(ms: number): Promise<number> {
  const began = performance.now()
  let questions = 0
  await until('the time is over', () => {
    questions += 1
    return performance.now() - began > ms
  })
  return questions
}

test('given a condition that takes long, when waited for, then questions become rarer', async () => {
  // Every 10 ms it would be a hundred.
  expect(await questionsWithin(1_000)).toBeLessThan(45)
})

test('given a condition that never holds, when waited for, then it fails at the deadline and says what', async () => {
  await expect(until('pigs fly', () => false, 50)).rejects.toThrow('50 ms in vain until pigs fly')
})
