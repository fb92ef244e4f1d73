import type { Position } from '@tollgate/domain/event.ts'
import type { FollowerStatus } from './follower-progress.ts'

export interface Waiters {
  wait(names: readonly string[], position: Position, timeoutMs: number): Promise<boolean>
  /** To be called whenever a position has grown or a projector has stopped. */
  readonly check: () => void
}

interface Waiter {
  readonly names: readonly string[]
  readonly position: Position
  settle(reached: boolean): void
}

/** Positions that were seen in a log which is no more say nothing of this one's. */
const hasSeen = (status: FollowerStatus, position: Position): boolean =>
  status.position >= position && (status.problem === null || status.poison !== null)

/** Readers who wait for read models to reach a position; `onWait` is called whenever one begins to. */
export function createWaiters(
  statusOf: (name: string) => FollowerStatus | undefined,
  onWait: () => void,
): Waiters {
  const waiting = new Set<Waiter>()

  /** True or false when it is decided, null while it is worth waiting. */
  function outcome({ names, position }: Pick<Waiter, 'names' | 'position'>): boolean | null {
    const statuses = names.map(statusOf)
    if (statuses.every((status) => status !== undefined && hasSeen(status, position))) return true
    const isHopeless = statuses.some(
      (status) => status === undefined || status.state !== 'following',
    )
    return isHopeless ? false : null
  }

  return {
    wait: (names, position, timeoutMs) => {
      const now = outcome({ names, position })
      if (now !== null) return Promise.resolve(now)
      return new Promise((resolve) => {
        const waiter: Waiter = {
          names,
          position,
          settle: (reached) => {
            waiting.delete(waiter)
            clearTimeout(timer)
            resolve(reached)
          },
        }
        const timer = setTimeout(() => waiter.settle(false), timeoutMs)
        waiting.add(waiter)
        onWait()
      })
    },
    check: () => {
      for (const waiter of waiting) {
        const decided = outcome(waiter)
        if (decided !== null) waiter.settle(decided)
      }
    },
  }
}
