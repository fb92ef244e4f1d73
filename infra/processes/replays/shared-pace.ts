import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { setTimeout as after } from 'node:timers/promises'
import type { ReplayPace } from '@tollgate/projections/replays/run-replay.ts'

/** How busy a process's main thread is, in thousandths of its time: written there and read by a thread. */
export type BusyShare = Int32Array<SharedArrayBuffer>

const LOOK_EVERY_MS = 250
/** A process that only answers its health checks and its own timers is this busy. */
const IDLE = 20
/** A thread rests as long as it works for each so many thousandths that the main thread is busy. */
const FOR_EACH = 50
/** A thread works a fifth of its time at least. */
const REST_MOST = 4

/** Keeps the share of a process's main thread up to date. */
export function watchBusyShare(): { readonly share: BusyShare; readonly stop: () => void } {
  const share: BusyShare = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  let last = performance.eventLoopUtilization()
  const looking = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    Atomics.store(share, 0, Math.round(utilization * 1_000))
    last = now
  }, LOOK_EVERY_MS)
  return { share, stop: () => clearInterval(looking) }
}

/** Rests the longer, the busier the main thread is: a thread beside it takes its processors and those of the database. */
export function paceOf(share: BusyShare, signal: AbortSignal): ReplayPace {
  let before = process.threadCpuUsage()
  return {
    isShared() {
      const isShared = Atomics.load(share, 0) > IDLE
      // Nobody wanted the time until now: it is not to be rested for.
      if (!isShared) before = process.threadCpuUsage()
      return isShared
    },
    async rest() {
      const { user, system } = process.threadCpuUsage(before)
      const restMs = restAfter((user + system) / 1_000, Atomics.load(share, 0))
      await after(restMs, undefined, { signal }).catch(() => undefined)
      before = process.threadCpuUsage()
    },
  }
}

/** Milliseconds of rest after so many of work, beside a main thread that is busy so many thousandths of its time. */
export const restAfter = (workedMs: number, busy: number): number =>
  workedMs * Math.min(REST_MOST, busy / FOR_EACH)
