import { type Config, ConfigInvalid } from '../config.ts'

/**
 * The settings that a process needs which is one of several: engines that all of them reach, and the key to their
 * secrets.
 */
export interface SharedEnginesConfig extends Config {
  readonly databaseUrl: string
  readonly natsUrl: string
  readonly masterKey: Buffer
}

/** Checks that nothing would be embedded in this process alone; throws ConfigInvalid with everything that is missing. */
export function withSharedEngines(config: Config): SharedEnginesConfig {
  const { databaseUrl, natsUrl, masterKey } = config
  if (databaseUrl !== null && natsUrl !== null && masterKey !== null) {
    return { ...config, databaseUrl, natsUrl, masterKey }
  }
  const missing = [
    databaseUrl === null &&
      'DATABASE_URL is needed: all processes work on one PostgreSQL. Example: DATABASE_URL=postgres://tollgate:secret@127.0.0.1:5432/tollgate',
    natsUrl === null &&
      'NATS_URL is needed: relays and ledger talk over NATS. Example: NATS_URL=nats://127.0.0.1:4222',
    masterKey === null &&
      'MASTER_KEY is needed: all processes open the same secrets. Example: MASTER_KEY=the output of: openssl rand -base64 32',
  ]
  throw new ConfigInvalid([
    ...missing.filter((problem) => problem !== false),
    'For everything in one process, on engines of its own, run: npm start',
  ])
}
