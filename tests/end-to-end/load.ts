import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../support/processes.ts'

const CLIENTS = 4
/** A refused client asks again a little later. */
const REFUSED_PAUSE_MS = 200

/** Requests one after the other of a few clients. */
export interface Load<Answer> {
  /** Waits until this many more have been answered well. */
  answered(count: number, timeoutMs?: number): Promise<void>
  /** No further requests. */
  stop(): void
  /** Stops, and says when the last are answered which were served and which refused. */
  end(): Promise<{ readonly served: readonly string[]; readonly refused: readonly Answer[] }>
}

/** Clients that ask until they are ended; 200 is an answer well, everything else a refusal. */
export function startLoad<Answer extends { readonly id: string; readonly status: number }>(
  ask: () => Promise<Answer>,
): Load<Answer> {
  const served: string[] = []
  const refused: Answer[] = []
  const ending = new AbortController()
  const client = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const answer = await ask()
      if (answer.status === 200) served.push(answer.id)
      else {
        refused.push(answer)
        await pause(REFUSED_PAUSE_MS)
      }
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, client))
  return {
    async answered(count, timeoutMs = 30_000) {
      const enough = served.length + count
      await until(`${count} more are answered`, () => served.length >= enough, timeoutMs)
    },
    stop: () => ending.abort(),
    async end() {
      ending.abort()
      await clients
      return { served, refused }
    },
  }
}
