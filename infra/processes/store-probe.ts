import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'

/** How long an answer of the event log stands, so that frequent questions cost it nothing. */
const STANDS_MS = 2_000
/** An event log that takes longer than this to say where it ends cannot serve. */
const PATIENCE_MS = 1_500

/** Asks the event log whether it answers; null when it does, else why not. Concurrent questions share one answer. */
export function storeProbe(
  store: Pick<EventStore, 'headPosition'>,
  clock: Pick<Clock, 'monotonicMs'>,
  patienceMs = PATIENCE_MS,
): () => Promise<string | null> {
  let asked: Promise<string | null> | null = null
  let askedAt = 0
  return () => {
    const now = clock.monotonicMs()
    if (asked === null || now - askedAt >= STANDS_MS) {
      askedAt = now
      asked = ask(store, patienceMs)
    }
    return asked
  }
}

async function ask(
  store: Pick<EventStore, 'headPosition'>,
  patienceMs: number,
): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    const text = `the event log did not answer within ${patienceMs} ms`
    timer = setTimeout(() => resolve(text), patienceMs)
  })
  try {
    return await Promise.race([store.headPosition().then(() => null), late])
  } catch (error) {
    return `the event log does not answer: ${error instanceof Error ? error.message : String(error)}`
  } finally {
    clearTimeout(timer)
  }
}
