import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { Pool } from 'pg'

/** A process's wall clock beside those of the other processes on one database. */
export interface ClockWatch {
  /** Why this process must not date events; null while its clock agrees with the others'. */
  problem(): string | null
  /** Measures now; otherwise every few seconds. Fails when PostgreSQL does not answer. */
  measure(): Promise<void>
}

export interface ClockWatchOptions {
  readonly pool: Pick<Pool, 'query'>
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>
  /** Id of this run of the process. */
  readonly member: string
}

/** More than time services leave: events of two owners would be dated in another order than they happened. */
export const SKEW_MAX_MS = 1_000
/** An answer that took longer says too little of the moment at which the database looked at its clock. */
const ANSWER_MAX_MS = 500
/** A process that has not measured for so long is gone: three measurements. */
const ALIVE_SECONDS = 15

/**
 * Compares wall clocks through PostgreSQL: each process notes how far its own is ahead of the database's. The
 * database's clock itself need not be right, it only carries the comparison; the middle of all notes is taken for the
 * time. When two disagree, the one nearer to the database's clock is believed; a process alone agrees with itself.
 */
export function watchClock({ pool, clock, member }: ClockWatchOptions): ClockWatch {
  let skewMs = 0

  async function measure(): Promise<void> {
    const askedMs = clock.monotonicMs()
    const { rows } = await pool.query<{ ms: string }>(
      `select (extract(epoch from clock_timestamp()) * 1000)::text as ms`,
    )
    const tookMs = clock.monotonicMs() - askedMs
    if (tookMs > ANSWER_MAX_MS) return
    const aheadMs = Math.round(clock.now() - tookMs / 2 - Number(rows[0]?.ms))
    const { rows: noted } = await pool.query<{ ahead_ms: number | string }>(
      `with own as (
         insert into coordination.clocks (member, ahead_ms, measured_at) values ($1, $2, clock_timestamp())
         on conflict (member) do update set ahead_ms = excluded.ahead_ms, measured_at = excluded.measured_at
       ), gone as (
         delete from coordination.clocks where measured_at < clock_timestamp() - interval '1 hour'
       )
       select ahead_ms from coordination.clocks
       where member <> $1 and measured_at > clock_timestamp() - make_interval(secs => $3)`,
      [member, aheadMs, ALIVE_SECONDS],
    )
    skewMs = aheadMs - middleOf([aheadMs, ...noted.map((row) => Number(row.ahead_ms))])
  }

  return {
    measure,
    problem() {
      if (Math.abs(skewMs) <= SKEW_MAX_MS) return null
      const seconds = (Math.abs(skewMs) / 1000).toFixed(1)
      return `the clock of this process is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the other processes' clocks; set it by NTP`
    },
  }
}

/** The median; of an even number the one of the middle two that is nearer to zero. */
function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? 0
  const lower = sorted[sorted.length % 2 === 0 ? half - 1 : half] ?? upper
  return Math.abs(lower) <= Math.abs(upper) ? lower : upper
}
