import { checkClaims } from '@tollgate/command-api/timelines/log-pair/log-claims.ts'
import { pairTable } from '@tollgate/command-api/timelines/log-pair/pair-table.ts'
import { comparePatiently } from '@tollgate/command-api/timelines/log-pair/pair-up.ts'
import { hasTable } from '@tollgate/projections/runner/has-table.ts'
import { withDatabase } from '../../postgres/sql-session.ts'
import { readConfig } from '../config.ts'
import { askForTollgate } from './ask-database.ts'
import { CONNECTIONS, type Connections, connectEngines, type Engines } from '../engines/engines.ts'
import { eventStoreFailure } from '../engines/wait-for-event-store.ts'
import { openLogger } from '../logger.ts'
import { systemClock } from '../runtime.ts'
import { withRepeatedReads } from './repeated-reads.ts'

/**
 * As `withEngines`, for a command that writes: refused when log and database do not go together (LogMismatch). A database
 * from before pairs is taken as it is.
 */
export const withPairedEngines = <Result>(
  use: (engines: Engines) => Promise<Result>,
): Promise<Result> =>
  withEngines(async (engines) => {
    const { store, db, places } = engines
    if (await hasTable(db, 'ledger.pair')) {
      const pair = { store, table: pairTable(db), places }
      await comparePatiently({ ...pair, clock: systemClock })
      if (!places.isLogInDatabase) await checkClaims(pair)
    }
    return use(engines)
  })

/**
 * Opens the engines for as long as a command takes: those of a running Tollgate, else its own. Nothing is made in them:
 * a database that is not Tollgate's is refused (NotTollgates), one that does not answer is not waited for long.
 */
export async function withEngines<Result>(
  use: (engines: Engines) => Promise<Result>,
  connections: Connections = CONNECTIONS.allInOne,
): Promise<Result> {
  const config = readConfig(process.env)
  // Problems come as an error at the end; other lines would stand in the way of the table and the bar.
  const logger = openLogger('silent')
  const { databaseUrl, dataDir } = config
  return withDatabase({ databaseUrl, dataDir, logger }, async (url) => {
    await askForTollgate(url)
    const engines = await connectEngines(url, config, { clock: systemClock, logger }, connections)
    try {
      const store = withRepeatedReads(engines.store, systemClock)
      return await use({ ...engines, store })
    } catch (error) {
      const { eventStoreUrl } = config
      throw eventStoreUrl === null ? error : await eventStoreFailure(eventStoreUrl, error)
    } finally {
      await engines.close()
    }
  })
}
