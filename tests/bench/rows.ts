import { openPool } from '@tollgate/infra/postgres/pool.ts'
import { openTypedQueries } from '@tollgate/infra/postgres/typed-queries.ts'
import { systemClock as clock } from '@tollgate/infra/processes/runtime.ts'
import { dashboard } from '@tollgate/projections/dashboard/projector.ts'
import { rebuild } from '@tollgate/projections/runner/rebuild.ts'
import { usageLog } from '@tollgate/projections/usage-log/projector.ts'
import { ACCOUNTS, FROM, writeBooks } from './books-log.ts'
import { type EmbeddedLog, logger, withEmbeddedLog } from './embedded-log.ts'
import { type Figure, whole } from './figures.ts'
import { rowQuestionFigures } from './rows-questions.ts'
import { scaled } from './scale.ts'

const CHARGES = 10_000_000
const DAYS = 110

/**
 * Answers of the log and the dashboard over ten million rows of 110 days and 5,000 unevenly busy users, beside
 * the limits of the design, and what a request takes on disk: `BENCH_SCALE=0.1 npm run bench -- rows` for a million.
 */
export const rowsFigures = (say: (line: string) => void): Promise<Figure[]> =>
  withEmbeddedLog(async (log) => {
    const charges = scaled(CHARGES)
    const to = FROM + DAYS * 86_400_000
    const events = await writeBooks(log, { charges, accounts: ACCOUNTS, from: FROM, to }, say)
    say(`rows: ${whole(events)} events written; projecting`)
    const rates = await build(log, events)
    await log.pool.query('vacuum analyze')
    return [
      ...rates,
      ...(await bytesFigures(log, charges)),
      ...(await rowQuestionFigures(await openTypedQueries(log.pool), to, say)),
    ]
  })

/** As a projector's process does it. */
async function build({ url, store }: EmbeddedLog, events: number): Promise<Figure[]> {
  const applicationName = 'bench-projections'
  const pool = openPool(url, { max: 6, applicationName, isDurable: false, isPipelined: true })
  try {
    const rates: Figure[] = []
    for (const projector of [usageLog, dashboard]) {
      const { durationMs } = await rebuild({ store, pool, projector, clock, logger })
      const perEvent = ((durationMs * 1_000) / events).toFixed(1)
      rates.push(untargeted(`${projector.name} built`, `${perEvent} µs an event`))
    }
    return rates
  } finally {
    await pool.end()
  }
}

/** Bytes on disk, indexes included, by schema and table; partitions count as the table that they are of. */
async function bytesFigures({ pool }: EmbeddedLog, charges: number): Promise<Figure[]> {
  const { rows } = await pool.query<{ name: string; bytes: number }>(
    `select nspname || '.' || regexp_replace(relname, '_\\d{4}_\\d\\d$', '') as name,
            sum(pg_total_relation_size(c.oid))::bigint as bytes
     from pg_class c join pg_namespace n on n.oid = relnamespace
     where relkind = 'r' and nspname in ('ledger', 'usage_log', 'dashboard')
     group by 1 having sum(pg_total_relation_size(c.oid)) >= $1 order by 2 desc`,
    [charges],
  )
  return rows.map(({ name, bytes }) =>
    untargeted(`${name} on disk`, `${(bytes / charges).toFixed(0)} bytes a request`),
  )
}

const untargeted = (what: string, measured: string): Figure => ({
  what,
  measured,
  target: '',
  isReached: null,
})
