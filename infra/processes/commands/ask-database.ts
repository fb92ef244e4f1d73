import { openPool } from '../../postgres/pool.ts'
import { waitForDatabase } from '../engines/wait-for-database.ts'
import { openLogger } from '../logger.ts'
import { systemClock } from '../runtime.ts'

/** Somebody sits in front of it: long enough for a PostgreSQL that comes back from a restart. */
const PATIENCE_MS = 5_000

/** There is a database, and it is not Tollgate's. */
class NotTollgates extends Error {
  readonly code = 'NOT_TOLLGATES'
  readonly retryable = false
  constructor(name: string) {
    super(
      `there is no Tollgate in this database (${name} has no ledger.events): set DATABASE_URL or DATA_DIR to what Tollgate runs with, or start Tollgate there once`,
    )
    this.name = 'NotTollgates'
  }
}

/** Makes sure that PostgreSQL answers and lets us in. Fails with DatabaseUnavailable and DatabaseRefused. */
export async function askDatabase(url: string): Promise<void> {
  await ask(url)
}

/** Makes sure, and changes nothing, that a Tollgate has been at work in the database. Fails with NotTollgates, too. */
export async function askForTollgate(url: string): Promise<void> {
  const { name, isTollgates } = await ask(url)
  if (!isTollgates) throw new NotTollgates(name)
}

async function ask(url: string): Promise<{ name: string; isTollgates: boolean }> {
  let answer = { name: '', isTollgates: false }
  const pool = openPool(url, { max: 1, applicationName: 'tollgate-command' })
  const runtime = { clock: systemClock, logger: openLogger('silent') }
  try {
    await waitForDatabase(
      url,
      async () => {
        const { rows } = await pool.query<typeof answer>(
          `select current_database() as name, to_regclass('ledger.events') is not null as "isTollgates"`,
        )
        answer = rows[0] ?? answer
      },
      runtime,
      PATIENCE_MS,
    )
    return answer
  } finally {
    await pool.end()
  }
}
