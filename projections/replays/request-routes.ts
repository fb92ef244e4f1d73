import {
  type ApiRoute,
  type Caller,
  callerOf,
  type CsvRow,
  failure,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import { CSV_BATCH_ROWS } from '@tollgate/command-api/http-contract/csv-batches.ts'
import { withTimes } from '@tollgate/command-api/http-contract/csv-times.ts'
import { z } from 'zod'
import { chargedRequests } from '../dashboard/queries.ts'
import { pageOf } from '../http/answer.ts'
import { queryInstant, queryPage, queryPageSize } from '../http/query.ts'
import { type Dimension, dimensionsOf, type ReplayDefinition } from './definition.ts'
import { LIMITS, type ReplayRouteDeps } from './deps.ts'
import { expectedPositions } from './landmarks.ts'
import { EXAMPLE_REPLAY, replayAnswer, type ReplayEntity } from './replay-entity.ts'
import { ADMIN, type ReplayReader } from './replay-reader.ts'
import { addReplay, lastPace, listReplays, type Replay } from './replay-table.ts'
import { definitionOf, newReplay, REPLAY_TEXTS as TEXTS } from './request-body.ts'

/** Asking for a replay: a new one, the list of them, and how long one would take. */
export function replayRequestRoutes(
  deps: ReplayRouteDeps,
  { entitiesOf, reply }: ReplayReader,
): readonly ApiRoute[] {
  const { pool, limits = LIMITS } = deps
  return [
    route({
      method: 'POST',
      path: '/api/replays',
      access: 'user',
      summary:
        'Count the charges of a time anew from the event log, as charged or at other prices; queued, one at a time',
      body: newReplay,
      answer: { data: replayAnswer, status: 202 },
      failureStatuses: [403, 409],
      example: { body: EXAMPLE_BODY, data: { ...EXAMPLE_REPLAY, status: 'queued' } },
      handle: async (request) => {
        const caller = callerOf(request)
        const { name, ...asked } = request.body
        const read = definitionOf(asked)
        if ('problem' in read) return failure(read.problem)
        const definition = caller.role >= ADMIN ? read.definition : ownOf(read.definition, caller)
        if (definition === null) return failure(TEXTS.ownOnly, 403)
        const id = await request.command.reserve(async () => deps.uuid())
        const replay = { id, owner: caller.userId, name, definition, at: deps.now() }
        const added = await addReplay(pool, replay, limits)
        if (added === 'too-many-kept') return failure(TEXTS.tooManyKept(limits.kept), 409)
        if (added === 'too-many-active') return failure(TEXTS.tooManyActive(limits.active), 409)
        deps.onQueued()
        return { ...(await reply(id)), status: 202 }
      },
    }),
    route({
      method: 'GET',
      path: '/api/replays',
      access: 'user',
      summary: 'Replays, newest first: all for administrators, else the caller’s own',
      query: z.object({ p: queryPage(1), page_size: queryPageSize() }),
      answer: { data: pageOf(replayAnswer) },
      example: { data: { items: [EXAMPLE_REPLAY], total: 1, page: 1, page_size: 10 } },
      csv: {
        name: 'replays',
        columns: Object.keys(replayAnswer.shape),
        async *batches(request) {
          const owner = ownerFor(callerOf(request))
          for await (const replays of everyReplay(pool, owner))
            yield (await entitiesOf(replays)).map(csvRow)
        },
      },
      handle: async (request) => {
        const page = Math.max(1, request.query.p)
        const limit = request.query.page_size
        const owner = ownerFor(callerOf(request))
        const listed = await listReplays(pool, owner, { limit, offset: (page - 1) * limit })
        const items = await entitiesOf(listed.items)
        return { data: { items, total: listed.total, page, page_size: limit } }
      },
    }),
    route({
      method: 'GET',
      path: '/api/replays/estimate',
      access: 'user',
      summary:
        'About how many charges a replay of a time would go through, and how long it would take at the pace of the last one',
      query: z.object({
        from: queryInstant('from', 'Charges from here on'),
        to: queryInstant('to', 'Charges before this; after from'),
      }),
      answer: {
        data: z.strictObject({ charges: z.int(), duration_ms: z.int().nullable() }),
      },
      example: {
        query: { from: String(EXAMPLE_REPLAY.from), to: String(EXAMPLE_REPLAY.to) },
        data: { charges: 4_100_000, duration_ms: 30_000 },
      },
      handle: async (request) => {
        const { from, to } = request.query
        if (from === null || to === null || to <= from) return failure(TEXTS.range)
        const { role, userId } = callerOf(request)
        const range = {
          from: Math.floor(from / HOUR_MS) * HOUR_SECONDS,
          to: Math.ceil(to / 1_000) - 1,
          userId: role >= ADMIN ? null : userId,
        }
        const head = await deps.store.headPosition()
        const [charges, positions, positionsPerMs] = await Promise.all([
          chargedRequests(deps.reads, range),
          expectedPositions(pool, { from, to }, head),
          lastPace(pool),
        ])
        const ms = positionsPerMs === null ? null : Math.ceil(positions / positionsPerMs)
        return { data: { charges, duration_ms: ms } }
      },
    }),
  ]
}

/** Whose replays a caller sees; null = everybody's. */
const ownerFor = ({ role, userId }: Caller): number | null => (role >= ADMIN ? null : userId)

/** They are few: each user keeps a bounded number. */
async function* everyReplay(
  pool: ReplayRouteDeps['pool'],
  owner: number | null,
): AsyncGenerator<readonly Replay[]> {
  for (let offset = 0; ; offset += CSV_BATCH_ROWS) {
    const { items } = await listReplays(pool, owner, { limit: CSV_BATCH_ROWS, offset })
    yield items
    if (items.length < CSV_BATCH_ROWS) return
  }
}

const TIMES = ['from', 'to', 'created_at', 'started_at', 'ended_at'] as const

const csvRow = ({ positions, filters, prices, by, ...replay }: ReplayEntity): CsvRow =>
  withTimes(
    {
      ...replay,
      positions: positions === undefined ? null : JSON.stringify(positions),
      filters: JSON.stringify(filters),
      prices: typeof prices === 'object' ? JSON.stringify(prices) : prices,
      by: by.join(' '),
    },
    TIMES,
  )

const HOUR_SECONDS = 3_600
const HOUR_MS = HOUR_SECONDS * 1_000

/** A user's own usage only; null when more was asked for. */
function ownOf(definition: ReplayDefinition, { userId }: Caller): ReplayDefinition | null {
  const { filters, by } = definition
  const isOwn = filters.users === undefined || filters.users.every((user) => user === userId)
  const isForUsers = (dimension: Dimension): boolean =>
    dimension !== 'user' && dimension !== 'channel'
  const isFit = filters.channels === undefined && by.flatMap(dimensionsOf).every(isForUsers)
  return isOwn && isFit ? { ...definition, filters: { ...filters, users: [userId] } } : null
}

const EXAMPLE_BODY = {
  name: EXAMPLE_REPLAY.name,
  from: EXAMPLE_REPLAY.from,
  to: EXAMPLE_REPLAY.to,
  filters: EXAMPLE_REPLAY.filters,
  prices: EXAMPLE_REPLAY.prices,
  bucket: EXAMPLE_REPLAY.bucket,
  zone: EXAMPLE_REPLAY.zone,
  by: EXAMPLE_REPLAY.by,
}
