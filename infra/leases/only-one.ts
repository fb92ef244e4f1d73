import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Leases } from '@tollgate/domain/ports/leases.ts'

const GROUP = 'all-in-one'
const RIGHT = 'everything'
const TTL_MS = 6_000
const RENEW_EVERY_MS = 1_500
/** One that was killed is gone by then; one that lives goes on renewing. */
const WAIT_MS = 2 * TTL_MS
const ASK_AGAIN_MS = 500

/** Another Tollgate that knows nothing of others works on the same database. */
export class NotAlone extends Error {
  readonly code = 'NOT_ALONE'
  readonly retryable = false
  constructor() {
    super(
      'Another Tollgate works on this database. Stop it, or set NATS_URL for both, so that they share the work.',
    )
    this.name = 'NotAlone'
  }
}

export interface OnlyOneOptions {
  readonly leases: Leases
  readonly member: string
  readonly clock: Clock
  readonly onFailure: (error: unknown) => void
}

/** The right to work on a database alone. */
export interface BeingAlone {
  /** Resolves when another has the right, which this process did not renew in time (it stood still); else never. */
  readonly lost: Promise<NotAlone>
  stop(): Promise<void>
}

/**
 * Makes sure that this process is the only one without NATS on its database, and stays so until `stop`. Fails with
 * NotAlone. A process that was killed a moment ago is waited for.
 */
export async function beOnlyOne(options: OnlyOneOptions): Promise<BeingAlone> {
  const { leases, member, clock, onFailure } = options
  const round = { group: GROUP, member, ttlMs: TTL_MS, wanted: [RIGHT] }
  const until = clock.monotonicMs() + WAIT_MS
  while (!(await leases.renew(round)).held.includes(RIGHT)) {
    if (clock.monotonicMs() > until) throw new NotAlone()
    await clock.sleep(ASK_AGAIN_MS)
  }
  const ending = new AbortController()
  const lost = Promise.withResolvers<NotAlone>()
  const renew = async (): Promise<void> => {
    try {
      const { held } = await leases.renew(round)
      if (!held.includes(RIGHT)) lost.resolve(new NotAlone())
    } catch (error) {
      onFailure(error)
    }
  }
  const renewing = (async () => {
    while (!ending.signal.aborted) {
      await clock.sleep(RENEW_EVERY_MS, ending.signal)
      if (!ending.signal.aborted) await renew()
    }
  })()
  return {
    lost: lost.promise,
    async stop() {
      ending.abort()
      await renewing
      await leases.leave(GROUP, member).catch(onFailure)
    },
  }
}
