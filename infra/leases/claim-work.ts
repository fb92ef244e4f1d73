import type { Claim, ClaimWork, Leases } from '@tollgate/domain/ports/leases.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'

/** A process that was killed keeps others from the work for this long. */
const TTL_MS = 6_000
const RENEW_EVERY_MS = 1_500

export interface ClaimWorkDeps {
  readonly leases: Leases
  readonly clock: Clock
  readonly randomness: Pick<Randomness, 'uuid'>
}

/** Claims over leases, each a member of its own: two claims of one process exclude each other like any other two. */
export const claimWorkOver =
  ({ leases, clock, randomness }: ClaimWorkDeps): ClaimWork =>
  async (name) => {
    const member = randomness.uuid()
    const group = `claim:${name}`
    const round = { group, member, ttlMs: TTL_MS, wanted: [name] }
    const isHeld = async (): Promise<boolean> => (await leases.renew(round)).held.includes(name)
    if (!(await isHeld())) {
      await leases.leave(group, member)
      return null
    }
    return keep(isHeld, () => leases.leave(group, member), clock)
  }

/** Renews until released; what could not be renewed for the leases' time to live is lost. */
function keep(isHeld: () => Promise<boolean>, leave: () => Promise<void>, clock: Clock): Claim {
  const lost = new AbortController()
  const releasing = new AbortController()
  const renewing = (async () => {
    let heldAt = clock.monotonicMs()
    while (!lost.signal.aborted) {
      await clock.sleep(RENEW_EVERY_MS, releasing.signal)
      if (releasing.signal.aborted) return
      const askedAt = clock.monotonicMs()
      const answer = await isHeld().catch(() => null)
      if (answer === true) heldAt = askedAt
      if (answer === false || clock.monotonicMs() - heldAt > TTL_MS) lost.abort()
    }
  })()
  return {
    signal: lost.signal,
    async release() {
      releasing.abort()
      await renewing
      // A lease that is not given back now runs out by itself.
      await leave().catch(() => undefined)
    },
  }
}
