import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { descendantsOf } from '../support/processes.ts'

/** Processor milliseconds that a process and what it started have used so far. Other work on the machine hardly moves them. */
export interface ProcessorTime {
  /** Time of the thread that serves requests. */
  readonly mainThreadMs: number
  /** Time of all threads of the process, garbage collection and compilation included. */
  readonly processMs: number
  /** Time of everything that it started: PostgreSQL. */
  readonly startedMs: number
}

/** Null where the system has no /proc to read it from. */
export function processorTime(pid: number): ProcessorTime | null {
  const mainThreadMs = usedMs(`/proc/${pid}/task/${pid}/stat`)
  if (Number.isNaN(mainThreadMs)) return null
  return {
    mainThreadMs,
    processMs: sum(readdirSync(`/proc/${pid}/task`).map((id) => `/proc/${pid}/task/${id}/stat`)),
    startedMs: sum(descendantsOf(pid).map((child) => `/proc/${child}/stat`)),
  }
}

const sum = (paths: readonly string[]): number =>
  paths.map(usedMs).reduce((total, ms) => total + (Number.isNaN(ms) ? 0 : ms), 0)

/** Milliseconds by a stat file: utime and stime (man 5 proc), the 14th and 15th fields; the second is in parentheses and may hold spaces. */
export function usedMs(path: string): number {
  try {
    const stat = readFileSync(path, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * msPerTick()
  } catch {
    // A thread or process that has just ended, or a system without /proc.
    return Number.NaN
  }
}

let knownMsPerTick: number | null = null

function msPerTick(): number {
  knownMsPerTick ??= 1_000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  return knownMsPerTick
}

/** The time between two readings for one request. */
export const perRequest = (
  before: ProcessorTime,
  after: ProcessorTime,
  requests: number,
): ProcessorTime => ({
  mainThreadMs: (after.mainThreadMs - before.mainThreadMs) / requests,
  processMs: (after.processMs - before.processMs) / requests,
  startedMs: (after.startedMs - before.startedMs) / requests,
})
