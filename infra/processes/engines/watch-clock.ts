import type { Pool } from 'pg'
import { type ClockWatch, watchClock } from '../../leases/clock-watch.ts'
import { type Repeating, repeating } from '../timers/repeating.ts'
import type { Runtime } from '../runtime.ts'

/** Often enough that an owner whose clock has stepped dates a few seconds' events at most before it is not ready. */
const MEASURE_MS = 5_000

/** Compares this process's clock with the others' every few seconds until it is stopped; each change is logged. */
export async function startClockWatch(
  pool: Pool,
  { clock, randomness, logger }: Runtime,
): Promise<Pick<ClockWatch, 'problem'> & Repeating> {
  const watch = watchClock({ pool, clock, member: randomness.uuid() })
  let told: string | null = null
  const measure = async (): Promise<void> => {
    await watch.measure()
    const problem = watch.problem()
    if ((problem === null) === (told === null)) return
    told = problem
    if (problem === null) logger.info('clock: agrees with the other processes again')
    else logger.error(`clock: ${problem}`)
  }
  const onFailure = (err: unknown): void =>
    logger.warn(
      { err },
      'clock: not compared, as PostgreSQL did not answer; the last result stands',
    )
  await measure().catch(onFailure)
  const measuring = repeating(MEASURE_MS, measure, onFailure)
  return { problem: () => watch.problem(), stop: () => measuring.stop() }
}
