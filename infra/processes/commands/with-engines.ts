import { withDatabase } from '../../postgres/sql-session.ts'
import { readConfig } from '../config.ts'
import { type Engines, openEngines } from '../engines/engines.ts'
import { openLogger } from '../logger.ts'
import { systemClock, systemEntropy, systemRandomness } from '../world.ts'

/** Opens the engines for as long as a command takes: those of a running Tollgate, else its own. */
export async function withEngines<Result>(
  use: (engines: Engines) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(process.env)
  // Problems come as an error at the end; other lines would stand in the way of the table and the bar.
  const logger = openLogger('silent')
  const world = { clock: systemClock, randomness: systemRandomness, entropy: systemEntropy, logger }
  const { databaseUrl, dataDir } = config
  return withDatabase({ databaseUrl, dataDir, logger }, async (url) => {
    const engines = await openEngines({ ...config, databaseUrl: url }, world)
    try {
      return await use(engines)
    } finally {
      await engines.close()
    }
  })
}
