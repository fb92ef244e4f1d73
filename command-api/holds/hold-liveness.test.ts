import { holdId, userId } from '@tollgate/domain/ids.ts'
import { ManualClock } from '@tollgate/tests/support/manual-clock.ts'
import { expect, test } from 'vitest'
import { HoldLiveness } from './hold-liveness.ts'
import { ownsEverything } from '../accounts/ownership.ts'

const HOLD = holdId(userId(1), 4, null)

test('given an owner that stood still beyond the timeout, when it goes on, then silence counts from then', () => {
  const clock = new ManualClock()
  const heard = new HoldLiveness(clock, ownsEverything(clock))
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

test('given an owner that may be replaced, when a hold is silent, then it is kept until that is certain', () => {
  const clock = new ManualClock()
  let isCertain = true
  const heard = new HoldLiveness(clock, { ...ownsEverything(clock), isCertain: () => isCertain })
  heard.hear(HOLD)
  isCertain = false
  for (let passed = 0; passed < 60_000; passed += 5_000) {
    clock.jump(5_000)
    expect(heard.silent()).toEqual([])
  }
  isCertain = true
  expect(heard.silent()).toEqual([HOLD])
})
