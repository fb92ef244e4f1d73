import { logId } from '@tollgate/domain/ids.ts'
import type { LogMark, LogView } from '@tollgate/domain/timeline/log-view.ts'
import type { Timelines } from '@tollgate/domain/timeline/timelines.ts'

/** A log that was never put back, for tests that are not about that. */
export const exampleTimelines: Timelines = [
  {
    log: logId('0b0e5f0c-7f0e-4f0a-9d3c-2a1f5be0f001'),
    openedAt: 0,
    position: 0,
    cause: 'first-start',
  },
]

/** The mark of a process that has seen that log up to a position. */
export const exampleMark = (position: number): LogMark => ({
  log: exampleTimelines[0].log,
  openedAt: 0,
  position,
  hash: `hash-${position}`,
  stream: 'account-1',
  revision: position,
})

/** The same log as a process sees that has no reason to distrust it. */
export const exampleLogView: LogView = {
  log: exampleTimelines[0].log,
  mark: () => null,
  isTrusted: () => true,
  learn: () => undefined,
  hear: () => undefined,
}
