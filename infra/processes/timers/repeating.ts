/** Work that is done again and again in the background. */
export interface Repeating {
  /** No further run; resolves when the one under way has ended. */
  stop(): Promise<void>
}

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
      await running
    },
  }
}
