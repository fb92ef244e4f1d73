import type { Position } from '@tollgate/domain/event.ts'
import { type ApiRoute, route } from '@tollgate/command-api/http-contract/api-route.ts'
import { z } from 'zod'
import type { RunnerStatus } from './runner.ts'

export interface FreshnessDeps {
  readonly status: () => RunnerStatus
  /** Position of the newest event of the log. */
  readonly headPosition: () => Promise<Position>
  /** Unix milliseconds. */
  readonly now: () => number
}

const freshnessAnswer = z.strictObject({
  as_of: z.int(),
  head: z.int(),
  is_caught_up: z.boolean(),
  read_models: z.array(
    z.strictObject({
      name: z.string(),
      position: z.int(),
      state: z.enum(['following', 'stopped', 'outdated']),
      delay_ms: z.number().nullable(),
      stopped_at: z.int().nullable(),
    }),
  ),
})
const EXAMPLE_FRESHNESS: z.output<typeof freshnessAnswer> = {
  as_of: Date.UTC(2026, 1, 3, 12),
  head: 1_204,
  is_caught_up: true,
  read_models: [
    { name: 'balances', position: 1_204, state: 'following', delay_ms: 0, stopped_at: null },
  ],
}

/** How far the read models are behind the log, for the mark beside every view. */
export const freshnessRoutes = (deps: FreshnessDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/freshness',
    access: 'user',
    summary: 'How far each read model has followed the log',
    answer: { data: freshnessAnswer },
    example: { data: EXAMPLE_FRESHNESS },
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
