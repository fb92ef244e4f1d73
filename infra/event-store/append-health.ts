import { StoreUnavailable, WriteDenied } from '@tollgate/domain/ports/event-store.ts'

/** A failed append says this long that the log takes no writes: it is repeated every second while somebody waits for it. */
const FAILURE_STANDS_MS = 3_000
/** A stored append proves for this long that the log takes writes. */
const SUCCESS_STANDS_MS = 5_000

/** The result of a process's last append, so that readiness need not write when others have just written. */
export interface AppendHealth {
  /** Notes how an append ended: null = stored. Conflicts and refusals of its content say nothing of the store. */
  note(error: unknown): void
  /** Why no append succeeds, in words for anybody: the last one that said something failed for the store's sake, lately. */
  problem(): string | null
  /** True when one was stored within the last five seconds. */
  hasJustStored(): boolean
}

/** `now` answers monotonic milliseconds. */
export function appendHealth(now: () => number): AppendHealth {
  let failedAt = Number.NEGATIVE_INFINITY
  let storedAt = Number.NEGATIVE_INFINITY
  let isDenied = false
  return {
    note(error) {
      if (error === null) {
        storedAt = now()
        failedAt = Number.NEGATIVE_INFINITY
      } else if (error instanceof StoreUnavailable) {
        failedAt = now()
        isDenied = error instanceof WriteDenied
      }
    },
    problem() {
      if (now() - failedAt >= FAILURE_STANDS_MS) return null
      return isDenied ? 'EventStoreDB does not let Tollgate write' : 'the event log takes no writes'
    },
    hasJustStored: () => now() - storedAt < SUCCESS_STANDS_MS,
  }
}
