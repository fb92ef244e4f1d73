import { exampleLogView, exampleMark } from '@tollgate/tests/support/example-timelines.ts'
import { type HoldId, relayId, userId } from '@tollgate/domain/ids.ts'
import {
  type ExtensionAnswer,
  type HoldAnswer,
  type HoldOwner,
  HoldOwnerUnavailable,
} from '@tollgate/domain/ports/hold-owner.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { memorySpool } from '@tollgate/tests/support/memory-spool.ts'
import { ManualClock } from '@tollgate/tests/support/manual-clock.ts'
import { expect, test } from 'vitest'
import type { DrawResult } from './reservation.ts'
import { HoldKeeper } from './hold-keeper.ts'

/** A keeper and its owner, which grants all that is wanted while it is there. */
function keeperWithOwner() {
  const clock = new ManualClock()
  let isUnavailable = false
  let questions = 0
  let extension: ExtensionAnswer | null = null
  let holds = 0
  const finished: HoldId[] = []
  const learned: number[] = []
  const ask = <Answer>(answer: () => Answer): Promise<Answer> => {
    questions += 1
    return isUnavailable
      ? Promise.reject(new HoldOwnerUnavailable('nobody listens'))
      : Promise.resolve(answer())
  }
  const owner: HoldOwner = {
    placeHold: ({ account, want }) =>
      ask((): HoldAnswer => ({
        status: 'held',
        hold: `${account}@${(holds += 1)}` as HoldId,
        amount: want,
      })),
    extendHold: ({ want }) => ask(() => extension ?? { status: 'extended', amount: want }),
    claimHolds: (_relay, holds) => ask(() => holds),
    finishHold: (hold) => ask(() => void finished.push(hold)),
  }
  const keeper = new HoldKeeper({
    log: { ...exampleLogView, learn: ({ position }) => void learned.push(position) },
    relay: relayId('relay'),
    owner,
    journal: { publish: () => Promise.resolve() },
    spool: memorySpool(),
    clock,
    randomness: { uuid: () => 'nonce', fraction: () => 0 },
    onFault: (error) => {
      throw error
    },
  })
  return {
    keeper,
    clock,
    questions: () => questions,
    finished,
    learned,
    leave: () => (isUnavailable = true),
    comeBack: () => (isUnavailable = false),
    answerExtensionsWith: (answer: ExtensionAnswer) => (extension = answer),
  }
}

const ONE = userId(1)

test('given an owner that is away, when 2,000 requests wait, then the next is turned away at once', async () => {
  const { keeper, clock, leave, comeBack } = keeperWithOwner()
  leave()
  const waiting = Array.from({ length: 2_000 }, (_, i) =>
    keeper.draw(userId(1 + (i % 50)), null, quota(10)),
  )
  expect(keeper.draw(userId(51), null, quota(10))).toEqual({
    status: 'unavailable',
    retryAfterSeconds: 2,
  })
  comeBack()
  await clock.pass(1_000)
  expect(await statuses(waiting)).toEqual(new Set(['drawn']))
  expect((await keeper.draw(userId(51), null, quota(10))).status).toBe('drawn')
})

test('given a broker back after five seconds, when requests came meanwhile, then none is turned away', async () => {
  const { keeper, clock, leave, comeBack } = keeperWithOwner()
  leave()
  const drawn: (DrawResult | Promise<DrawResult>)[] = []
  for (let second = 0; second < 5; second++) {
    drawn.push(keeper.draw(ONE, null, quota(10)))
    await clock.pass(1_000)
  }
  comeBack()
  await clock.pass(1_000)
  expect(await statuses(drawn)).toEqual(new Set(['drawn']))
})

