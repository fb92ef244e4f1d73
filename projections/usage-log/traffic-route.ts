import { type ApiRoute, route } from '@tollgate/command-api/http-contract/api-route.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { countsOverAll } from './filter.ts'
import { CONSUMPTION } from './row.ts'
import { HOUR_SECONDS } from './sums.ts'

const HOURS = 24

/** Requests by channel of the last day: an administrator should know them before channels are switched off. */
export const trafficRoute = (deps: {
  readonly reads: CommonQueryMethods
  readonly clock: Clock
}): ApiRoute =>
  route({
    method: 'GET',
    path: '/api/channel/traffic',
    access: 'admin',
    summary: 'Charged requests by channel since the beginning of the hour 24 hours ago',
    reads: ['usage-log'],
    answer: {
      data: z.object({
        /** Unix seconds. */
        since: z.int(),
        requests: z.int(),
        channels: z.array(z.object({ id: z.int(), requests: z.int() })),
      }),
    },
    example: {
      data: { since: 1_770_033_600, requests: 1_240, channels: [{ id: 3, requests: 508 }] },
    },
    handle: async () => {
      const now = Math.floor(deps.clock.now() / 1000)
      const since = now - (now % HOUR_SECONDS) - HOURS * HOUR_SECONDS
      const channels = await requestsByChannel(deps.reads, since)
      const requests = channels.reduce((sum, channel) => sum + channel.requests, 0)
      return { data: { since, requests, channels } }
    },
  })

const channelRequests = z.object({ id: z.number(), requests: z.number() })

async function requestsByChannel(reads: CommonQueryMethods, since: number) {
  // Tests of channels are consumption that charges nobody, and the only one in no group.
  const { table, start } = await countsOverAll(reads, ['channel', 'group_name'])
  return reads.any(sql.type(channelRequests)`
    select channel as id, sum(count)::bigint as requests from ${table}
    where ${start} >= ${since} and type = ${CONSUMPTION} and group_name <> ''
    group by channel order by requests desc, channel`)
}
