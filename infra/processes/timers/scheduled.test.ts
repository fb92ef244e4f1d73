import { afterAll, expect, test } from 'vitest'
import { singletonLease } from '../../leases/singleton-lease.ts'
import { type Scheduled, scheduled } from './scheduled.ts'
import { systemClock } from '../runtime.ts'

const running: Scheduled[] = []
afterAll(async () => {
  for (const one of running) await one.stop()
})

/** Time that passes when the test says so. */
function stillClock() {
  let waking: (() => void)[] = []
  return {
    sleeping: () => waking.length,
    pass: () => {
      const woken = waking
      waking = []
      for (const wake of woken) wake()
    },
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        waking.push(resolve)
        signal?.addEventListener('abort', () => resolve())
      }),
  }
}

function start(work: (signal: AbortSignal) => Promise<unknown>) {
  const clock = stillClock()
  const warnings: object[] = []
  const one = scheduled({
    name: 'work',
    everyMs: 60_000,
    work,
    shareWork: singletonLease(systemClock),
    clock,
    log: { warn: (facts) => void warnings.push(facts) },
  })
  running.push(one)
  return { clock, warnings, one }
}

test('given scheduled work, when its time comes, then it is done; a failure is logged and it goes on', async () => {
  let runs = 0
  const { clock, warnings } = start(async () => {
    runs += 1
    if (runs === 1) throw new Error('away')
  })
  await expect.poll(() => clock.sleeping()).toBe(1)
  expect(runs).toBe(0)
  clock.pass()
  await expect.poll(() => clock.sleeping()).toBe(1)
  expect(warnings).toMatchObject([{ name: 'work', err: { message: 'away' } }])
  clock.pass()
  await expect.poll(() => clock.sleeping()).toBe(1)
  expect(runs).toBe(2)
})

test('given a run under way, when stopped, then it is told to end and waited for, and none follows', async () => {
  let ended = false
  let runs = 0
  const { clock, one } = start(
    (signal) =>
      new Promise<void>((resolve) => {
        runs += 1
        signal.addEventListener('abort', () => {
          ended = true
          resolve()
        })
      }),
  )
  await expect.poll(() => clock.sleeping()).toBe(1)
  clock.pass()
  await expect.poll(() => runs).toBe(1)
  await one.stop()
  expect(ended).toBe(true)
  expect(clock.sleeping()).toBe(0)
})
