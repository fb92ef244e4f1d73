import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { ReadDenied, StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import type { AuditableEventStore } from '../../event-store/auditable-store.ts'
import { backOffMs } from '@tollgate/domain/kernel/back-off.ts'

/** An election takes ten seconds, a node that starts again thirty. */
const PATIENCE_MS = 60_000

/**
 * The log for a run of minutes: a page that was not answered is asked for again, for up to a minute. A log that has
 * answered nothing yet is not waited for.
 */
export function withRepeatedReads<Store extends AuditableEventStore>(
  store: Store,
  clock: Pick<Clock, 'monotonicMs' | 'sleep'>,
  patienceMs = PATIENCE_MS,
): Store {
  let hasAnswered = false

  async function again<Page>(read: () => Promise<Page>): Promise<Page> {
    const until = clock.monotonicMs() + patienceMs
    for (let failures = 1; ; failures += 1) {
      try {
        const page = await read()
        hasAnswered = true
        return page
      } catch (error) {
        const isRetryableRead = error instanceof StoreUnavailable && !(error instanceof ReadDenied)
        if (!isRetryableRead || !hasAnswered || clock.monotonicMs() >= until) throw error
        await clock.sleep(backOffMs(failures))
      }
    }
  }

  const readBare = store.readBare?.bind(store)
  const readColumns = store.readColumns?.bind(store)
  return {
    ...store,
    readAll: (...args) => again(() => store.readAll(...args)),
    readStoredLog: (...args) => again(() => store.readStoredLog(...args)),
    headPosition: () => again(() => store.headPosition()),
    ...(readBare === undefined
      ? {}
      : { readBare: (...args: Parameters<typeof readBare>) => again(() => readBare(...args)) }),
    ...(readColumns === undefined
      ? {}
      : {
          readColumns: (...args: Parameters<typeof readColumns>) =>
            again(() => readColumns(...args)),
        }),
  }
}
