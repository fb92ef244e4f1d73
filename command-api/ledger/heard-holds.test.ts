import { holdId, userId } from '@tollgate/domain/ids.ts'
import { ManualClock } from '@tollgate/tests/support/manual-clock.ts'
import { expect, test } from 'vitest'
import { HeardHolds } from './heard-holds.ts'
import { ownsEverything } from './ownership.ts'

const HOLD = holdId(userId(1), 4)

test('given an owner that stood still for longer than silence is borne, when it goes on, then silence counts from then', () => {
  const clock = new ManualClock()
  const heard = new HeardHolds(clock, ownsEverything(clock))
  heard.hear(HOLD)
  clock.jump(5_000)
  expect(heard.silent()).toEqual([])
  clock.jump(36_000)
  expect(heard.silent()).toEqual([])
  for (let passed = 5_000; passed <= 30_000; passed += 5_000) {
    clock.jump(5_000)
    expect(heard.silent()).toEqual([])
  }
  clock.jump(5_000)
  expect(heard.silent()).toEqual([HOLD])
})