test('given an owner that timed out, when others come, then they wait for it again only after two seconds', async () => {
  const { keeper, clock, questions, leave, comeBack } = keeperWithOwner()
  leave()
  const first = keeper.draw(ONE, null, quota(10))
  await clock.pass(8_000)
  expect(await first).toMatchObject({ status: 'unavailable' })

  const asked = questions()
  expect(asked).toBeLessThan(50)
  await clock.pass(1_000)
  keeper.tick()
  expect(keeper.draw(ONE, null, quota(10))).toMatchObject({ status: 'unavailable' })
  expect(questions()).toBe(asked)

  await clock.pass(1_000)
  const later = keeper.draw(ONE, null, quota(10))
  comeBack()
  await clock.pass(1_000)
  expect(await statuses([later])).toEqual(new Set(['drawn']))
})

test('given a request that needs more, when its owner refuses or is away, then it is told which', async () => {
  const { keeper, clock, leave, comeBack, answerExtensionsWith } = keeperWithOwner()
  const drawn = await keeper.draw(ONE, null, quota(10))
  if (drawn.status !== 'drawn') throw new Error(drawn.status)
  const { reservation } = drawn
  const none = quota(0)
  answerExtensionsWith({
    status: 'refused',
    reason: 'insufficient-quota',
    available: none,
    balance: none,
  })
  expect(await reservation.cover(quota(20))).toBe(false)

  leave()
  const inVain = Promise.allSettled([Promise.resolve(reservation.cover(quota(20)))])
  await clock.pass(8_000)
  expect(await inVain).toMatchObject([{ reason: { code: 'HOLD_OWNER_UNAVAILABLE' } }])

  comeBack()
  answerExtensionsWith({ status: 'closed' })
  await expect(reservation.cover(quota(20))).rejects.toThrow(HoldOwnerUnavailable)
  await expect(reservation.cover(quota(20))).rejects.toThrow(HoldOwnerUnavailable)
  expect(reservation.reserved).toBe(10)
})

test('given an owner that tells its log position, when it extends a hold, then later charges carry it', async () => {
  const { keeper, learned, answerExtensionsWith } = keeperWithOwner()
  const drawn = await keeper.draw(ONE, null, quota(10))
  if (drawn.status !== 'drawn') throw new Error(drawn.status)
  answerExtensionsWith({ status: 'extended', amount: quota(40), seen: exampleMark(7) })
  expect(await drawn.reservation.cover(quota(20))).toBe(true)
  expect(learned).toEqual([7])
})

test('given an old hold, when requests come, then they get another, and it ends with its last request', async () => {
  const { keeper, clock, finished } = keeperWithOwner()
  const long = await drawn(keeper, 10)
  for (let minute = 0; minute < 11; minute++) {
    await drawn(keeper, 10).then((reservation) => reservation.release())
    expect(finished).toEqual([])
    for (let tick = 0; tick < 12; tick++) {
      await clock.pass(5_000)
      keeper.tick()
    }
  }
  const young = await drawn(keeper, 10)
  expect(await long.cover(quota(500))).toBe(true)
  expect(finished).toEqual([])
  long.release()
  await clock.pass(0)
  expect(finished).toEqual(['1@1'])
  young.release()
})

async function drawn(keeper: HoldKeeper, estimate: number) {
  const result = await keeper.draw(ONE, null, quota(estimate))
  if (result.status !== 'drawn') throw new Error(result.status)
  return result.reservation
}

const statuses = async (drawn: readonly (DrawResult | Promise<DrawResult>)[]) =>
  new Set(await Promise.all(drawn.map(async (one) => (await one).status)))

test('given a hold that lapses during a request for more, when another returns quota, then none is taken', async () => {
  const { keeper, clock, leave } = keeperWithOwner()
  const one = await drawn(keeper, 10)
  const other = await drawn(keeper, 10)
  leave()
  await clock.pass(15_000)
  const asking = Promise.allSettled([Promise.resolve(one.cover(quota(20)))])
  other.release()
  await clock.pass(8_000)
  expect(await asking).toMatchObject([{ status: 'rejected' }])
  expect(one.reserved).toBe(10)
})
