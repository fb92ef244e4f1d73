import { setTimeout as sleep } from 'node:timers/promises'

const QUIET_MS = 200

/**
 * Resolves once a count has not moved for a while. For tests of things that stop by themselves: no event tells that
 * nothing more comes, so that here the wait is the proof.
 */
export async function untilQuiet(count: () => number): Promise<void> {
  for (let before = -1; before !== count();) {
    before = count()
    await sleep(QUIET_MS)
  }
}
