import type { EndOfRight, LeaseRound, WorkShare } from '@tollgate/domain/ports/leases.ts'
import { fairShare } from '@tollgate/domain/sharing/fair-share.ts'
import { createMigratedDatabase } from '@tollgate/tests/support/engines/database.ts'
import { LeasesInMemory } from '@tollgate/tests/support/engines/leases-in-memory.ts'
import { ManualClock } from '@tollgate/tests/support/manual-clock.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../processes/runtime.ts'
import { postgresLeases } from './postgres-leases.ts'
import { shareWork } from './share-work.ts'

const names = Array.from({ length: 32 }, (_, i) => String(i))
const logger = { info() {}, warn() {} }

/** Processes with one clock and one database between them. */
function runtime() {
  const clock = new ManualClock()
  const leases = new LeasesInMemory(() => clock.now())
  /**
   * The members that do each work at this moment, by what was begun and ended: more than one only when the fence has to
   * help.
   */
  const doers = new Map<string, Set<string>>(names.map((name) => [name, new Set()]))
  const doneByTwo = new Set<string>()

  /** Members that cannot do their part. */
  const unable = new Set<string>()

  function join(member: string, ending: () => Promise<void> = () => Promise.resolve()) {
    const ends: EndOfRight[] = []
    const crash = new AbortController()
    const ownClock = {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs(),
      // A process that is gone does not wake up again.
      sleep: (ms: number, signal?: AbortSignal) =>
        clock.sleep(ms, signal).then(() => (crash.signal.aborted ? never : undefined)),
    }
    const share = shareWork({
      leases,
      group: 'test',
      member,
      names,
      clock: ownClock,
      logger,
      isAble: () => !unable.has(member),
      begin(name) {
        const at = doers.get(name)
        at?.add(member)
        if ((at?.size ?? 0) > 1) doneByTwo.add(name)
      },
      async end(name, reason) {
        ends.push(reason)
        await ending()
        doers.get(name)?.delete(member)
      },
    })
    const die = (): void => {
      crash.abort()
      for (const at of doers.values()) at.delete(member)
    }
    return { share, ends, die }
  }
  const sharesOf = (...members: string[]) => Object.groupBy(names, ownerAmong(members))
  return { clock, leases, join, unable, doneByTwo, sharesOf }
}

const never = new Promise<undefined>(() => undefined)
const ownerAmong = (members: readonly string[]) => {
  const shares = fairShare(members, names)
  return (name: string): string => shares.get(name) ?? ''
}
const sorted = (share: WorkShare) =>
  share.held().toSorted((one, other) => Number(one) - Number(other))

