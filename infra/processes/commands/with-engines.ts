import { withDatabase } from '../../postgres/sql-session.ts'
import { readConfig } from '../config.ts'
import { askForTollgate } from './ask-database.ts'
import { type Engines, connectEngines } from '../engines/engines.ts'
import { eventStoreFailure } from '../engines/wait-for-event-store.ts'
import { openLogger } from '../logger.ts'
import { systemClock } from '../world.ts'

/**
 * Opens the engines for as long as a command takes: those of a running Tollgate, else its own. Nothing is made in them:
 * a database that is not Tollgate's is refused (NotTollgates), one that does not answer is not waited for long.
 */
export async function withEngines<Result>(
  use: (engines: Engines) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(process.env)
  // Problems come as an error at the end; other lines would stand in the way of the table and the bar.
  const logger = openLogger('silent')
  const { databaseUrl, dataDir } = config
  return withDatabase({ databaseUrl, dataDir, logger }, async (url) => {
    await askForTollgate(url)
    const engines = connectEngines(url, config, { clock: systemClock, logger })
    try {
      return await use(engines)
    } catch (error) {
      const { eventStoreUrl } = config
      throw eventStoreUrl === null ? error : await eventStoreFailure(eventStoreUrl, error)
    } finally {
      await engines.close()
    }
  })
}
