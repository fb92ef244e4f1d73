import { z } from 'zod'
import { SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import { type ApiRoute, failure, route } from '../http-contract/api-route.ts'
import { settingsDecider } from '@tollgate/domain/settings/decider.ts'
import { causeOf } from '../http/cause.ts'
import { queryInt } from '../http/query.ts'
import { type AggregateWriter, executeOn } from '../aggregates/aggregate.ts'

export interface LogRouteDeps extends AggregateWriter {
  /** Log rows before a moment in unix milliseconds, as the read model has them. */
  readonly countLogRowsBefore: (before: number) => Promise<number>
}

/** Clearing the usage log (console-api 2.10): an event; rows leave the read model, the ledger keeps everything. */
export const logRoutes = (deps: LogRouteDeps): readonly ApiRoute[] => [
  route({
    method: 'DELETE',
    path: '/api/log',
    access: 'admin',
    summary: 'Clear log rows before target_timestamp (unix seconds); answers how many',
    query: z.object({
      target_timestamp: queryInt().meta({
        description: 'Rows before this moment are cleared, in unix seconds',
        minimum: 1,
      }),
    }),
    answer: { data: z.int() },
    example: { query: { target_timestamp: '1770120000' }, data: 1_250 },
    handle: async (request) => {
      const seconds = request.query.target_timestamp
      if (seconds <= 0) return failure('请选择日志记录时间')
      const before = seconds * 1000
      if (before > deps.clock.now()) return failure('日志清理时间不能晚于当前时间')
      const count = await deps.countLogRowsBefore(before)
      const outcome = await executeOn(
        deps,
        {
          stream: SETTINGS_STREAM,
          decider: settingsDecider,
          command: { type: 'ClearLogs', before },
        },
        causeOf(request),
      )
      return outcome.status === 'rejected'
        ? failure(outcome.rejection.message)
        : { data: count, wrote: outcome.position }
    },
  }),
]
