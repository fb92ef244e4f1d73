import { within } from './within.ts'

/** Work that is done again and again in the background. */
export interface Repeating {
  /**
   * No further run; resolves when the one under way has ended, or when an engine that is unavailable keeps it for long.
   */
  stop(): Promise<void>
}

/** Work takes milliseconds unless an engine does not answer, and the rest of the process has to stop as well. */
const STOP_WITHIN_MS = 2_000

/** Does `work` every `everyMs`, one run at a time: a moment that comes while one is under way is passed over. */
export function repeating(
  everyMs: number,
  work: () => Promise<unknown>,
  onFailure: (error: unknown) => void,
): Repeating {
  let running: Promise<unknown> | null = null
  const timer = setInterval(() => {
    running ??= work()
      .catch(onFailure)
      .finally(() => {
        running = null
      })
  }, everyMs).unref()
  return {
    async stop() {
      clearInterval(timer)
      if (running !== null) await within(running, STOP_WITHIN_MS)
    },
  }
}
