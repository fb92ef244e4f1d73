import type { Position } from '@tollgate/domain/event.ts'
import { type ApiRoute, route } from '@tollgate/domain/ports/api-route.ts'
import type { RunnerStatus } from './runner.ts'

export interface FreshnessDeps {
  readonly status: () => RunnerStatus
  /** Position of the newest event of the log. */
  readonly headPosition: () => Promise<Position>
  /** Unix milliseconds. */
  readonly now: () => number
}

/** How far the read models are behind the log, for the mark beside every view. */
export const freshnessRoutes = (deps: FreshnessDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/freshness',
    access: 'user',
    summary: 'How far each read model has followed the log',
    handle: async () => {
      const head = await deps.headPosition()
      const { projectors, isCaughtUp } = deps.status()
      return {
        data: {
          as_of: deps.now(),
          head,
          is_caught_up: isCaughtUp,
          read_models: projectors.map(({ name, position, state, delayMs, poison }) => ({
            name,
            position,
            state,
            delay_ms: delayMs,
            stopped_at: poison?.position ?? null,
          })),
        },
      }
    },
  }),
]
