import closeWithGrace from 'close-with-grace'
import { ConfigInvalid, readConfig } from './config.ts'
import { openLogger } from './logger.ts'
import { STOP_MS, startTollgate } from './tollgate.ts'
import { systemClock, systemEntropy, systemRandomness } from './world.ts'

/** `npm start`: everything in one process, embedded unless the environment says otherwise. */

try {
  const config = readConfig(process.env)
  const logger = openLogger(config.logLevel)
  const world = { clock: systemClock, randomness: systemRandomness, entropy: systemEntropy, logger }
  const tollgate = await startTollgate(config, world)
  process.stdout.write(`Tollgate is ready at ${tollgate.url}\n`)
  closeWithGrace({ delay: STOP_MS, logger }, async ({ err }) => {
    if (err !== undefined) logger.fatal({ err }, 'stopping after an unexpected error')
    await tollgate.stop()
  })
} catch (error) {
  process.stderr.write(`Tollgate cannot start.\n${reasonOf(error)}\n`)
  process.exit(1)
}

/** What a person can act upon stands alone; the unexpected comes with its trace. */
function reasonOf(error: unknown): string {
  if (error instanceof ConfigInvalid) return error.message
  if (error instanceof Error && 'code' in error && 'retryable' in error) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
