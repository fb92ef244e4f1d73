import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Scheduled } from './scheduler.ts'
import type { Runtime } from './simulated-runtime.ts'

export type QuestionKind = 'hold' | 'claim' | 'other'

/** A process from its start to its death. Once dead it sends nothing, hears nothing, and no timer of it ends. */
export interface Life {
  readonly name: string
  readonly clock: Clock
  isAlive(): boolean
  /** When it went on after it had last stood still, milliseconds since the simulation began; 0 = never. */
  awakeSince(): number
  /**
   * Something leaves the process. It may die or stand still just before or after. `asks` says what it is a question for.
   */
  send(effect: () => void, asks?: QuestionKind): void
  /** Something reaches the process after `ms`: an answer, a message, a timer. A process that stands still gets it later. */
  after(ms: number, work: () => void): Scheduled
}

/** Where a process runs: it starts again some time after it has died. */
export interface Machine {
  readonly name: string
  /** Null while nothing runs. */
  life(): Life | null
  crash(): void
  /** Stands still for `ms`; `onWake` is called as it goes on, if it lives. */
  pause(ms: number, onWake?: () => void): void
  /** The same, as soon as it has asked for such a thing: the answer finds it asleep. */
  pausePolling(kind: QuestionKind, ms: number, onWake?: () => void): void
  /** The wall clock jumps, ahead or back, and nothing else happens. */
  jump(ms: number): void
  /** Goes on if it stands still, and will not stand still when it asks. */
  wake(): void
}

/**
 * The states in which a stopped process finds its clocks when it goes on; a suspended machine's monotonic clock has
 * stood still too.
 */
const PAUSE_KINDS = ['stopped', 'suspended', 'set back'] as const
/** The wall clock at the simulation's beginning: 2026-01-01 00:00 UTC. */
export const SIMULATION_START = 1_767_225_600_000
const SKEW_MS = 2_500
const RESTART_MS = [100, 8_000] as const

interface Standstill {
  readonly kind: (typeof PAUSE_KINDS)[number]
  /** Work that waits for the process, in order. */
  readonly works: (() => void)[]
  end(): void
}

/** A machine whose process is started by `boot`, now and after each death. */
export function makeMachine(runtime: Runtime, name: string, boot: (life: Life) => void): Machine {
  const { scheduler, chances } = runtime
  let wallOffset = SIMULATION_START + chances.whole(-SKEW_MS, SKEW_MS)
  let monotonicOffset = chances.whole(0, 1_000_000)
  let standstill: Standstill | null = null
  let whenAsking: { readonly kind: QuestionKind; pause(): void } | null = null
  let awakeSince = 0
  let life: Life | null = null

  function crash(): void {
    if (life === null) return
    runtime.trace(() => `${name} dies`)
    life = null
    standstill = null
    scheduler.at(scheduler.now() + chances.whole(...RESTART_MS), start)
  }

  function pause(ms: number, onWake: () => void = () => undefined): void {
    if (life === null || standstill !== null) return
    const kind = chances.pick(PAUSE_KINDS)
    runtime.trace(() => `${name} stands still for ${ms} ms (${kind})`)
    const since = scheduler.now()
    const works: (() => void)[] = []
    const end = (): void => {
      if (standstill?.works !== works) return
      const lasted = scheduler.now() - since
      if (kind === 'suspended') monotonicOffset -= lasted
      if (kind === 'set back') wallOffset -= lasted
      standstill = null
      awakeSince = scheduler.now()
      onWake()
      // One after the other, as an event loop would take them up.
      for (const work of works) scheduler.at(scheduler.now(), work)
    }
    standstill = { kind, works, end }
    scheduler.at(since + ms, end)
  }

  function fault(): void {
    const { crash: deaths, pause: pauses, pauseMs } = runtime.faults()
    if (chances.chance(deaths)) crash()
    else if (chances.chance(pauses)) pause(chances.whole(...pauseMs))
  }

  function start(): void {
    if (life !== null) return
    runtime.trace(() => `${name} starts`)
    const born: Life = {
      name,
      clock: {
        now: () => Math.floor(scheduler.now() + wallOffset),
        monotonicMs: () => scheduler.now() + monotonicOffset,
        sleep: (ms, signal) => sleepIn(born, ms, signal),
      },
      isAlive: () => life === born,
      awakeSince: () => awakeSince,
      send(effect, asks) {
        if (life === born) fault()
        if (life !== born) return
        if (standstill === null) effect()
        else standstill.works.push(() => (life === born ? effect() : undefined))
        if (life === born && asks !== undefined && asks === whenAsking?.kind) {
          whenAsking.pause()
          whenAsking = null
        }
        if (life === born) fault()
      },
      after(ms, work) {
        const enter = (): void => {
          if (life === born && standstill === null) fault()
          if (life !== born) return
          if (standstill === null) work()
          else standstill.works.push(enter)
        }
        return scheduler.at(scheduler.now() + Math.max(0, ms), enter)
      },
    }
    life = born
    boot(born)
  }

  start()
  return {
    name,
    life: () => life,
    crash,
    pause,
    pausePolling(kind, ms, onWake) {
      whenAsking = { kind, pause: () => pause(ms, onWake) }
    },
    jump(ms) {
      // Set back while its other clock stands still: a process has no third one to notice that time has passed.
      if (ms < 0 && standstill?.kind === 'suspended') return
      runtime.trace(() => `the wall clock of ${name} jumps by ${ms} ms`)
      wallOffset += ms
    },
    wake() {
      whenAsking = null
      standstill?.end()
    },
  }
}

function sleepIn(life: Life, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve()
      return
    }
    const end = (): void => {
      timer.cancel()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = life.after(ms, end)
    signal?.addEventListener('abort', end)
  })
}
