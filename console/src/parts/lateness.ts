import type { Freshness } from '../core/status.ts'

/** From this many milliseconds behind the log on, the figures in view are marked as late (the design, principle 2). */
const LATE_MS = 2000

/** Up to which position all read models have seen the log, and whether one of them is late, stopped or outdated. */
export function latenessOf({
  head,
  read_models: models,
}: Pick<Freshness, 'head' | 'read_models'>): {
  readonly position: number
  readonly isLate: boolean
} {
  return {
    position: Math.min(head, ...models.map((model) => model.position)),
    // The delay is that of the newest event: it says nothing once everything has been seen.
    isLate: models.some(
      (model) =>
        (model.position < head && (model.delay_ms ?? 0) > LATE_MS) ||
        model.stopped_at !== null ||
        model.state === 'outdated',
    ),
  }
}
