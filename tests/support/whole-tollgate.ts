import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '@tollgate/infra/processes/config.ts'
import { openLogger } from '@tollgate/infra/processes/logger.ts'
import { startTollgate, type Tollgate } from '@tollgate/infra/processes/tollgate.ts'
import {
  systemClock,
  systemEntropy,
  systemRandomness,
  type Runtime,
} from '@tollgate/infra/processes/runtime.ts'
import { ConsoleClient } from './console-client.ts'
import { createMigratedDatabase, type TestDatabase } from './engines/database.ts'

/** All of Tollgate in this very process, set up, on a database of its own. */
export interface WholeTollgate {
  readonly tollgate: Tollgate
  readonly database: TestDatabase
  /** Signed in as `root` with PASSWORD. */
  readonly root: ConsoleClient
  stop(): Promise<void>
}

/** Password of every user that these tests make. */
export const PASSWORD = 'long-enough-1'

export interface WholeOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly runtime?: Partial<Runtime>
}

/** Starts Tollgate, sets it up and signs in as root; `world` replaces parts of the real clock, chance and log. */
export async function startWholeTollgate({
  env = {},
  runtime = {},
}: WholeOptions = {}): Promise<WholeTollgate> {
  const database = await createMigratedDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-whole-'))
  const config = readConfig({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PORT: '0',
    // Tests ask more often than people, all from one address.
    GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
    GLOBAL_WEB_RATE_LIMIT_ENABLE: 'false',
    MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    ...env,
  })
  const tollgate = await startTollgate(config, {
    clock: systemClock,
    randomness: systemRandomness,
    entropy: systemEntropy,
    logger: openLogger('silent'),
    ...runtime,
  })
  const root = new ConsoleClient(tollgate.url)
  await root.setUp('root', PASSWORD)
  await root.logIn('root', PASSWORD)
  return {
    tollgate,
    database,
    root,
    async stop() {
      await tollgate.stop()
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
