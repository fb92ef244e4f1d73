import { randomUUID } from 'node:crypto'
import type { LeaseAnswer, Leases } from '@tollgate/domain/ports/leases.ts'
import { postgresLeases } from '@tollgate/infra/leases/postgres-leases.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createMigratedDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../support/engines/database.ts'
import { LeasesInMemory } from '../support/engines/leases-in-memory.ts'
import { until } from '../support/processes.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createMigratedDatabase()
})
afterAll(() => database.drop())

const LONG_MS = 60_000
const SHORT_MS = 150

const adapters: ReadonlyArray<readonly [string, () => Leases]> = [
  ['PostgreSQL', () => postgresLeases(database.pool)],
  ['the double in memory', () => new LeasesInMemory(() => performance.now())],
]

describe.each(adapters)('given leases in %s,', (_, open) => {
  /** A group that no other test uses. */
  function groupOf(leases = open()) {
    const group = randomUUID()
    const renew = (member: string, wanted: readonly string[], ttlMs = LONG_MS) =>
      leases.renew({ group, member, ttlMs, wanted })
    return {
      renew,
      leave: (member: string) => leases.leave(group, member),
      stepBack: (member: string) => leases.stepBack(group, member),
    }
  }

  test('when two members join, then both see both in the same order', async () => {
    const { renew } = groupOf()
    expect(await renew('b', [])).toEqual({ members: ['b'], held: [] })
    expect(await renew('a', [])).toEqual({ members: ['a', 'b'], held: [] })
    expect(await renew('b', [])).toEqual({ members: ['a', 'b'], held: [] })
  })

  test('when a right is held, then another does not get it until it is given back', async () => {
    const { renew } = groupOf()
    expect((await renew('a', ['x', 'y', 'x'])).held).toEqual(['x', 'y'])
    expect((await renew('b', ['y', 'z'])).held).toEqual(['z'])
    expect((await renew('a', ['x'])).held).toEqual(['x'])
    expect((await renew('b', ['x', 'y', 'z'])).held).toEqual(['y', 'z'])
    expect((await renew('a', ['x', 'y', 'z'])).held).toEqual(['x'])
  })

  test('when a member leaves, then its rights are free and it is off the list', async () => {
    const { renew, leave } = groupOf()
    await renew('a', ['x'])
    await leave('a')
    expect(await renew('b', ['x'])).toEqual({ members: ['b'], held: ['x'] })
    await leave('never-there')
  })

  test('when a member steps back, then its rights are free unless it is the last', async () => {
    const { renew, stepBack } = groupOf()
    await renew('a', ['x'])
    expect(await stepBack('a')).toBe(false)
    expect((await renew('b', ['x', 'y'])).held).toEqual(['y'])
    expect(await stepBack('a')).toBe(true)
    expect(await renew('b', ['x', 'y'])).toEqual({ members: ['b'], held: ['x', 'y'] })
    expect(await stepBack('b')).toBe(false)
    expect((await renew('b', ['x'])).held).toEqual(['x'])
  })

  test('when a member falls silent, then another takes over once its time is up', async () => {
    const { renew } = groupOf()
    await renew('a', ['x'], SHORT_MS)
    const at = performance.now()
    let answer: LeaseAnswer = { members: [], held: [] }
    await until('the lease has run out', async () => {
      answer = await renew('b', ['x'])
      return answer.held.length > 0
    })
    // Asked for before the lease was given, so the time that went by here is at least the one there, but for clocks' grain.
    expect(performance.now() - at).toBeGreaterThan(SHORT_MS / 2)
    expect(answer).toEqual({ members: ['b'], held: ['x'] })
    expect(await renew('a', ['x'])).toEqual({ members: ['a', 'b'], held: [] })
  })

  test('when a member renews in time, then nobody takes its right', async () => {
    const { renew } = groupOf()
    const end = performance.now() + SHORT_MS * 4
    await renew('a', ['x'], LONG_MS)
    while (performance.now() < end) {
      expect((await renew('a', ['x'], LONG_MS)).held).toEqual(['x'])
      expect((await renew('b', ['x'], SHORT_MS)).held).toEqual([])
    }
  })

  test('when its time is up and nobody took its right, then a member has it again', async () => {
    const { renew } = groupOf()
    await renew('a', ['x'], 1)
    await until('the lease of a has run out', async () => {
      const { members } = await renew('b', [])
      return members.length === 1
    })
    expect((await renew('a', ['x'])).held).toEqual(['x'])
  })

  test('when many ask at once, then no right is given to two and each is given', async () => {
    const { renew } = groupOf()
    const names = Array.from({ length: 40 }, (_, i) => `work-${i}`)
    const members = Array.from({ length: 6 }, (_, i) => `member-${i}`)
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        members.map((member, i) =>
          renew(member, i % 2 === 0 ? names : names.toReversed(), round === 0 ? 1 : LONG_MS),
        ),
      )
      // Those of the first round last a millisecond only: they may pass from one to another within it.
      if (round < 2) continue
      const held = answers.flatMap(({ held }) => held)
      expect(held.toSorted()).toEqual(names.toSorted())
    }
  })

  test('when groups use the same names, then they do not meet', async () => {
    const leases = open()
    const one = groupOf(leases)
    const other = groupOf(leases)
    await one.renew('a', ['x'])
    expect(await other.renew('b', ['x'])).toEqual({ members: ['b'], held: ['x'] })
    await other.leave('a')
    expect((await one.renew('b', ['x'])).held).toEqual([])
  })
})

test('given a PostgreSQL that is away, when leases are renewed, then the failure is transient', async () => {
  const unavailable = await createTestDatabase()
  const leases = postgresLeases(unavailable.pool)
  await unavailable.drop()
  const round = { group: 'g', member: 'a', ttlMs: 1_000, wanted: [] }
  await expect(leases.renew(round)).rejects.toMatchObject({
    code: 'LEASES_UNAVAILABLE',
    retryable: true,
  })
})