describe('given processes that share work,', () => {
  test('when the first joins, then it has everything at once', async () => {
    const { join, clock } = runtime()
    const { share } = join('a')
    await clock.pass(300)
    expect(sorted(share)).toEqual(names)
    expect(share.members()).toBe(1)
    expect(share.heldSince('7')).toBe(clock.now() - 100)
  })

  test('when a second joins, then it gets its fair share within two seconds and nothing is done by two', async () => {
    const { join, clock, doneByTwo, sharesOf } = runtime()
    const a = join('a')
    await clock.pass(3_000)
    const since = a.share.heldSince(sharesOf('a', 'b')['a']?.[0] ?? '')
    const b = join('b')
    await clock.pass(2_000)
    const shares = sharesOf('a', 'b')
    expect(sorted(a.share)).toEqual(shares['a'])
    expect(sorted(b.share)).toEqual(shares['b'])
    expect(doneByTwo.size).toBe(0)
    expect(new Set(a.ends)).toEqual(new Set(['hand-over']))
    expect(a.share.heldSince(shares['a']?.[0] ?? '')).toBe(since)
    expect(a.share.heldSince(shares['b']?.[0] ?? '')).toBeNull()
  })

  test('when what is handed over takes time to end, then it is begun elsewhere only when it has ended', async () => {
    const { join, clock, doneByTwo, sharesOf } = runtime()
    let finish: (() => void) | undefined
    const isFinished = new Promise<void>((resolve) => (finish = resolve))
    const a = join('a', () => isFinished)
    await clock.pass(1_000)
    const b = join('b')
    await clock.pass(1_500)
    expect(sorted(a.share)).toEqual(sharesOf('a', 'b')['a'])
    expect(b.share.held()).toEqual([])
    finish?.()
    await clock.pass(300)
    expect(sorted(b.share)).toEqual(sharesOf('a', 'b')['b'])
    expect(doneByTwo.size).toBe(0)
  })

  test('when one cannot do its part for some seconds, then the others do it until it can again', async () => {
    const { join, clock, unable, sharesOf } = runtime()
    const [a, b] = [join('a'), join('b')]
    await clock.pass(3_000)
    unable.add('a')
    await clock.pass(4_000)
    expect(sorted(a.share)).toEqual(sharesOf('a', 'b')['a'])
    await clock.pass(3_000)
    expect(a.share.held()).toEqual([])
    expect(a.share.members()).toBe(0)
    expect(sorted(b.share)).toEqual(names)
    expect(new Set(a.ends)).toEqual(new Set(['lost']))
    await clock.pass(30_000)
    expect(sorted(b.share)).toEqual(names)
    unable.delete('a')
    await clock.pass(3_000)
    expect(sorted(a.share)).toEqual(sharesOf('a', 'b')['a'])
    expect(sorted(b.share)).toEqual(sharesOf('a', 'b')['b'])
  })

  test('when one cannot do its part for a moment, then nothing moves', async () => {
    const { join, clock, unable } = runtime()
    const [a, b] = [join('a'), join('b')]
    await clock.pass(3_000)
    for (let times = 0; times < 5; times++) {
      unable.add('a')
      await clock.pass(4_000)
      unable.delete('a')
      await clock.pass(1_500)
    }
    expect([...a.ends, ...b.ends].filter((reason) => reason === 'lost')).toEqual([])
  })

  test('when nobody can do its part, then one keeps everything until others can again', async () => {
    const { join, clock, unable, sharesOf } = runtime()
    const [a, b] = [join('a'), join('b')]
    await clock.pass(3_000)
    unable.add('a')
    unable.add('b')
    await clock.pass(15_000)
    expect([...a.share.held(), ...b.share.held()].toSorted()).toEqual(names.toSorted())
    expect(new Set([a.share.members(), b.share.members()])).toEqual(new Set([0, 1]))
    unable.clear()
    await clock.pass(3_000)
    expect(sorted(a.share)).toEqual(sharesOf('a', 'b')['a'])
    expect(sorted(b.share)).toEqual(sharesOf('a', 'b')['b'])
  })

  test('when works that are handed over end while a round is under way, then none of them begins again here', async () => {
    const { leases, clock, sharesOf } = runtime()
    const begun: string[] = []
    const overTheNetwork = {
      async renew(round: LeaseRound) {
        await clock.sleep(5)
        const answer = await leases.renew(round)
        await clock.sleep(5)
        return answer
      },
      leave: (group: string, member: string) => leases.leave(group, member),
      stepBack: (group: string, member: string) => leases.stepBack(group, member),
    }
    const joined = { leases: overTheNetwork, group: 'test', names, clock, logger }
    const a = shareWork({
      ...joined,
      member: 'a',
      begin: (name) => void begun.push(name),
      // One after the other, so that an end wakes a round in which the next one ends.
      end: (name) => clock.sleep(Number(name)),
    })
    await clock.pass(3_000)
    const b = shareWork({ ...joined, member: 'b', begin() {}, end: () => Promise.resolve() })
    await clock.pass(4_000)
    expect(begun.toSorted()).toEqual(names.toSorted())
    expect(sorted(a)).toEqual(sharesOf('a', 'b')['a'])
    expect(sorted(b)).toEqual(sharesOf('a', 'b')['b'])
  })

  test('when what is handed over does not end, then it is given back after two seconds nevertheless', async () => {
    const { join, clock, sharesOf } = runtime()
    const a = join('a', () => never)
    await clock.pass(1_000)
    const b = join('b')
    await clock.pass(3_500)
    expect(sorted(a.share)).toEqual(sharesOf('a', 'b')['a'])
    expect(sorted(b.share)).toEqual(sharesOf('a', 'b')['b'])
  })

  test('when one dies, then the other has all of it within the time to live and a second', async () => {
    const { join, clock, doneByTwo, sharesOf } = runtime()
    const a = join('a')
    const b = join('b')
    await clock.pass(3_000)
    expect(sorted(b.share)).toEqual(sharesOf('a', 'b')['b'])
    a.die()
    await clock.pass(4_000)
    expect(sorted(b.share)).toEqual(sharesOf('a', 'b')['b'])
    await clock.pass(2_300)
    expect(sorted(b.share)).toEqual(names)
    expect(doneByTwo.size).toBe(0)
  })

  test('when one stops, then the other has all of it within a second', async () => {
    const { join, clock, doneByTwo } = runtime()
    const a = join('a')
    const b = join('b')
    await clock.pass(3_000)
    await a.share.stop()
    expect(a.share.held()).toEqual([])
    expect(new Set(a.ends.slice(-1))).toEqual(new Set(['stop']))
    await clock.pass(1_300)
    expect(sorted(b.share)).toEqual(names)
    expect(doneByTwo.size).toBe(0)
  })

  test('when four join and two die at once, then each name is done by one of the others', async () => {
    const { join, clock, doneByTwo, sharesOf } = runtime()
    const all = ['a', 'b', 'c', 'd'].map((member) => join(member))
    await clock.pass(4_000)
    all[0]?.die()
    all[2]?.die()
    await clock.pass(7_000)
    expect(sorted((all[1] ?? join('?')).share)).toEqual(sharesOf('b', 'd')['b'])
    expect(sorted((all[3] ?? join('?')).share)).toEqual(sharesOf('b', 'd')['d'])
    expect(doneByTwo.size).toBe(0)
  })
})

