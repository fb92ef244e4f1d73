import type { Position } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { SingleBar } from 'cli-progress'

/** How far a walk through the log is. */
export interface LogProgress {
  readonly events: number
  readonly position: Position
  /** Where the walk ends. */
  readonly head: Position
}

/** Shows how far `work` is on stderr, so that its result can be piped; every five seconds where nobody watches. */
export async function withProgressBar<Result>(
  title: string,
  clock: Pick<Clock, 'monotonicMs'>,
  work: (onProgress: (progress: LogProgress) => void) => Promise<Result>,
): Promise<Result> {
  const bar = new SingleBar({
    format: `${title} {bar} {percentage}% | {events} events | {rate}/s`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    stream: process.stderr,
    noTTYOutput: true,
    notTTYSchedule: 5_000,
  })
  const startedMs = clock.monotonicMs()
  bar.start(1, 0, { events: 0, rate: 0 })
  try {
    return await work(({ events, position, head }) => {
      const rate = Math.round((events * 1000) / Math.max(1, clock.monotonicMs() - startedMs))
      bar.setTotal(Math.max(1, head))
      bar.update(Math.min(position, head), { events, rate })
    })
  } finally {
    bar.stop()
  }
}
