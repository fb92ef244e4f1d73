import type { ChannelCareDeps } from './deps.ts'

/**
 * Work on one channel after the other, with the pause that POLLING_INTERVAL asks for, until the signal aborts. One
 * channel's trouble (or the store's) does not keep the others from their turn: it is logged.
 */
export async function eachChannel(
  { bulkPauseMs, clock, log }: Pick<ChannelCareDeps, 'bulkPauseMs' | 'clock' | 'log'>,
  ids: readonly number[],
  signal: AbortSignal,
  work: (id: number) => Promise<unknown>,
): Promise<void> {
  for (const [index, id] of ids.entries()) {
    if (index > 0 && bulkPauseMs > 0) await clock.sleep(bulkPauseMs, signal)
    if (signal.aborted) return
    try {
      await work(id)
    } catch (err) {
      log.warn({ err, channel: id }, 'a channel could not be looked after')
    }
  }
}
