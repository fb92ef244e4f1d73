import { taskStream } from '@tollgate/domain/event.ts'
import { channelId, holdId, requestId, tokenId, userId } from '@tollgate/domain/ids.ts'
import { NO_CONTENT, type TaskContent } from '@tollgate/command-api/http-contract/task-content.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { type TaskCommand, taskDecider } from '@tollgate/domain/task/decider.ts'
import type { TaskSubmission } from '@tollgate/domain/task/events.ts'
import { evolveTask } from '@tollgate/domain/task/evolve.ts'
import { callerWith, callRoute } from '@tollgate/tests/support/command-api.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { drawings } from '../drawings/projector.ts'
import { drawingRoutes } from '../drawings/routes.ts'
import { tasks } from './projector.ts'
import { taskReadRoutes } from './routes.ts'

type Row = Readonly<Record<string, unknown>>

let log: ProjectionLog
let imagesAt: string | null
beforeEach(() => {
  imagesAt = null
})

/** First of January 2026, 00:00 UTC; task n is submitted n seconds later, half a second into it. */
const BEGIN = Date.UTC(2026, 0, 1)
const DRAWINGS = 25
const SONGS = 12

beforeAll(async () => {
  log = await openProjectionLog()
  for (let id = 1; id <= DRAWINGS + SONGS; id += 1) {
    await log.append(taskStream(id), ...eventsOf(id))
  }
  await log.project([drawings, tasks])
})
afterAll(() => log.close())

const isSong = (id: number): boolean => id > DRAWINGS
const submittedAt = (id: number): number => BEGIN + id * 1000 + 500
const userOf = (id: number): number => 1 + (id % 2)
const channelOf = (id: number): number => 1 + (id % 3)

const submissionOf = (id: number): TaskSubmission => ({
  user: userId(userOf(id)),
  token: tokenId(70),
  channel: channelId(channelOf(id)),
  platform: isSong(id) ? 'suno' : 'mj',
  action: isSong(id) ? (id % 4 === 0 ? 'LYRICS' : 'MUSIC') : 'IMAGINE',
  upstreamId: `upstream-${id}`,
  code: 21,
  charge: { request: requestId(`r${id}`), hold: holdId(userId(1), 1, null), amount: quota(id) },
})

/** In turn: succeeded, failed by upstream, out of time, without a channel, in work, waiting for the user. */
function eventsOf(id: number) {
  const at = submittedAt(id)
  const progress = {
    type: 'ProgressTask',
    status: 'in-progress',
    percent: 42,
    startedAt: at + 200,
  } as const
  const ends: readonly TaskCommand[] = [
    { type: 'SucceedTask', startedAt: null },
    { type: 'FailTask', reason: 'reported' },
    { type: 'FailTask', reason: 'timed-out' },
    { type: 'FailTask', reason: 'channel-lost' },
    progress,
    { ...progress, status: 'awaiting-input' },
  ]
  const commands: readonly TaskCommand[] = [
    { type: 'SubmitTask', submission: submissionOf(id) },
    progress,
    ends[id % 6] ?? progress,
  ]
  let state = taskDecider.initial
  const moments = [at, at + 1_000, id % 6 < 4 ? at + 9_000 : at + 1_000]
  return commands.flatMap((command, nextRevision) => {
    const context = { at: moments[nextRevision] ?? at, nextRevision }
    const decision = taskDecider.decide(state, command, context)
    if (decision.status === 'rejected') throw new Error(decision.rejection.reason)
    state = decision.events.reduce(evolveTask, state)
    return decision.events
  })
}

/** The content of a task; the fourth task's was erased with its user. */
const contentOf = (id: number): TaskContent | null =>
  id === 4
    ? null
    : {
        ...NO_CONTENT,
        prompt: `prompt ${id}`,
        promptEn: `english ${id}`,
        imageUrl: id % 6 === 0 ? `https://images.example/${id}.png` : '',
        failReason: id % 6 === 1 ? 'banned words' : '',
        buttons: '[{"customId":"1"}]',
        data: isSong(id) ? `[{"id":${id}}]` : '',
      }

const taskContents = async (ids: readonly number[]): Promise<ReadonlyMap<number, TaskContent>> =>
  new Map(
    ids.flatMap((id) => {
      const content = contentOf(id)
      return content === null ? [] : [[id, content] as const]
    }),
  )

