import type { FollowerStatus } from '@tollgate/projections/runner/follower-progress.ts'
import { expect, test } from 'vitest'
import { poisonOf, together, warningOf, readinessProblem } from './readiness.ts'
import { storeProbe } from './engine-probe.ts'

const followed = { followProblem: () => null }
const logger = { warn: () => undefined }

const FOLLOWING: FollowerStatus = {
  name: 'tokens',
  position: 5,
  state: 'following',
  poison: null,
  problem: null,
  handledEvents: 5,
  delayMs: 1,
}
const STOPPED: FollowerStatus = {
  ...FOLLOWING,
  name: 'usage-log',
  state: 'stopped',
  poison: { position: 6, stream: 'account-1', revision: 3, type: 'UsageCharged', message: 'odd' },
  problem: 'odd',
}
const AHEAD: FollowerStatus = { ...FOLLOWING, state: 'stopped', problem: 'ahead of the event log' }

test('given checks that are content, when asked, then it is ready', async () => {
  expect(await readinessProblem([() => null, async () => null])).toBeNull()
})

test('given checks that are not, when asked, then the first of them says why, and none after it is asked', async () => {
  const unasked = () => expect.unreachable('a later check was asked')
  expect(await readinessProblem([() => null, async () => 'the log is away', unasked])).toBe(
    'the log is away',
  )
})

test('given a read model that met an event it cannot handle, when asked, then it is named', () => {
  expect(poisonOf({ projectors: [FOLLOWING] })).toBeNull()
  expect(poisonOf({ projectors: [FOLLOWING, STOPPED] })).toContain(
    'usage-log at UsageCharged (account-1, revision 3)',
  )
  expect(poisonOf({ projectors: [AHEAD, STOPPED] })).toBe(
    'read models have stopped: tokens is ahead of the event log; usage-log at UsageCharged (account-1, revision 3)',
  )
})

test('given several things to say, when they are put together, then none hides another', () => {
  expect(together(null, null)).toBeNull()
  expect(together('one', null, 'two')).toBe('one; two')
})

test('given lost charges, when asked, then it warns of them', () => {
  expect(warningOf(0, 0)).toBeNull()
  expect(warningOf(3, 0)).toContain('3 charges')
  expect(warningOf(0, 2)).toMatch(/^2 processes are stuck/)
  expect(warningOf(3, 2)).toMatch(/3 charges.*2 processes/)
})

test('given an event log, when asked often, then it is probed once in two seconds', async () => {
  let now = 0
  let probes = 0
  const runtime = { clock: { monotonicMs: () => now }, logger }
  const probe = storeProbe({ ...followed, headPosition: async () => (probes += 1) }, runtime)
  expect(await Promise.all([probe(), probe()])).toEqual([null, null])
  now = 1_999
  await probe()
  expect(probes).toBe(1)
  now = 2_000
  await probe()
  expect(probes).toBe(2)
})

test('given an event log that is silent or fails, when asked, then the reason names it, not its place', async () => {
  const warned: unknown[] = []
  const runtime = {
    clock: { monotonicMs: () => (now += 2_000) },
    logger: { warn: (line: unknown) => warned.push(line) },
  }
  let now = 0
  const silent = storeProbe(
    { ...followed, headPosition: () => new Promise(() => undefined) },
    runtime,
    5,
  )
  expect(await silent()).toBe('the event log did not answer within 5 ms')
  expect(warned).toEqual([])
  const err = new Error('connect ECONNREFUSED 10.1.2.3:5432')
  const failing = storeProbe({ ...followed, headPosition: () => Promise.reject(err) }, runtime)
  expect([await failing(), await failing()]).toEqual([
    'the event log does not answer',
    'the event log does not answer',
  ])
  expect(warned).toEqual([{ err }])
})

test('given an event log that answered, when it is late twice, then it counts as away, not when once', async () => {
  let now = 0
  const never = new Promise<number>(() => undefined)
  const answers: Promise<number>[] = [Promise.resolve(1), never, Promise.resolve(1), never, never]
  const store = { ...followed, headPosition: () => answers.shift() ?? never }
  const probe = storeProbe(store, { clock: { monotonicMs: () => (now += 2_000) }, logger }, 5)
  const late = 'the event log did not answer within 5 ms'
  const said = []
  for (let count = 0; count < 5; count++) said.push(await probe())
  expect(said).toEqual([null, null, null, null, late])
})
