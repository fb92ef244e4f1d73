import { setTimeout as sleep } from 'node:timers/promises'
import type { Timeline } from './demo-clock.ts'
import type { PlannedRequest } from './history.ts'
import { DYING_KEY, RESERVE_KEY } from './people.ts'
import type { StandInUpstream } from './stand-in-upstream.ts'
import { startStandInUpstream } from './stand-in-upstream.ts'

/** A planned request under way, and the time it lives in. */
interface Flight {
  readonly plan: PlannedRequest
  readonly timeline: Timeline
  /** False once the key of one channel has been withdrawn. */
  readonly isDyingKeyValid: boolean
  /** How often upstream has taken its time for it. */
  waits: number
}

/** The demo's provider, and how to tell it which planned request is which. */
export interface Provider {
  readonly upstream: StandInUpstream
  /**
   * A mark (`[demo-17]`) for the request's prompt, by which the provider recognises it. Only the prompt reaches every
   * type of channel: the relay leaves out members such as `user` for providers that refuse them.
   */
  begin(flight: Omit<Flight, 'waits'>): string
  end(mark: string): void
}

/** Answers to requests that nobody planned, of visitors who try the demo out. */
const FOR_VISITORS = { firstByteMs: 300, perTokenMs: 15 } as const

/** Real milliseconds from the provider's socket to the relay's, on a busy machine. */
const FIRST_CHUNK_TRAVELS_MS = 5

/** Starts a provider that takes the time and fails in the way that each request's plan says. */
export async function startProvider(): Promise<Provider> {
  const flights = new Map<string, Flight>()
  let begun = 0
  const flightOf = (body: string): Flight | undefined =>
    flights.get(/\[demo-\d+\]/u.exec(body)?.[0] ?? '')
  const upstream = await startStandInUpstream({
    remembers: false,
    answerTokens: 120,
    fillsLimit: true,
    tokensPerChunk: 12,
    // A connection belongs to the timeline of the request that opened it: none is shared, so that none is mistaken.
    requestsPerConnection: 1,
    latency: (_call, body) => flightOf(body)?.plan ?? FOR_VISITORS,
    wait: async (durationMs, body) => {
      const flight = flightOf(body)
      if (flight === undefined) return sleep(durationMs)
      // The first chunk has to be seen before the rest of the answer's time has passed.
      if (++flight.waits === 2) await sleep(FIRST_CHUNK_TRAVELS_MS)
      flight.timeline.elapsedMs += durationMs
    },
    behaviour: ({ key, body }) => {
      const flight = flightOf(body)
      if (flight === undefined) return null
      if (key === DYING_KEY && !flight.isDyingKeyValid) return 'invalid-key'
      return key === RESERVE_KEY ? null : flight.plan.failure
    },
  })
  return {
    upstream,
    begin: (flight) => {
      const mark = `[demo-${++begun}]`
      flights.set(mark, { ...flight, waits: 0 })
      return mark
    },
    end: (mark) => void flights.delete(mark),
  }
}
