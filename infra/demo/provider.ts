import { setTimeout as sleep } from 'node:timers/promises'
import type { Timeline } from './demo-clock.ts'
import type { PlannedRequest } from './history.ts'
import { DYING_KEY, RESERVE_KEY } from './people.ts'
import type { StandInUpstream } from './stand-in-upstream.ts'
import { startStandInUpstream } from './stand-in-upstream.ts'

/** A planned request under way, and the time it lives in. */
export interface Flight {
  readonly plan: PlannedRequest
  readonly timeline: Timeline
  /** False once the key of one channel has been withdrawn. */
  readonly isDyingKeyValid: boolean
}

/** The demo's provider, and how to tell it which planned request is which. */
export interface Provider {
  readonly upstream: StandInUpstream
  /** Value for the request's `user` field, by which the provider recognises it. */
  begin(flight: Flight): string
  end(user: string): void
}

/** Answers to requests that nobody planned, of visitors who try the demo out. */
const FOR_VISITORS = { firstByteMs: 300, perTokenMs: 15 } as const

/** Starts a provider that takes the time and fails in the way that each request's plan says. */
export async function startProvider(): Promise<Provider> {
  const flights = new Map<string, Flight>()
  let begun = 0
  const flightOf = (body: string): Flight | undefined =>
    flights.get(/"user":"(demo-\d+)"/u.exec(body)?.[1] ?? '')
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
      if (flight) flight.timeline.elapsedMs += durationMs
      else await sleep(durationMs)
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
      const user = `demo-${++begun}`
      flights.set(user, flight)
      return user
    },
    end: (user) => void flights.delete(user),
  }
}
