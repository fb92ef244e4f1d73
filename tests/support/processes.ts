import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Process ids of everything that `root` started, directly or not, deepest last; without `root` itself. */
export function descendantsOf(root: number): readonly number[] {
  const children = new Map<number, number[]>()
  for (const { pid, parent } of processTable()) {
    children.set(parent, [...(children.get(parent) ?? []), pid])
  }
  const found: number[] = []
  const queue = [root]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const offspring = children.get(next) ?? []
    found.push(...offspring)
    queue.push(...offspring)
  }
  return found
}

/** True while a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Sends a signal; a process that is gone already is no failure. */
export function signal(pid: number, name: NodeJS.Signals): void {
  if (isAlive(pid)) process.kill(pid, name)
}

/** With twenty processes that wanted two cores, a hand-over of partitions took more than 10 s. */
const PATIENCE_MS = 30_000
/** The shortest and the longest pause between two questions of `until`. */
const PAUSE_MS = { least: 10, most: 100 } as const

/**
 * Waits until a condition holds; throws with `what` when the deadline passes first. A pause is a tenth of the time
 * waited so far: a question may open a connection to a database, and what is waited for needs the processor.
 */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs = PATIENCE_MS,
): Promise<void> {
  const began = performance.now()
  while (!(await holds())) {
    const waitedMs = performance.now() - began
    if (waitedMs > timeoutMs) throw new Error(`waited ${timeoutMs} ms in vain until ${what}`)
    await sleep(Math.min(PAUSE_MS.most, Math.max(PAUSE_MS.least, waitedMs / 10)))
  }
}

/** From /proc where there is one (a slim container has no ps), else from ps. */
function processTable(): ReadonlyArray<{ readonly pid: number; readonly parent: number }> {
  if (!existsSync('/proc/self/stat')) return tableOfPs()
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(name) }))
}

function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the command in parentheses and may hold spaces; state and parent follow it.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    // It ended between the listing and the reading.
    return 0
  }
}

function tableOfPs(): ReadonlyArray<{ readonly pid: number; readonly parent: number }> {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [pid = 0, parent = 0] = line.trim().split(/\s+/u).map(Number)
      return { pid, parent }
    })
}
