import { partitionOf } from '@tollgate/domain/account/partition.ts'
import { type UserId, userId } from '@tollgate/domain/ids.ts'
import type { EndOfRight, SharedWork } from '@tollgate/domain/ports/leases.ts'
import { expect, test } from 'vitest'
import { ownPartitions } from './partition-ownership.ts'

const accountOf3 = userId(3 + 32)

/** An ownership whose rights and connection the test has in its hands. */
function begun() {
  const invalidated: UserId[] = []
  const opened: number[] = []
  const since = new Map<string, number>()
  let hearsSince = 0
  let isDrained = false
  let isCertain = true
  let finishClose = (): void => undefined
  let work: SharedWork | undefined
  const ownership = ownPartitions({
    invalidate(isUncertain) {
      const accounts = Array.from({ length: 64 }, (_, i) => userId(i + 1))
      invalidated.push(...accounts.filter(isUncertain))
    },
  })
  ownership.start(
    (given) => {
      work = given
      return {
        heldSince: (name) => since.get(name) ?? null,
        isCertain: () => isCertain,
        held: () => [...since.keys()],
        members: () => 1,
        onChange: () => () => undefined,
        stop: () => Promise.resolve(),
      }
    },
    {
      hearsSince: () => hearsSince,
      isReached: () => true,
      open(partition) {
        opened.push(partition)
        return {
          close: () => new Promise((resolve) => (finishClose = resolve)),
          isDrained: () => Promise.resolve(isDrained),
        }
      },
    },
  )
  return {
    ownership,
    invalidated,
    opened,
    get names() {
      return work?.names ?? []
    },
    give: (name: string, at: number): void => {
      since.set(name, at)
      work?.begin(name)
    },
    take: (name: string, reason: EndOfRight): Promise<void> => {
      since.delete(name)
      return work?.end(name, reason) ?? Promise.reject(new Error('nothing was shared'))
    },
    closed: () => finishClose(),
    drain: () => (isDrained = true),
    fallSilent: () => (isCertain = false),
    reconnect: (at: number) => (hearsSince = at),
  }
}

test('given no right, when an account is asked about, then it is not owned and its backlog is not known', async () => {
  const { ownership, names } = begun()
  expect(names).toHaveLength(32)
  expect(ownership.ownedSince(accountOf3)).toBeNull()
  expect(await ownership.isBacklogAppended(3)).toBe(false)
})

test('given an ownership that was not started, when it is asked and stopped, then it owns nothing', async () => {
  const ownership = ownPartitions({ invalidate: () => undefined })
  expect(ownership.ownedSince(accountOf3)).toBeNull()
  expect(ownership.owned()).toEqual([])
  await ownership.stop()
})

test('given a partition that is taken, when it begins, then only its accounts are invalidated first', async () => {
  const { ownership, give, invalidated, opened, drain } = begun()
  give('3', 500)
  expect(invalidated).toEqual([3, 35])
  expect(invalidated.map(partitionOf)).toEqual([3, 3])
  expect(opened).toEqual([3])
  expect(ownership.owned()).toEqual([3])
  expect(ownership.ownedSince(accountOf3)).toBe(500)
  expect(ownership.ownedSince(userId(4))).toBeNull()
  expect(await ownership.isBacklogAppended(3)).toBe(false)
  drain()
  expect(await ownership.isBacklogAppended(3)).toBe(true)
})

test('given rights that are not renewed, when asked, then they are owned still and not for certain', () => {
  const { ownership, give, fallSilent } = begun()
  give('3', 500)
  expect(ownership.isCertain()).toBe(true)
  fallSilent()
  expect(ownership.isCertain()).toBe(false)
  expect(ownership.ownedSince(accountOf3)).toBe(500)
  expect(ownPartitions({ invalidate: () => undefined }).isCertain()).toBe(false)
})

test('given an owned partition, when the connection to relays is back, then silence counts from then', () => {
  const { ownership, give, reconnect } = begun()
  give('3', 500)
  reconnect(900)
  expect(ownership.ownedSince(accountOf3)).toBe(900)
})

test('given an owned partition, when it is handed over, then that waits until what is under way has ended', async () => {
  const { ownership, give, take, closed } = begun()
  give('3', 500)
  let hasEnded = false
  const ending = take('3', 'hand-over').then(() => (hasEnded = true))
  expect(ownership.ownedSince(accountOf3)).toBeNull()
  expect(await ownership.isBacklogAppended(3)).toBe(false)
  expect(hasEnded).toBe(false)
  closed()
  await ending
})
