import type { Config } from '../config.ts'
import { openLogger } from '../logger.ts'
import { masterKey } from '../master-key.ts'
import { type Bus, openBus } from '../composition/compose-bus.ts'

/** Somebody sits in front of it. */
const NATS_WITHIN_MS = 10_000

/** NATS did not come. */
export class NatsUnavailable extends Error {
  readonly code = 'NATS_UNAVAILABLE'
  readonly retryable = true
  constructor() {
    super('NATS at NATS_URL does not answer. Nothing was delivered: start it, and run this again.')
    this.name = 'NatsUnavailable'
  }
}

/** Opens NATS for as long as a command takes; `natsUrl` is set. Fails with NatsUnavailable. */
export async function withBus<Result>(
  config: Config,
  use: (bus: Bus) => Promise<Result>,
): Promise<Result> {
  const { natsUrl, dataDir } = config
  if (natsUrl === null) throw new TypeError('NATS_URL is not set')
  const logger = openLogger('silent')
  const runtime = { logger, stopping: AbortSignal.timeout(NATS_WITHIN_MS) }
  const key = await masterKey(config.masterKey, dataDir)
  const bus = await openBus(
    { ...config, natsUrl, masterKey: key },
    runtime,
    'tollgate command',
  ).catch((error: unknown) => {
    throw runtime.stopping.aborted ? new NatsUnavailable() : error
  })
  try {
    return await use(bus)
  } finally {
    await bus.close()
  }
}
