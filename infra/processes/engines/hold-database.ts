import {
  type DatabaseInUse,
  type DatabaseMode,
  leaseDatabase,
} from '../../leases/database-lease.ts'
import type { Config } from '../config.ts'
import type { Opening } from '../opening.ts'
import type { Runtime } from '../runtime.ts'
import type { Engines } from './engines.ts'

/** This process's right to work on its database. */
export interface HeldDatabase {
  /** Resolves when the process must end, because processes in another mode have the database. */
  readonly mustEnd: Promise<DatabaseInUse>
  readinessProblem(): string | null
}

/** Takes the database for the mode of this process, as every process must before it does anything there. */
export async function holdDatabase(
  config: Pick<Config, 'natsUrl' | 'databaseUrl'>,
  { clock, logger, randomness }: Pick<Runtime, 'clock' | 'logger' | 'randomness'>,
  { leases }: Pick<Engines, 'leases'>,
  opening: Opening,
): Promise<HeldDatabase> {
  const lease = await leaseDatabase({
    leases,
    mode: modeOf(config),
    member: randomness.uuid(),
    clock,
    onWaiting: () =>
      logger.warn(
        {},
        'database: in use by another Tollgate; waiting 12 s, in case that one was killed',
      ),
    onFailure: (err) => logger.warn({ err }, 'database: the lease was not renewed'),
  })
  let isLost = false
  void lease.lost.then(() => (isLost = true))
  opening.opened(['database lease', () => lease.stop()])
  return {
    mustEnd: lease.lost,
    readinessProblem: () => (isLost ? 'another Tollgate works on this database' : null),
  }
}

function modeOf({ natsUrl, databaseUrl }: Pick<Config, 'natsUrl' | 'databaseUrl'>): DatabaseMode {
  if (natsUrl !== null) return 'shared'
  return databaseUrl === null ? 'embedded' : 'alone'
}