describe('given a database that is away,', () => {
  test('when it is back within the time to live, then nothing has changed', async () => {
    const { join, clock, leases } = runtime()
    const { share, ends } = join('a')
    await clock.pass(1_000)
    const since = share.heldSince('0')
    leases.isUnavailable = true
    await clock.pass(3_000)
    leases.isUnavailable = false
    await clock.pass(2_000)
    expect(share.heldSince('0')).toBe(since)
    expect(ends).toEqual([])
  })

  test('when it is away for a minute, then work goes on in place, and silence counts from its return', async () => {
    const { join, clock, leases, sharesOf, doneByTwo } = runtime()
    const a = join('a')
    await clock.pass(500)
    const b = join('b')
    await clock.pass(3_000)
    const since = a.share.heldSince(sharesOf('a', 'b')['a']?.[0] ?? '')
    expect(a.share.isCertain()).toBe(true)
    leases.isUnavailable = true
    await clock.pass(60_000)
    expect(a.share.isCertain()).toBe(false)
    expect(sorted(a.share)).toEqual(sharesOf('a', 'b')['a'])
    expect(a.share.heldSince(sharesOf('a', 'b')['a']?.[0] ?? '')).toBe(since)
    const endsBefore = a.ends.length
    leases.isUnavailable = false
    const back = clock.now()
    await clock.pass(10_000)
    expect(a.share.isCertain()).toBe(true)
    expect(sorted(a.share)).toEqual(sharesOf('a', 'b')['a'])
    expect(sorted(b.share)).toEqual(sharesOf('a', 'b')['b'])
    for (const { share } of [a, b]) {
      for (const name of share.held()) expect(share.heldSince(name)).toBeGreaterThanOrEqual(back)
    }
    expect(a.ends.length).toBe(endsBefore)
    expect(b.ends).toEqual([])
    expect(doneByTwo.size).toBe(0)
  })
})

