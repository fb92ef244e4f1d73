import type { LeaseAnswer, Leases } from '@tollgate/domain/ports/leases.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'

/**
 * How processes use a database: `alone` and `embedded` (on the PostgreSQL that the process itself has started) without
 * NATS, one process; `shared` with NATS, any number.
 */
export type DatabaseMode = 'alone' | 'embedded' | 'shared'

/** Names as every version of Tollgate has them. */
const GROUP = 'all-in-one'
const RIGHT = 'everything'
const TTL_MS = 6_000
const RENEW_EVERY_MS = 1_500
/** The lease of a process that was killed has ended by then; one that lives goes on renewing. */
const WAIT_MS = 2 * TTL_MS
const ASK_AGAIN_MS = 500

/** Processes in another mode work on the same database; the message says which, and what to do. */
export class DatabaseInUse extends Error {
  readonly code = 'DATABASE_IN_USE'
  readonly retryable = false
  constructor(message: string) {
    super(message)
    this.name = 'DatabaseInUse'
  }
}

export interface DatabaseLeaseOptions {
  readonly leases: Leases
  readonly mode: DatabaseMode
  /** New at each start. */
  readonly member: string
  readonly clock: Clock
  /** Told once when the lease is another's, before it is waited for. */
  readonly onWaiting: () => void
  readonly onFailure: (error: unknown) => void
}

/** The right to work on a database in one mode. */
export interface DatabaseLease {
  /** Resolves when processes in another mode have the database, as this one stood still for long; else never. */
  readonly lost: Promise<DatabaseInUse>
  stop(): Promise<void>
}

/**
 * Makes sure that no process works on the database in a mode that does not go together with this one, and that it stays
 * so until `stop`. One lease: processes of the mode `shared` hold it together, under one name. A process that was
 * killed a moment ago is waited for; the embedded mode, which its data folder keeps to one process, takes over from its
 * former run at once. Fails with DatabaseInUse.
 */
export async function leaseDatabase(options: DatabaseLeaseOptions): Promise<DatabaseLease> {
  const { leases, mode, clock, onWaiting, onFailure } = options
  const member = mode === 'alone' ? options.member : mode
  const round = { group: GROUP, member, ttlMs: TTL_MS, wanted: [RIGHT] }
  const until = clock.monotonicMs() + WAIT_MS
  for (let attempt = 0; ; attempt++) {
    if (isHeld(await leases.renew(round))) break
    if (clock.monotonicMs() > until) throw new DatabaseInUse(PROBLEMS[mode])
    if (attempt === 0) onWaiting()
    await clock.sleep(ASK_AGAIN_MS)
  }
  const ending = new AbortController()
  const lost = Promise.withResolvers<DatabaseInUse>()
  const renew = async (): Promise<void> => {
    try {
      if (!isHeld(await leases.renew(round))) lost.resolve(new DatabaseInUse(PROBLEMS[mode]))
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
      // The others of a shared lease go on with it; the last one's ends by itself.
      if (mode !== 'shared') await leases.leave(GROUP, member).catch(onFailure)
    },
  }
}

const isHeld = ({ held }: LeaseAnswer): boolean => held.includes(RIGHT)

const PROBLEMS: Readonly<Record<DatabaseMode, string>> = {
  shared:
    'A Tollgate without NATS works on this database, and this process shares its work over NATS. Stop that one, or start it with the same NATS_URL and MASTER_KEY.',
  alone:
    'Another Tollgate works on this database, and this one has no NATS_URL. Stop the other, or set the same NATS_URL and MASTER_KEY for all of them, so that they share the work.',
  embedded:
    'Another Tollgate works on the embedded database of this one, over its address (DATABASE_URL). Stop the other, or set the same NATS_URL and MASTER_KEY for both, so that they share the work.',
}
