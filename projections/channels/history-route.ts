import { type ApiRoute, failure, route } from '@tollgate/command-api/http-contract/api-route.ts'
import { CSV_BATCH_ROWS } from '@tollgate/command-api/http-contract/csv-batches.ts'
import type { CommonQueryMethods } from 'slonik'
import { z } from 'zod'
import { distinctIds, type Names } from '../http/names.ts'
import { idInPath, queryInt } from '../http/query.ts'
import { type StateRow, STATES, statesBefore } from './states.ts'

export interface ChannelHistoryDeps {
  readonly reads: CommonQueryMethods
  readonly names: Pick<Names, 'users'>
}

const READS = ['channels'] as const
const ITEMS_DEFAULT = 20
const ITEMS_MOST = 100

/** When a channel went in and out of service, by whom and why; of deleted channels too. */
export const channelHistoryRoute = ({ reads, names }: ChannelHistoryDeps): ApiRoute =>
  route({
    method: 'GET',
    path: '/api/channel/:id/history',
    access: 'admin',
    summary: 'Changes of a channel’s state, newest first; next_before continues',
    reads: READS,
    params: idInPath('Id of the channel'),
    query: z.object({
      before: queryInt().describe('The next_before of the part before; 0 = from the newest'),
      limit: queryInt().meta({
        description: `Changes of an answer, at most ${ITEMS_MOST}: more is read as ${ITEMS_MOST}`,
        default: ITEMS_DEFAULT,
      }),
    }),
    answer: {
      data: z.strictObject({ items: z.array(CHANGE), next_before: z.int().nullable() }),
    },
    example: {
      params: { id: '3' },
      query: { limit: '20' },
      data: { items: [EXAMPLE_CHANGE], next_before: null },
    },
    csv: {
      name: 'channel-changes',
      columns: Object.keys(CHANGE.shape),
      async refusal({ params: { id } }) {
        const [newest] = await statesBefore(reads, id, null, 1)
        return newest === undefined ? failure(NOT_FOUND) : null
      },
      async *batches({ params }) {
        let before: number | null = null
        do {
          const rows = await statesBefore(reads, params.id, before, CSV_BATCH_ROWS)
          yield await changesOf(names, rows)
          before = rows.length < CSV_BATCH_ROWS ? null : (rows.at(-1)?.revision ?? null)
        } while (before !== null)
      },
    },
    handle: async ({ params, query }) => {
      const from = query.before > 0 ? query.before : null
      const limit = Math.min(query.limit > 0 ? query.limit : ITEMS_DEFAULT, ITEMS_MOST)
      const rows = await statesBefore(reads, params.id, from, limit + 1)
      if (from === null && rows.length === 0) return failure(NOT_FOUND)
      const items = await changesOf(names, rows.slice(0, limit))
      const isLast = rows.length <= limit
      return { data: { items, next_before: isLast ? null : (items.at(-1)?.revision ?? null) } }
    },
  })

/** A channel that was ever added has a change at least. */
const NOT_FOUND = 'record not found'

/** A change of a channel's state as answers carry it. */
const CHANGE = z.strictObject({
  event_id: z.string(),
  revision: z.int(),
  /** Unix seconds. */
  changed_at: z.int(),
  event: z.enum(Object.keys(STATES)),
  state: z.enum(Object.values(STATES)),
  /** Null when Tollgate itself changed it, after failures or a test. */
  user_id: z.int().nullable(),
  username: z.string(),
  /** '' = none was given. */
  reason: z.string(),
  /** Status of upstream's answer; null when there was none. */
  upstream_status: z.int().nullable(),
  body_excerpt: z.string(),
})
type Change = z.infer<typeof CHANGE>

const EXAMPLE_CHANGE: Change = {
  event_id: '0b9d5a3e-6f0c-4a57-9d1e-2f6f3f1c8a70',
  revision: 12,
  changed_at: 1_770_120_000,
  event: 'ChannelAutoDisabled',
  state: 'auto-disabled',
  user_id: null,
  username: '',
  reason: 'Incorrect API key provided',
  upstream_status: 401,
  body_excerpt: '{"error":{"message":"Incorrect API key provided"}}',
}

async function changesOf(
  names: ChannelHistoryDeps['names'],
  rows: readonly StateRow[],
): Promise<readonly Change[]> {
  const users = await names.users(distinctIds(rows.map(({ user_id: user }) => user ?? 0)))
  return rows.map(({ at, ...row }) => ({
    event_id: row.event_id,
    revision: row.revision,
    changed_at: Math.floor(at / 1000),
    event: row.event,
    state: STATES[row.event],
    user_id: row.user_id,
    username: users.get(row.user_id ?? 0) ?? '',
    reason: row.reason,
    upstream_status: row.upstream_status,
    body_excerpt: row.body_excerpt,
  }))
}
