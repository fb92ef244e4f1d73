import { findCharge } from '@tollgate/command-api/tasks/find-charge.ts'
import { taskPayloads } from '@tollgate/command-api/tasks/payloads.ts'
import { taskService } from '@tollgate/command-api/tasks/task-service.ts'
import type { UsageCharged } from '@tollgate/domain/account/events.ts'
import { accountStream, type RecordedEvent } from '@tollgate/domain/event.ts'
import { type TaskId, userId } from '@tollgate/domain/ids.ts'
import { openPostgresEventStore } from '@tollgate/infra/event-store/postgres/store.ts'
import { urlOfRunningPostgres } from '@tollgate/infra/postgres/embedded.ts'
import { openPool } from '@tollgate/infra/postgres/pool.ts'
import { openTypedQueries } from '@tollgate/infra/postgres/typed-queries.ts'
import { systemClock, systemRandomness } from '@tollgate/infra/processes/runtime.ts'
import { reconcile } from '@tollgate/projections/audit/reconcile.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { ConsoleClient, ListedToken } from '../support/console-client.ts'
import { type Gateway, startSingleGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'
import type { SingleProduct } from '../support/product.ts'

/**
 * A drawing from upstream's yes to its refund, in the real product. The part that talks to the drawing upstream stands
 * here, as a process of its own beside the product would.
 */
let gateway: Gateway<SingleProduct>
let user: ConsoleClient
let token: ListedToken

const MODEL = 'gpt-4o-mini'
const OPENING = 50_000_000
const CAUSE = { actor: 'system', correlationId: 'poller', causationId: null } as const
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }

beforeAll(async () => {
  gateway = await startSingleGateway({ models: [MODEL] })
  user = await gateway.root.addUser('painter', 'long-enough-2', OPENING)
  token = await user.createToken({ name: 'brush', unlimited_quota: false, remain_quota: OPENING })
})
afterAll(() => gateway.stop())

test('given a drawing, when it fails and the product is killed, then it is refunded once', async () => {
  const { rows } = await user.chargesOf(1, () =>
    gateway.openai(token.key).chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'a cat' }],
    }),
  )
  const price = rows[0]?.quota ?? 0
  expect(price).toBeGreaterThan(0)
  const task = await besideTheProduct((beside) => beside.submit())
  await until('the drawing is listed', async () => (await drawings())[0]?.status === 'SUBMITTED')
  expect(await drawings()).toMatchObject([
    { id: task, mj_id: 'mj-1', prompt: 'a cat', quota: price, channel_id: 0, progress: '0%' },
  ])

  await besideTheProduct((beside) => beside.fail(task))
  await gateway.product.kill('alone')
  await gateway.product.start()

  await until('the refund is logged', async () => (await refunds()).length > 0)
  expect((await refunds()).map(({ content }) => content)).toEqual([
    `构图失败 mj-1，补偿 ＄${(price / 500_000).toFixed(6)} 额度`,
  ])
  await until('the balance is back', async () => (await user.self()).quota === OPENING)
  expect(await user.self()).toMatchObject({
    quota: OPENING,
    used_quota: 0,
    request_count: 0,
  })
  expect(await user.tokens()).toMatchObject([{ remain_quota: OPENING, used_quota: 0 }])
  const [channel] = await gateway.root.ask(
    'GET',
    '/api/channel/?p=0',
    z.array(z.object({ used_quota: z.number() })),
  )
  expect(channel?.used_quota).toBe(0)
  expect((await drawings())[0]).toMatchObject({
    status: 'FAILURE',
    progress: '100%',
    fail_reason: 'banned words',
  })
  const ofAll = await gateway.root.ask('GET', '/api/mj/?p=0&end_timestamp=NaN', drawingList)
  expect(ofAll.map(({ id, channel_id: channelId }) => [id, channelId > 0])).toEqual([[task, true]])
  expect(await besideTheProduct((beside) => beside.audit())).toBe(0)
})

const drawingList = z.array(
  z.object({
    id: z.number(),
    mj_id: z.string(),
    prompt: z.string(),
    quota: z.number(),
    channel_id: z.number(),
    progress: z.string(),
    status: z.string(),
    fail_reason: z.string(),
  }),
)
const drawings = () => user.ask('GET', '/api/mj/self?p=0', drawingList)
const refunds = async () =>
  (await user.logs({ type: '4' })).filter(({ content }) => content.includes('构图失败'))

interface Beside {
  submit(): Promise<TaskId>
  fail(task: TaskId): Promise<unknown>
  /** Differences between ledger and read models. */
  audit(): Promise<number>
}

/** Opens the product's own database, as one more process of it. */
async function besideTheProduct<Result>(
  work: (beside: Beside) => Promise<Result>,
): Promise<Result> {
  const url = await urlOfRunningPostgres(gateway.product.dataDir)
  if (url === null) throw new Error('the product has no database')
  const pool = openPool(url, { max: 4, applicationName: 'beside' })
  const clock = systemClock
  const store = openPostgresEventStore({ pool, databaseUrl: url, logger, clock })
  const payloads = taskPayloads(await openTypedQueries(pool), clock)
  const holdService = taskService({ store, clock, randomness: systemRandomness, payloads })
  const account = userId(user.userId)
  try {
    return await work({
      async submit() {
        const events = await Array.fromAsync(store.readStream(accountStream(account)))
        const charged = events.find(({ type }) => type === 'UsageCharged')
        if (charged === undefined) throw new Error('nothing was charged')
        const { data } = charged as RecordedEvent & UsageCharged
        const charge = { request: data.request.id, hold: data.hold, amount: data.amount }
        expect(await findCharge(store, charge)).toMatchObject({ isRefunded: false })
        const submission = {
          user: account,
          token: data.token,
          channel: data.request.channel,
          platform: 'mj',
          action: 'IMAGINE',
          upstreamId: 'mj-1',
          code: 1,
          charge,
        } as const
        const { task } = await holdService.accept(submission, { prompt: 'a cat' })
        await holdService.submit(task, CAUSE)
        return task
      },
      fail: (task) =>
        holdService.report(
          task,
          { type: 'FailTask', reason: 'reported' },
          { failReason: 'banned words' },
          CAUSE,
        ),
      audit: async () => (await reconcile({ store, pool })).differences,
    })
  } finally {
    await store.close()
    await pool.end()
  }
}
