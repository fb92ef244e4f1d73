import {
  type ApiReply,
  type ApiRoute,
  callerOf,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import { z } from 'zod'
import { queryInt, queryPage, queryText } from '../http/query.ts'
import { everyTask, type TaskFilter, taskPage } from '../tasks/queries.ts'
import type { TaskRow } from '../tasks/task-rows.ts'
import { sharedFilter, type Viewer } from '../tasks/shown-values.ts'
import { type DrawingEntity, drawingEntities, drawingEntitySchema } from './entity.ts'
import { type DrawingImageDeps, drawingImageRoute } from './image-route.ts'

export interface DrawingDeps extends DrawingImageDeps {
  /** This server's address while it shows images itself (MjForwardUrlEnabled); null while upstream does. */
  readonly imagesAt: () => string | null
}

const listQuery = z.object({
  p: queryPage(0),
  channel_id: queryInt().describe(
    'Drawings sent to this channel; 0 = to all. Not read in one’s own list',
  ),
  mj_id: queryText().describe('Upstream’s id of a drawing, whole; empty = all'),
  start_timestamp: queryInt().describe(
    'Drawings submitted from this moment on, in unix milliseconds; 0 = from the first',
  ),
  end_timestamp: queryInt().describe(
    'Drawings submitted up to and with this moment, in unix milliseconds; 0 = up to the last',
  ),
})

const EXAMPLE: DrawingEntity = {
  id: 12,
  code: 1,
  user_id: 7,
  action: 'IMAGINE',
  mj_id: '1712205491372224',
  prompt: '一只猫',
  prompt_en: 'a cat',
  description: 'Submit success',
  state: '',
  submit_time: 1_767_225_600_000,
  start_time: 1_767_225_601_000,
  finish_time: 1_767_225_640_000,
  image_url: 'https://gate.example.com/mj/image/1712205491372224',
  status: 'SUCCESS',
  progress: '100%',
  fail_reason: '',
  channel_id: 3,
  quota: 50_000,
  buttons: '[]',
  properties: '{}',
  created_at: 1_767_225_600,
}

/** The drawing log (console-api 2.11), pages of ten from 0, times in milliseconds; and the images. */
export const drawingRoutes = (deps: DrawingDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/mj/',
    access: 'admin',
    summary: 'Ten drawings of all users, newest first; pages from 0, times in milliseconds',
    reads: ['drawings'],
    query: listQuery,
    answer: { data: z.array(drawingEntitySchema) },
    example: { query: { p: '0', channel_id: '3' }, data: [EXAMPLE] },
    csv: { ...CSV, batches: ({ query }) => exported(deps, query, null) },
    handle: ({ query }) => list(deps, query, null),
  }),
  route({
    method: 'GET',
    path: '/api/mj/self',
    access: 'user',
    summary: 'Ten of the caller’s drawings, newest first; pages from 0, times in milliseconds',
    reads: ['drawings'],
    query: listQuery,
    answer: { data: z.array(drawingEntitySchema) },
    example: { query: { p: '0' }, data: [{ ...EXAMPLE, channel_id: 0 }] },
    csv: {
      ...CSV,
      batches: (request) => exported(deps, request.query, callerOf(request).userId),
    },
    handle: (request) => list(deps, request.query, callerOf(request).userId),
  }),
  drawingImageRoute(deps),
]

const CSV = { name: 'drawings', columns: Object.keys(drawingEntitySchema.shape) }

async function list(
  deps: DrawingDeps,
  query: z.output<typeof listQuery>,
  userId: number | null,
): Promise<ApiReply> {
  const filter = filterOf(query, userId)
  const rows = await taskPage(deps.reads, 'drawings', filter, Math.max(0, query.p))
  return { data: await entitiesOf(deps, rows, userId) }
}

async function* exported(
  deps: DrawingDeps,
  query: z.output<typeof listQuery>,
  userId: number | null,
): AsyncGenerator<readonly DrawingEntity[]> {
  for await (const rows of everyTask(deps.reads, 'drawings', filterOf(query, userId)))
    yield await entitiesOf(deps, rows, userId)
}

const filterOf = (query: z.output<typeof listQuery>, userId: number | null): TaskFilter =>
  sharedFilter({
    userId,
    channel: userId === null ? query.channel_id : 0,
    upstreamId: query.mj_id,
    from: query.start_timestamp,
    to: query.end_timestamp,
  })

async function entitiesOf(
  { taskContents, imagesAt }: DrawingDeps,
  rows: readonly TaskRow[],
  userId: number | null,
): Promise<readonly DrawingEntity[]> {
  const contents = await taskContents(rows.map((row) => row.task_id))
  const viewer: Viewer = userId === null ? 'admin' : 'self'
  return drawingEntities(rows, contents, { viewer, imagesAt: imagesAt() })
}