async function list(name: `GET ${string}`, search = '', user = 1): Promise<readonly Row[]> {
  const deps = {
    reads: log.reads,
    taskContents,
    imagesAt: () => imagesAt,
    fetchPicture: () => Promise.reject(new Error('lists ask nobody')),
    log: { warn() {} },
  }
  const reply = await callRoute([...drawingRoutes(deps), ...taskReadRoutes(deps)], name, {
    query: Object.fromEntries(new URLSearchParams(search)),
    caller: callerWith(user),
  })
  expect(reply.success ?? true).toBe(true)
  return reply.data as readonly Row[]
}

const ids = (rows: readonly Row[]): readonly unknown[] => rows.map((row) => row['id'])
const upTo = (from: number, to: number, fits: (id: number) => boolean = () => true) =>
  Array.from({ length: from - to + 1 }, (_, index) => from - index).filter(fits)
const seconds = (id: number): number => Math.floor(submittedAt(id) / 1000)

describe('given drawings and songs,', () => {
  test.each<[`GET ${string}`, string, readonly number[]]>([
    ['GET /api/mj/', '', upTo(25, 16)],
    ['GET /api/mj/', 'p=1&page_size=3', upTo(15, 6)],
    ['GET /api/mj/', 'p=2', upTo(5, 1)],
    ['GET /api/mj/', 'p=3', []],
    ['GET /api/mj/', 'p=NaN&channel_id=x', upTo(25, 16)],
    ['GET /api/mj/', 'p=-1', upTo(25, 16)],
    ['GET /api/mj/', 'channel_id=2', upTo(25, 1, (id) => channelOf(id) === 2).slice(0, 10)],
    ['GET /api/mj/', 'mj_id=upstream-7', [7]],
    ['GET /api/mj/', 'mj_id=upstream-30', []],
    ['GET /api/mj/', `start_timestamp=${submittedAt(20)}`, upTo(25, 20)],
    ['GET /api/mj/', `end_timestamp=${submittedAt(3)}`, upTo(3, 1)],
    ['GET /api/mj/', `end_timestamp=${submittedAt(3) - 1}`, upTo(2, 1)],
    ['GET /api/mj/', `start_timestamp=${submittedAt(2)}&end_timestamp=NaN`, upTo(25, 16)],
    ['GET /api/mj/self', '', upTo(25, 1, (id) => userOf(id) === 1).slice(0, 10)],
    ['GET /api/mj/self', 'p=1', upTo(25, 1, (id) => userOf(id) === 1).slice(10, 20)],
    ['GET /api/mj/self', 'mj_id=upstream-7', []],
    ['GET /api/mj/self', 'channel_id=2&mj_id=upstream-6', [6]],
    ['GET /api/task/', '', upTo(37, 28)],
    ['GET /api/task/', 'p=1', upTo(27, 26)],
    ['GET /api/task/', 'channel_id=1', upTo(37, 26, (id) => channelOf(id) === 1)],
    ['GET /api/task/', 'task_id=upstream-30', [30]],
    ['GET /api/task/', 'task_id=upstream-7', []],
    ['GET /api/task/', 'platform=suno&status=SUCCESS', [36, 30]],
    ['GET /api/task/', 'status=FAILURE', upTo(37, 26, (id) => [1, 2, 3].includes(id % 6))],
    ['GET /api/task/', 'status=MODAL', [35, 29]],
    ['GET /api/task/', 'status=NONE', []],
    ['GET /api/task/', 'platform=mj', []],
    ['GET /api/task/', 'action=LYRICS', [36, 32, 28]],
    ['GET /api/task/', `start_timestamp=${seconds(36)}`, [37, 36]],
    ['GET /api/task/', `end_timestamp=${seconds(27)}`, [27, 26]],
    ['GET /api/task/', `start_timestamp=${seconds(37)}&end_timestamp=NaN`, [37]],
    ['GET /api/task/self', '', upTo(37, 26, (id) => userOf(id) === 1)],
    ['GET /api/task/self', 'channel_id=2&task_id=upstream-28', [28]],
    ['GET /api/task/self', 'task_id=upstream-27', []],
  ])(
    'when %s is asked with "%s", then these come, newest first',
    async (name, search, expected) => {
      expect(ids(await list(name, search))).toEqual(expected)
    },
  )

  test('when a drawing is listed, then it has every field of the contract, times in milliseconds', async () => {
    const [drawing] = await list('GET /api/mj/', 'mj_id=upstream-6')
    expect(drawing).toEqual({
      id: 6,
      code: 21,
      user_id: 1,
      action: 'IMAGINE',
      mj_id: 'upstream-6',
      prompt: 'prompt 6',
      prompt_en: 'english 6',
      description: '',
      state: '',
      submit_time: submittedAt(6),
      start_time: submittedAt(6) + 200,
      finish_time: submittedAt(6) + 9_000,
      image_url: 'https://images.example/6.png',
      status: 'SUCCESS',
      progress: '100%',
      fail_reason: '',
      channel_id: 1,
      quota: 6,
      buttons: '[{"customId":"1"}]',
      properties: '',
      created_at: seconds(6),
    })
    const [own] = await list('GET /api/mj/self', 'mj_id=upstream-6')
    expect(own).toEqual({ ...drawing, channel_id: 0 })
  })

  test('when a song is listed, then it has every field of the contract, times in seconds', async () => {
    const [song] = await list('GET /api/task/', 'task_id=upstream-30')
    expect(song).toEqual({
      id: 30,
      created_at: seconds(30),
      updated_at: seconds(39),
      task_id: 'upstream-30',
      platform: 'suno',
      user_id: 1,
      channel_id: 1,
      quota: 30,
      action: 'MUSIC',
      status: 'SUCCESS',
      fail_reason: '',
      submit_time: seconds(30),
      start_time: seconds(30),
      finish_time: seconds(39),
      progress: '100%',
      properties: { input: 'prompt 30' },
      data: [{ id: 30 }],
    })
    const [own] = await list('GET /api/task/self', 'task_id=upstream-30')
    expect(own).toEqual({ ...song, channel_id: 0 })
  })

  test.each([
    ['GET /api/mj/', null, ['https://images.example/12.png', 'https://images.example/6.png']],
    ['GET /api/mj/self', null, ['https://images.example/24.png']],
    [
      'GET /api/mj/',
      'https://gate.example',
      ['https://gate.example/mj/image/upstream-12', 'https://gate.example/mj/image/upstream-6'],
    ],
    ['GET /api/mj/self', 'https://gate.example', ['https://gate.example/mj/image/upstream-24']],
  ] as const)(
    'when %s is asked while images are shown at %s, then those that there are have addresses there',
    async (name, shownAt, addresses) => {
      imagesAt = shownAt
      const found = await list(name, name === 'GET /api/mj/' ? 'p=1' : 'mj_id=upstream-24')
      expect(found.map((row) => row['image_url']).filter((url) => url !== '')).toEqual(addresses)
    },
  )

  test('when one has not ended or has failed, then it says where it stands and why', async () => {
    const words = (row: Row | undefined) => [
      row?.['status'],
      row?.['progress'],
      row?.['finish_time'] === 0,
      row?.['fail_reason'],
    ]
    const one = async (id: number, path = '/api/mj/', user = 1) => {
      const rows = await list(`GET ${path}`, `mj_id=upstream-${id}`, user)
      return words(rows[0])
    }
    expect(await one(7)).toEqual(['FAILURE', '100%', false, 'banned words'])
    expect(await one(8)).toEqual(['FAILURE', '100%', false, '上游任务超时（超过1小时）'])
    const lost = '获取渠道信息失败，请联系管理员'
    expect(await one(9)).toEqual(['FAILURE', '100%', false, `${lost}，渠道ID：1`])
    expect(await one(9, '/api/mj/self', 2)).toEqual(['FAILURE', '100%', false, lost])
    expect(await one(10)).toEqual(['IN_PROGRESS', '42%', true, ''])
    expect(await one(11)).toEqual(['MODAL', '42%', true, ''])
  })

  test('when the user was forgotten, then the row is there without what they asked for', async () => {
    const [row] = await list('GET /api/mj/', 'mj_id=upstream-4')
    expect(row).toMatchObject({ id: 4, prompt: '', prompt_en: '', image_url: '', buttons: '' })
  })
})
