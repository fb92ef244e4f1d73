import type { ExpiredQuestion } from '@tollgate/domain/ports/hold-owner.ts'
import { ManualClock } from '@tollgate/tests/support/manual-clock.ts'
import { expect, test } from 'vitest'
import { untilAnswered } from './patience.ts'

const HELD = { status: 'held' } as const

test('given an owner that never answers, when a question waits, then it is repeated every 100 ms for 8 s', async () => {
  const clock = new ManualClock(0)
  const askedAt: number[] = []
  const asking = untilAnswered<typeof HELD>({
    id: 'n-1',
    clock,
    ownerClock: { aheadMs: 0 },
    ask(deadline) {
      askedAt.push(clock.now())
      expect(deadline).toBe(clock.now() + 100)
      return new Promise(() => undefined)
    },
  }).catch(String)
  await clock.pass(350)
  expect(askedAt).toEqual([0, 100, 200, 300])
  await clock.pass(7_650)
  expect(await asking).toContain('the outcome of question n-1 is unknown')
})

test.each([-3_600_000, 5_000])(
  'given an owner whose clock is %i ms ahead, when a question expires, then the next is in its time',
  async (aheadMs) => {
    const clock = new ManualClock()
    const ownerClock = { aheadMs: 0 }
    const deadlines: number[] = []
    const ask = async (deadline: number): Promise<typeof HELD | ExpiredQuestion> => {
      deadlines.push(deadline)
      const isFirst = deadlines.length === 1
      return isFirst ? { status: 'expired', now: clock.now() + aheadMs } : HELD
    }
    const asking = untilAnswered({ id: 'n-1', clock, ownerClock, ask })
    await clock.pass(20)
    expect(await asking).toBe(HELD)
    expect(deadlines).toEqual([clock.now() + 80, clock.now() + aheadMs + 100])
  },
)

test.each([0, -3_600_000, 5_000])(
  'given a way of 125 ms to an owner %i ms ahead, when a hold is wanted, then the answer is heard',
  async (aheadMs) => {
    const clock = new ManualClock()
    const ask = async (deadline: number): Promise<typeof HELD | ExpiredQuestion> => {
      await clock.sleep(125)
      const now = clock.now() + aheadMs
      await clock.sleep(125)
      return deadline <= now ? { status: 'expired', now } : HELD
    }
    const asking = untilAnswered({ id: 'n-1', clock, ownerClock: { aheadMs: 0 }, ask }).catch(
      String,
    )
    await clock.pass(600)
    expect(await Promise.race([asking, Promise.resolve('nothing')])).toBe(HELD)
  },
)

test('given an owner that answers only the first question, after 7 s, then the answer is heard', async () => {
  const clock = new ManualClock()
  let asked = 0
  const ask = async (): Promise<typeof HELD> => {
    asked += 1
    await clock.sleep(asked === 1 ? 7_000 : Infinity)
    return HELD
  }
  const asking = untilAnswered({ id: 'n-1', clock, ownerClock: { aheadMs: 0 }, ask })
  await clock.pass(7_000)
  expect(await Promise.race([asking, Promise.resolve('nothing')])).toBe(HELD)
  const before = asked
  await clock.pass(1_000)
  expect(asked).toBe(before)
})
