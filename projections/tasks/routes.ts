import {
  type ApiReply,
  type ApiRoute,
  callerOf,
  type CsvRow,
  route,
} from '@tollgate/command-api/http-contract/api-route.ts'
import type { TaskContents } from '@tollgate/command-api/http-contract/task-content.ts'
import type { CommonQueryMethods } from 'slonik'
import { z } from 'zod'
import { queryInt, queryPage, queryText } from '../http/query.ts'
import { type TaskEntity, taskEntities, taskEntitySchema } from './entity.ts'
import { everyTask, type TaskFilter, taskPage } from './queries.ts'
import { sharedFilter, STATUS_WORDS, statusOfWord, type Viewer } from './shown-values.ts'

export interface TaskReadDeps {
  readonly reads: CommonQueryMethods
  readonly taskContents: TaskContents
}

const listQuery = z.object({
  p: queryPage(0),
  channel_id: queryInt().describe(
    'Tasks sent to this channel; 0 = to all. Not read in one’s own list',
  ),
  task_id: queryText().describe('Upstream’s id of a task, whole; empty = all'),
  platform: queryText().meta({
    description: 'Platform of the tasks; absent = all',
    enum: ['suno'],
  }),
  status: queryText().meta({
    description: 'Tasks in this state; absent = in all',
    enum: STATUS_WORDS,
  }),
  action: queryText().describe('Kind of work, such as MUSIC or LYRICS; empty = all'),
  start_timestamp: queryInt().describe(
    'Tasks submitted from this moment on, in unix seconds; 0 = from the first',
  ),
  end_timestamp: queryInt().describe(
    'Tasks submitted up to and with this second, in unix seconds; 0 = up to the last',
  ),
})

const EXAMPLE: TaskEntity = {
  id: 13,
  created_at: 1_767_225_600,
  updated_at: 1_767_225_640,
  task_id: 'b4f1c6f0-5f0f-4a55-9f0e-0a8f0a4a7c11',
  platform: 'suno',
  user_id: 7,
  channel_id: 4,
  quota: 50_000,
  action: 'MUSIC',
  status: 'SUCCESS',
  fail_reason: '',
  submit_time: 1_767_225_600,
  start_time: 1_767_225_601,
  finish_time: 1_767_225_640,
  progress: '100%',
  properties: { input: '' },
  data: [],
}

/** The task log (console-api 2.11): pages of ten from 0, times in seconds. */
export const taskReadRoutes = (deps: TaskReadDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/task/',
    access: 'admin',
    summary: 'Ten tasks of all users, newest first; pages from 0',
    reads: ['tasks'],
    query: listQuery,
    answer: { data: z.array(taskEntitySchema) },
    example: { query: { p: '0', platform: 'suno', status: 'SUCCESS' }, data: [EXAMPLE] },
    csv: { ...CSV, batches: ({ query }) => exported(deps, query, null) },
    handle: ({ query }) => list(deps, query, null),
  }),
  route({
    method: 'GET',
    path: '/api/task/self',
    access: 'user',
    summary: 'Ten of the caller’s tasks, newest first; pages from 0',
    reads: ['tasks'],
    query: listQuery,
    answer: { data: z.array(taskEntitySchema) },
    example: { query: { p: '0' }, data: [{ ...EXAMPLE, channel_id: 0 }] },
    csv: {
      ...CSV,
      batches: (request) => exported(deps, request.query, callerOf(request).userId),
    },
    handle: (request) => list(deps, request.query, callerOf(request).userId),
  }),
]

const CSV = { name: 'tasks', columns: Object.keys(taskEntitySchema.shape) }

async function list(
  { reads, taskContents }: TaskReadDeps,
  query: z.output<typeof listQuery>,
  userId: number | null,
): Promise<ApiReply> {
  const filter = filterOf(query, userId)
  if (filter === null) return { data: [] }
  const rows = await taskPage(reads, 'tasks', filter, Math.max(0, query.p))
  const contents = await taskContents(rows.map((row) => row.task_id))
  return { data: taskEntities(rows, contents, viewerOf(userId)) }
}

async function* exported(
  { reads, taskContents }: TaskReadDeps,
  query: z.output<typeof listQuery>,
  userId: number | null,
): AsyncGenerator<readonly CsvRow[]> {
  const filter = filterOf(query, userId)
  if (filter === null) return
  for await (const rows of everyTask(reads, 'tasks', filter)) {
    const contents = await taskContents(rows.map((row) => row.task_id))
    yield taskEntities(rows, contents, viewerOf(userId)).map((task) => ({
      ...task,
      properties: task.properties.input,
      data: JSON.stringify(task.data),
    }))
  }
}

const viewerOf = (userId: number | null): Viewer => (userId === null ? 'admin' : 'self')

/** Null when nothing can match. */
function filterOf(query: z.output<typeof listQuery>, userId: number | null): TaskFilter | null {
  const status = query.status === '' ? undefined : statusOfWord(query.status)
  const isOfOther = query.platform !== '' && query.platform !== 'suno'
  if (status === null || isOfOther) return null
  return {
    ...sharedFilter({
      userId,
      channel: userId === null ? query.channel_id : 0,
      upstreamId: query.task_id,
      from: query.start_timestamp * 1000,
      to: endOfSecond(query.end_timestamp),
    }),
    ...(status === undefined ? {} : { status }),
    ...(query.action === '' ? {} : { action: query.action }),
  }
}

/** The last millisecond of a second, which the list shows as that second; 0 stays 0. */
const endOfSecond = (seconds: number): number => (seconds === 0 ? 0 : seconds * 1000 + 999)
