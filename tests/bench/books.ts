import { openPool } from '@tollgate/infra/postgres/pool.ts'
import { systemClock as clock } from '@tollgate/infra/processes/runtime.ts'
import { journal } from '@tollgate/projections/journal/projector.ts'
import { rebuild } from '@tollgate/projections/runner/rebuild.ts'
import { usageLog } from '@tollgate/projections/usage-log/projector.ts'
import { ACCOUNTS, FROM, TO, writeBooks } from './books-log.ts'
import { questionFigures } from './books-questions.ts'
import { replayFigures } from './books-replays.ts'
import { relayBesideReplayFigures } from './relay-beside-replay.ts'
import { type EmbeddedLog, logger, withEmbeddedLog } from './embedded-log.ts'
import { type Figure, whole } from './figures.ts'
import { scaled } from './scale.ts'

const CHARGES = 10_000_000

/**
 * Finance people's questions about a year of ten million charges, beside the limits of the design: each question as its
 * route answers it, at random accounts and moments; replays by the command that operators use, and beside the relay.
 */
export const booksFigures = async (say: (line: string) => void): Promise<Figure[]> => [
  ...(await booksOfAYear(say)),
  ...(await relayBesideReplayFigures(say)),
]

const booksOfAYear = (say: (line: string) => void): Promise<Figure[]> =>
  withEmbeddedLog(async (log) => {
    const charges = scaled(CHARGES)
    const startedAt = performance.now()
    const events = await writeBooks(log, { charges, accounts: ACCOUNTS, from: FROM, to: TO }, say)
    say(`books: ${whole(events)} events after ${seconds(startedAt)} s; projecting`)
    const rates = await build(log, events)
    await log.pool.query('vacuum analyze')
    say(`books: read models built after ${seconds(startedAt)} s; asking`)
    return [
      ...rates,
      ...(await questionFigures(log, { charges, events }, say)),
      ...(await replayFigures(log, say)),
    ]
  })

/** As a projector's process does it. */
async function build({ url, store }: EmbeddedLog, events: number): Promise<Figure[]> {
  const applicationName = 'bench-projections'
  const pool = openPool(url, { max: 6, applicationName, isDurable: false, isPipelined: true })
  try {
    const rates: Figure[] = []
    for (const projector of [journal, usageLog]) {
      const { durationMs } = await rebuild({ store, pool, projector, clock, logger })
      const perSecond = `${whole((events * 1_000) / durationMs)} events/s`
      rates.push({ what: `${projector.name} built`, measured: perSecond, ...NO_TARGET })
    }
    return rates
  } finally {
    await pool.end()
  }
}

const seconds = (startedAt: number): string => whole((performance.now() - startedAt) / 1_000)

const NO_TARGET = { target: '', isReached: null } as const
