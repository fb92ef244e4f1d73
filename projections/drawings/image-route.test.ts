import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { taskStream } from '@tollgate/domain/event.ts'
import { channelId, userId } from '@tollgate/domain/ids.ts'
import { NO_CONTENT } from '@tollgate/command-api/http-contract/task-content.ts'
import { taskDecider, type TaskCommand } from '@tollgate/domain/task/decider.ts'
import { evolveTask } from '@tollgate/domain/task/evolve.ts'
import { callRoute } from '@tollgate/tests/support/command-api.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { drawingImageRoute } from './image-route.ts'
import { drawings } from './projector.ts'

let log: ProjectionLog

/** Drawings of several channels that gave them one name, and one that is still drawn. */
const DRAWINGS = [
  { id: 1, name: 'same', imageUrl: 'https://a.example/1.png', isDone: true },
  { id: 2, name: 'same', imageUrl: 'https://b.example/2.png', isDone: true },
  { id: 3, name: 'same', imageUrl: '', isDone: false },
  { id: 4, name: 'begun', imageUrl: 'https://a.example/4.png', isDone: false },
  { id: 5, name: 'blank', imageUrl: '', isDone: true },
] as const

beforeAll(async () => {
  log = await openProjectionLog()
  for (const { id, name, isDone } of DRAWINGS) {
    const submission = {
      user: userId(1),
      token: null,
      channel: channelId(id),
      platform: 'mj',
      action: 'IMAGINE',
      upstreamId: name,
      code: 1,
      charge: null,
    } as const
    const commands: readonly TaskCommand[] = [
      { type: 'SubmitTask', submission },
      ...(isDone ? [{ type: 'SucceedTask', startedAt: null } as const] : []),
    ]
    let state = taskDecider.initial
    for (const [nextRevision, command] of commands.entries()) {
      const context = { at: 1000 * (nextRevision + 1), nextRevision }
      const decision = taskDecider.decide(state, command, context)
      if (decision.status === 'rejected') throw new Error(decision.rejection.reason)
      state = decision.events.reduce(evolveTask, state)
      await log.append(taskStream(id), ...decision.events)
    }
  }
  await log.project([drawings])
})
afterAll(() => log.close())

async function open(id: string, fetchPicture: (address: string) => Promise<Response>) {
  const route = drawingImageRoute({
    reads: log.reads,
    taskContents: async (ids) =>
      new Map(
        DRAWINGS.filter((one) => ids.includes(one.id)).map(({ id: task, imageUrl }) => [
          task,
          { ...NO_CONTENT, imageUrl },
        ]),
      ),
    fetchPicture,
    log: { warn() {} },
  })
  return callRoute([route], 'GET /mj/image/:id', { params: { id } })
}

const painted = (address: string): Promise<Response> =>
  Promise.resolve(new Response(address, { headers: { 'content-type': 'image/png' } }))

test.each([
  ['same', 'https://b.example/2.png', 'private, max-age=86400'],
  ['begun', 'https://a.example/4.png', 'no-store'],
])(
  'given the drawing %s, when opened, then its newest picture comes from %s, to be kept %s',
  async (name, address, kept) => {
    const reply = await open(name, painted)
    expect(reply.whole).toBeInstanceOf(Readable)
    expect(await text(reply.whole as Readable)).toBe(address)
    expect(reply.headers).toMatchObject({ 'content-type': 'image/png', 'cache-control': kept })
  },
)

test.each(['blank', 'none', ''])(
  'given %j without a picture, when opened, then 400 and nobody is asked',
  async (name) => {
    const reply = await open(name, () => Promise.reject(new Error('somebody was asked')))
    expect(reply).toMatchObject({ status: 400, whole: { error: 'midjourney_task_not_found' } })
  },
)

test.each([
  [new DOMException('late', 'TimeoutError')],
  [new TypeError('Invalid URL')],
  [Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
])('given upstream that is away (%s), when opened, then 500', async (failure) => {
  const reply = await open('same', async () => {
    throw failure
  })
  expect(reply).toMatchObject({ status: 500, whole: { error: 'http_get_image_failed' } })
})
