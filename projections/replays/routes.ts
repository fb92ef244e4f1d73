import { Readable } from 'node:stream'
import {
  type ApiReply,
  type ApiRoute,
  type Caller,
  callerOf,
  failure,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type pg from 'pg'
import { z } from 'zod'
import { chargedRequests } from '../dashboard/queries.ts'
import { pageOf } from '../http/answer.ts'
import { distinctIds, type Names } from '../http/names.ts'
import {
  queryFlag,
  queryInstant,
  queryPage,
  queryPageSize,
  queryText,
  textInPath,
} from '../http/query.ts'
import { type Dimension, dimensionsOf, type ReplayDefinition, TOTAL } from './definition.ts'
import { EXPORT_FORMATS, exportText } from './export-text.ts'
import { itemEntity, replayItem } from './item-entity.ts'
import { expectedPositions } from './landmarks.ts'
import { readData } from './queries.ts'
import {
  addReplay,
  cancelReplay,
  findReplay,
  lastPace,
  listReplays,
  removeReplay,
  renameReplay,
  type Replay,
  type ReplayLimits,
  rerunReplay,
} from './replay-table.ts'
import { definitionOf, newReplay, REPLAY_TEXTS as TEXTS, replayName } from './request-body.ts'
import { EXAMPLE_ITEM, EXAMPLE_REPLAY, replayAnswer, replayEntity } from './replay-entity.ts'

export interface ReplayRouteDeps {
  readonly pool: pg.Pool
  readonly store: Pick<EventStore, 'headPosition' | 'newestAt'>
  readonly names: Names
  readonly now: () => number
  readonly uuid: () => string
  /** Told that one waits. */
  readonly onQueued: () => void
  /** Default LIMITS. */
  readonly limits?: ReplayLimits
}

/** Results take room: what somebody wants to keep, they export. */
const LIMITS: ReplayLimits = { kept: 20, active: 3 }

const dataItem = replayItem.extend({ name: z.string(), name2: z.string() })
const byQuery = z
  .preprocess((value) => value ?? TOTAL, z.string())
  .meta({
    default: TOTAL,
    description:
      'Table of the result: total, or one of the replay’s by, such as model or user+model',
  })
const REPLAY_IN_PATH = textInPath('Id of the replay')
const { id: EXAMPLE_ID } = EXAMPLE_REPLAY

/**
 * Replays over HTTP (audit.md 9). Administrators replay and see all; a user their own usage, by group, token and model.
 */
export function replayRoutes(deps: ReplayRouteDeps): readonly ApiRoute[] {
  const { pool, limits = LIMITS } = deps

  /** The caller's, or anybody's for administrators; null when there is none for them. */
  async function findFor(caller: Caller, id: string): Promise<Replay | null> {
    const found = await findReplay(pool, id)
    return found !== null && (caller.role >= ADMIN || found.owner === caller.userId) ? found : null
  }

  const told = async (replays: readonly Replay[]) => {
    const [users, head, positionsPerMs] = await Promise.all([
      deps.names.users(distinctIds(replays.map(({ owner }) => owner))),
      deps.store.headPosition(),
      lastPace(pool),
    ])
    const pace = { now: deps.now(), positionsPerMs }
    const expected = (one: Replay): Promise<number> | number =>
      one.positionsToRead ??
      (one.status === 'queued' || one.status === 'running'
        ? expectedPositions(pool, one.definition, head)
        : 0)
    return Promise.all(
      replays.map(async (one) =>
        replayEntity(one, users.get(one.owner) ?? '', {
          ...pace,
          expectedPositions: await expected(one),
        }),
      ),
    )
  }

  const reply = async (id: string): Promise<ApiReply> => {
    const found = await findReplay(pool, id)
    return found === null ? failure(TEXTS.unknown, 404) : { data: (await told([found]))[0] }
  }

  async function named(table: string, items: readonly { key: string; key2: string }[]) {
    const [first, second] = dimensionsOf(table)
    const [firstNames, secondNames] = await Promise.all([
      namesOf(
        deps.names,
        first,
        items.map(({ key }) => key),
      ),
      namesOf(
        deps.names,
        second,
        items.map(({ key2 }) => key2),
      ),
    ])
    return { firstNames, secondNames }
  }

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
      handle: async (request) => {
        const caller = callerOf(request)
        const page = Math.max(1, request.query.p)
        const limit = request.query.page_size
        const owner = caller.role >= ADMIN ? null : caller.userId
        const listed = await listReplays(pool, owner, { limit, offset: (page - 1) * limit })
        const items = await told(listed.items)
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
          chargedRequests(pool, range),
          expectedPositions(pool, { from, to }, head),
          lastPace(pool),
        ])
        const ms = positionsPerMs === null ? null : Math.ceil(positions / positionsPerMs)
        return { data: { charges, duration_ms: ms } }
      },
    }),
    route({
      method: 'GET',
      path: '/api/replays/:id',
      access: 'user',
      summary: 'A replay with its definition and progress',
      params: REPLAY_IN_PATH,
      answer: { data: replayAnswer },
      failureStatuses: [404],
      example: { params: { id: EXAMPLE_ID }, data: EXAMPLE_REPLAY },
      handle: async (request) => {
        const found = await findFor(callerOf(request), request.params.id)
        return found === null ? failure(TEXTS.unknown, 404) : reply(found.id)
      },
    }),
    route({
      method: 'PATCH',
      path: '/api/replays/:id',
      access: 'user',
      summary: 'Rename a replay',
      params: REPLAY_IN_PATH,
      body: z.object({ name: replayName }),
      answer: { data: replayAnswer },
      failureStatuses: [404],
      example: {
        params: { id: EXAMPLE_ID },
        body: { name: EXAMPLE_REPLAY.name },
        data: EXAMPLE_REPLAY,
      },
      handle: async (request) => {
        const found = await findFor(callerOf(request), request.params.id)
        if (found === null) return failure(TEXTS.unknown, 404)
        await renameReplay(pool, found.id, request.body.name)
        return reply(found.id)
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/replays/:id',
      access: 'user',
      summary: 'Delete a replay and its result; one that runs ends',
      params: REPLAY_IN_PATH,
      answer: {},
      failureStatuses: [404],
      example: { params: { id: EXAMPLE_ID } },
      handle: async (request) => {
        const found = await findFor(callerOf(request), request.params.id)
        if (found === null) return failure(TEXTS.unknown, 404)
        await removeReplay(pool, found.id)
        return {}
      },
    }),
    route({
      method: 'POST',
      path: '/api/replays/:id/cancel',
      access: 'user',
      summary: 'Cancel a replay that waits or runs; what it counted so far stays',
      params: REPLAY_IN_PATH,
      answer: { data: replayAnswer },
      failureStatuses: [404, 409],
      example: {
        params: { id: EXAMPLE_ID },
        data: { ...EXAMPLE_REPLAY, status: 'cancelled', remaining_ms: null },
      },
      handle: async (request) => {
        const found = await findFor(callerOf(request), request.params.id)
        if (found === null) return failure(TEXTS.unknown, 404)
        const isCancelled = await cancelReplay(pool, found.id, deps.now())
        return isCancelled ? reply(found.id) : failure(TEXTS.ended, 409)
      },
    }),
    route({
      method: 'POST',
      path: '/api/replays/:id/rerun',
      access: 'user',
      summary: 'Run a replay again, up to the present end of the log; the result is made anew',
      params: REPLAY_IN_PATH,
      answer: { data: replayAnswer, status: 202 },
      failureStatuses: [404, 409],
      example: { params: { id: EXAMPLE_ID }, data: { ...EXAMPLE_REPLAY, status: 'queued' } },
      handle: async (request) => {
        const found = await findFor(callerOf(request), request.params.id)
        if (found === null) return failure(TEXTS.unknown, 404)
        const again = await rerunReplay(pool, found.id, limits.active)
        if (again === 'not-ended') return failure(TEXTS.notEnded, 409)
        if (again === 'too-many-active') return failure(TEXTS.tooManyActive(limits.active), 409)
        deps.onQueued()
        return { ...(await reply(found.id)), status: 202 }
      },
    }),
    route({
      method: 'GET',
      path: '/api/replays/:id/data',
      access: 'user',
      summary:
        'The result by=total (default) or by one of the replay’s tables, by bucket; sum=true: over all buckets, the largest change first',
      params: REPLAY_IN_PATH,
      query: z.object({
        by: byQuery,
        sum: queryFlag().describe(
          'Whether rows are summed over all buckets, the largest change first; default false',
        ),
        p: queryPage(1),
        page_size: queryPageSize(),
      }),
      answer: { data: pageOf(dataItem) },
      failureStatuses: [404],
      example: {
        params: { id: EXAMPLE_ID },
        query: { by: 'model' },
        data: { items: [EXAMPLE_ITEM], total: 1, page: 1, page_size: 10 },
      },
      handle: async (request) => {
        const { by, sum: isSummed, p, page_size: limit } = request.query
        const found = await findFor(callerOf(request), request.params.id)
        if (found === null) return failure(TEXTS.unknown, 404)
        if (!hasTable(found, by)) return failure(TEXTS.noTable)
        const page = Math.max(1, p)
        const question = {
          replay: found.id,
          table: by,
          isSummed,
          limit,
          offset: (page - 1) * limit,
        }
        const read = await readData(pool, question)
        const { firstNames, secondNames } = await named(by, read.items)
        const items = read.items.map((item) => ({
          ...itemEntity(item),
          name: firstNames(item.key),
          name2: secondNames(item.key2),
        }))
        return { data: { items, total: read.total, page, page_size: limit } }
      },
    }),
    route({
      method: 'GET',
      path: '/api/replays/:id/export',
      access: 'user',
      summary:
        'A whole table of the result as a file: by as in /data, format=csv (default) or jsonl',
      params: REPLAY_IN_PATH,
      query: z.object({
        by: byQuery,
        format: queryText().meta({
          description: 'Form of the file: comma-separated values or JSON lines; default csv',
          enum: EXPORT_FORMATS,
        }),
      }),
      answer: { file: ['text/csv', 'application/x-ndjson'] },
      failureStatuses: [404],
      example: { params: { id: EXAMPLE_ID }, query: { by: 'model', format: 'csv' } },
      handle: async (request) => {
        const { by, format } = request.query
        const found = await findFor(callerOf(request), request.params.id)
        if (found === null) return failure(TEXTS.unknown, 404)
        if (!hasTable(found, by)) return failure(TEXTS.noTable)
        if (format !== '' && format !== 'csv' && format !== 'jsonl') return failure(TEXTS.format)
        const isCsv = format !== 'jsonl'
        const text = exportText(pool, found.id, by, isCsv ? 'csv' : 'jsonl')
        return {
          whole: Readable.from(text, { highWaterMark: 1 }),
          headers: {
            'content-type': isCsv ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
            'content-disposition': `attachment; filename="replay-${by.replace('+', '-')}.${isCsv ? 'csv' : 'jsonl'}"`,
          },
        }
      },
    }),
  ]
}