describe('given two processes of which one may stand still,', () => {
  async function two(endOfA: () => Promise<void> = () => Promise.resolve()) {
    const { clock: clockOfB, leases, sharesOf } = runtime()
    const clockOfA = new ManualClock()
    const ends: EndOfRight[] = []
    const begun: string[] = []
    const common = { leases, group: 'test', names, logger }
    const a = shareWork({
      ...common,
      member: 'a',
      clock: clockOfA,
      begin: (name) => void begun.push(name),
      async end(_, reason) {
        ends.push(reason)
        await endOfA()
      },
    })
    const b = shareWork({
      ...common,
      member: 'b',
      clock: clockOfB,
      begin() {},
      end: () => Promise.resolve(),
    })
    async function passBoth(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += 100) {
        await clockOfB.pass(100)
        await clockOfA.pass(100)
      }
    }
    await passBoth(3_000)
    const { a: ofA = [], b: ofB = [] } = sharesOf('a', 'b')
    expect(sorted(a)).toEqual(ofA)
    expect(sorted(b)).toEqual(ofB)
    begun.length = 0
    return { a, b, ofA, ofB, clockOfA, clockOfB, leases, ends, begun, passBoth }
  }

  test('when it wakes after its leases ran out, then it learns of the loss and takes back only its share', async () => {
    const { a, b, ofA, ofB, clockOfA, clockOfB, ends, passBoth } = await two()
    await clockOfB.pass(7_000)
    expect(sorted(b)).toEqual(names)
    clockOfA.jump(7_000)
    expect(a.isCertain()).toBe(false)
    await clockOfA.pass(0)
    expect(new Set(ends.slice(-ofA.length))).toEqual(new Set(['lost']))
    expect(a.held()).toEqual([])
    await passBoth(3_000)
    expect(sorted(a)).toEqual(ofA)
    expect(sorted(b)).toEqual(ofB)
    for (const name of ofA) expect(a.heldSince(name)).toBeGreaterThan(clockOfA.now() - 3_000)
  })

  test('when lost work takes time to end, then it is not begun again before', async () => {
    let finish: (() => void) | undefined
    const { a, ofA, clockOfA, clockOfB, begun, passBoth } = await two(
      () => new Promise((resolve) => (finish = resolve)),
    )
    await clockOfB.pass(7_000)
    clockOfA.jump(7_000)
    await passBoth(1_500)
    expect(begun).toEqual([])
    expect(finish).toBeDefined()
    await passBoth(3_000)
    expect(sorted(a)).toEqual(ofA)
  })

  test('when the database was away and one is back first, then it leaves to the other what it had', async () => {
    const { a, b, ofA, ofB, clockOfA, leases, ends, passBoth } = await two()
    const endsBefore = ends.length
    leases.isUnavailable = true
    await passBoth(60_000)
    leases.isUnavailable = false
    await clockOfA.pass(4_000)
    expect(sorted(a)).toEqual(ofA)
    await passBoth(10_000)
    expect(sorted(a)).toEqual(ofA)
    expect(sorted(b)).toEqual(ofB)
    expect(ends.length).toBe(endsBefore)
  })
})

test('given listeners, when rights come and go, then they are called until they do not want it any more', async () => {
  const { join, clock } = runtime()
  const { share } = join('a')
  let calls = 0
  const stopListening = share.onChange(() => (calls += 1))
  await clock.pass(1_000)
  expect(calls).toBe(names.length)
  stopListening()
  await share.stop()
  expect(calls).toBe(names.length)
})

test('given work that cannot begin, when shared out, then its lease is given back and renewing goes on', async () => {
  const { leases, clock } = runtime()
  let attempts = 0
  const begin = (): void => {
    attempts += 1
    if (attempts < 3) throw new Error('not yet')
  }
  const end = () => Promise.resolve()
  const common = { leases, group: 'one', names: ['x'], clock, logger }
  const share = shareWork({ ...common, member: 'a', begin, end })
  await clock.pass(2_000)
  expect(attempts).toBe(3)
  expect(share.held()).toEqual(['x'])
})

test('given real PostgreSQL and time, when a second process joins and the first stops, then work moves', async () => {
  const database = await createMigratedDatabase()
  const common = {
    leases: postgresLeases(database.pool),
    group: 'test',
    names,
    clock: systemClock,
    logger,
    begin() {},
    end: () => Promise.resolve(),
  }
  const a = shareWork({ ...common, member: 'a' })
  await until('the first has everything', () => a.held().length === names.length)
  const b = shareWork({ ...common, member: 'b' })
  await until('each has its share', () => {
    const { a: ofA = [], b: ofB = [] } = Object.groupBy(names, ownerAmong(['a', 'b']))
    return a.held().length === ofA.length && b.held().length === ofB.length
  })
  await a.stop()
  await until('the second has everything', () => b.held().length === names.length)
  await b.stop()
  await database.drop()
})
