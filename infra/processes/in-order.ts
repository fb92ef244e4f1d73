import type { Logger } from 'pino'

/** One step of stopping, named for the log. */
export type StopStep = readonly [what: string, step: () => Promise<unknown>]

/** Runs every step even when one fails, so that nothing is left running; then throws what failed. */
export async function inOrder(logger: Logger, steps: readonly StopStep[]): Promise<void> {
  const failures: unknown[] = []
  for (const [what, step] of steps) {
    try {
      await step()
    } catch (err) {
      logger.error({ err }, `stopping failed: ${what}`)
      failures.push(err)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'it did not stop cleanly')
}
