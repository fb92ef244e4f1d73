/** Something that will happen, unless it is called off. */
export interface Scheduled {
  cancel(): void
}

/** Virtual time: everything that happens in a simulation is work at a moment, in one order for one seed. */
export interface Scheduler {
  /** Milliseconds since the simulation began. */
  now(): number
  /** Work of the same moment happens in the order in which it was asked for. */
  at(moment: number, work: () => void): Scheduled
  /** How much work was done. */
  done(): number
  /** Does all work up to a moment; between one piece and the next, promises run until none can go on. */
  run(until: number): Promise<void>
}

interface Entry {
  readonly moment: number
  readonly order: number
  work: (() => void) | null
}

/** Pieces of work asked of the event loop at a time; each is followed by all microtasks that it set free. */
const TURNS = 64

/** See `Scheduler`. Begins at moment 0. */
export function makeScheduler(): Scheduler {
  const heap: Entry[] = []
  let now = 0
  let order = 0
  let done = 0

  /** The next piece of work up to a moment, time moved on to it; null when there is none. */
  function next(until: number): (() => void) | null {
    for (let first = heap[0]; first !== undefined && first.moment <= until; first = heap[0]) {
      removeFirst(heap)
      if (first.work === null) continue
      now = first.moment
      return first.work
    }
    return null
  }

  return {
    now: () => now,
    at(moment, work) {
      const entry: Entry = { moment: Math.max(moment, now), order: order++, work }
      insert(heap, entry)
      return {
        cancel() {
          entry.work = null
        },
      }
    },
    done: () => done,
    run: (until) =>
      new Promise((resolve, reject) => {
        let isOver = false
        const turn = (): void => {
          if (isOver) return
          const work = next(until)
          if (work === null) {
            isOver = true
            now = until
            resolve()
            return
          }
          done += 1
          try {
            work()
          } catch (error) {
            isOver = true
            reject(error)
          }
        }
        const turns = (): void => {
          if (isOver) return
          for (let i = 0; i < TURNS; i++) setImmediate(turn)
          setImmediate(turns)
        }
        turns()
      }),
  }
}

const isBefore = (a: Entry, b: Entry): boolean =>
  a.moment < b.moment || (a.moment === b.moment && a.order < b.order)

function insert(heap: Entry[], entry: Entry): void {
  let at = heap.length
  heap.push(entry)
  while (at > 0) {
    const above = (at - 1) >> 1
    const parent = heap[above]
    if (parent === undefined || !isBefore(entry, parent)) break
    heap[at] = parent
    at = above
  }
  heap[at] = entry
}

function removeFirst(heap: Entry[]): void {
  const entry = heap.pop()
  if (entry === undefined || heap.length === 0) return
  let at = 0
  for (;;) {
    const left = heap[2 * at + 1]
    const right = heap[2 * at + 2]
    if (left === undefined) break
    const isRight = right !== undefined && isBefore(right, left)
    const child = isRight ? right : left
    if (!isBefore(child, entry)) break
    heap[at] = child
    at = 2 * at + (isRight ? 2 : 1)
  }
  heap[at] = entry
}