const ADMIN = 10
const HOUR_SECONDS = 3_600
const HOUR_MS = HOUR_SECONDS * 1_000

const hasTable = ({ definition }: Replay, table: string): boolean =>
  table === TOTAL || (definition.by as readonly string[]).includes(table)

/** A user's own usage only; null when more was asked for. */
function ownOf(definition: ReplayDefinition, { userId }: Caller): ReplayDefinition | null {
  const { filters, by } = definition
  const isOwn = filters.users === undefined || filters.users.every((user) => user === userId)
  const isForUsers = (dimension: Dimension): boolean =>
    dimension !== 'user' && dimension !== 'channel'
  const isFit = filters.channels === undefined && by.flatMap(dimensionsOf).every(isForUsers)
  return isOwn && isFit ? { ...definition, filters: { ...filters, users: [userId] } } : null
}

/** Names of a dimension's keys: of users, tokens and channels as they are called now, of others themselves. */
async function namesOf(
  names: Names,
  dimension: Dimension | undefined,
  keys: readonly string[],
): Promise<(key: string) => string> {
  const source = { user: names.users, token: names.tokens, channel: names.channels }
  if (dimension === undefined || dimension === 'group' || dimension === 'model') return (key) => key
  const found = await source[dimension](distinctIds(keys.map(Number)))
  return (key) => found.get(Number(key)) ?? ''
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
