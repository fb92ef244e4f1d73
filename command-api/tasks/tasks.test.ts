import { exampleTimelines } from '@tollgate/tests/support/example-timelines.ts'
import type { AccountEvent, UsageRefunded } from '@tollgate/domain/account/events.ts'
import { exampleUsage } from '@tollgate/tests/support/example-usage.ts'
import { accountStream, type RecordedEvent, taskStream } from '@tollgate/domain/event.ts'
import {
  channelId,
  holdId,
  relayId,
  requestId,
  type TaskId,
  taskId,
  tokenId,
  type UserId,
  userId,
} from '@tollgate/domain/ids.ts'
import { quota } from '@tollgate/domain/quota.ts'
import type { TaskSubmission } from '@tollgate/domain/task/events.ts'
import { singletonLease } from '@tollgate/infra/leases/singleton-lease.ts'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { Life } from '@tollgate/tests/support/crashable.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AccountLedger } from '../accounts/account-ledger.ts'
import type { Step } from '../workflows/manager/workflow.ts'
import { startWorkflowManager } from '../workflows/manager/workflow-manager.ts'
import { workflowRows } from '../workflows/manager/workflow-rows.ts'
import { findCharge } from './find-charge.ts'
import { submissionRecovery } from '../workflows/submission-recovery.ts'
import { type TaskPayloads, taskPayloads } from './payloads.ts'
import { taskRefund } from '../workflows/task-refund.ts'
import { taskService } from './task-service.ts'

let fixture: CommandApiFixture
let next = 1
beforeAll(async () => {
  fixture = await openCommandApiFixture()
})
afterAll(() => fixture.close())

const CAUSE = { actor: 'relay:r1', correlationId: 'test', causationId: null } as const
const OPENING = quota(1_000_000)
const PRICE = quota(50_000)
const GRACE_SECONDS = 0

/** Relay, poller and workflow manager as one process would have them. */
function processWith(life = new Life()) {
  const store = life.crashable(fixture.store, ['append'])
  const payloads = life.crashable<TaskPayloads>(taskPayloads(fixture.db, fixture.clock), [
    'insert',
    'update',
    'confirm',
    'remove',
  ])
  const ledger = new AccountLedger({ ...fixture, store })
  const tasks = taskService({ ...fixture, store, payloads })
  const refunds = taskRefund({ store, ledger })
  const submissions = submissionRecovery(
    { store, clock: fixture.clock, payloads, tasks },
    GRACE_SECONDS,
  )
  return { ledger, tasks, payloads, refunds, submissions }
}
type Process = ReturnType<typeof processWith>

const ORIGIN = { log: exampleTimelines[0].log, relay: relayId('r1') }

interface Customer {
  readonly account: UserId
  readonly submission: TaskSubmission
}

/** An account with a token and a hold, and the drawing it will submit. */
async function customer(more: Partial<TaskSubmission> = {}): Promise<Customer> {
  const account = userId(next++)
  const token = tokenId(account * 10)
  const { ledger } = processWith()
  const terms = { unlimited: false, expiresAt: null, group: '', models: null, allowedIps: [] }
  for (const command of [
    { type: 'OpenAccount' },
    { type: 'CreditQuota', source: 'grant', amount: OPENING, reason: '' },
    { type: 'IssueToken', token, remain: OPENING, ...terms },
    {
      type: 'PlaceHold',
      token,
      relay: relayId('r1'),
      nonce: 'n',
      need: PRICE,
      want: quota(80_000),
    },
  ] as const) {
    expect((await ledger.execute(account, command, CAUSE)).status).toBe('done')
  }
  const charge = {
    request: requestId(`request-${account}`),
    hold: holdId(account, 3, ORIGIN),
    amount: PRICE,
  }
  const submission: TaskSubmission = {
    user: account,
    token,
    channel: channelId(1),
    platform: 'mj',
    action: 'IMAGINE',
    upstreamId: `upstream-${account}`,
    code: 1,
    charge,
    ...more,
  }
  return { account, submission }
}

async function pay({ ledger }: Process, { account, submission }: Customer): Promise<void> {
  const { charge, token } = submission
  if (charge === null) return
  const { request, hold, amount } = charge
  const outcome = await ledger.execute(
    account,
    {
      type: 'ChargeUsage',
      endedAt: 0,
      hold,
      sequence: 1,
      token,
      amount,
      request: exampleUsage(request),
      chargedBefore: null,
    },
    CAUSE,
  )
  expect(outcome.status).toBe('done')
}

const takeAll = async (steps: readonly Step[]): Promise<void> => {
  for (const step of steps) await step.act()
}

/** Does the work of the workflow manager: every failure's refund, and every row that was left. */
async function runSteps({ refunds, submissions }: Process, task: TaskId | null): Promise<void> {
  for (const id of await submissions.find()) await takeAll(submissions.steps(id))
  if (task === null) return
  const events = await fixture.eventsOf(taskStream(task))
  for (const event of events.filter(({ type }) => type === 'TaskFailed')) {
    await takeAll(refunds.steps(event))
  }
}

const typesOf = async (stream: string): Promise<readonly string[]> =>
  (await fixture.eventsOf(stream)).map(({ type }) => type)

const refundsOf = async (account: UserId): Promise<readonly UsageRefunded['data'][]> =>
  (await fixture.eventsOf(accountStream(account)))
    .map((event) => event as RecordedEvent & AccountEvent)
    .flatMap((event) => (event.type === 'UsageRefunded' ? [event.data] : []))

/** The account by its events alone. */
const accountNow = (account: UserId) =>
  new AccountLedger(fixture).read(account, ({ posted, usedQuota, requestCount, tokens }) => {
    const [token] = tokens.values()
    return { posted, usedQuota, requestCount, remain: token?.remain, used: token?.used }
  })
const UNTOUCHED = { posted: OPENING, usedQuota: 0, requestCount: 0, remain: OPENING, used: 0 }

/** From upstream's yes to its failure and the refund. */
async function wholeLife(process: Process, who: Customer): Promise<void> {
  const { task } = await process.tasks.accept(who.submission, { prompt: 'a cat' })
  await pay(process, who)
  await process.tasks.submit(task, CAUSE)
  await process.tasks.report(
    task,
    { type: 'FailTask', reason: 'reported' },
    { failReason: 'banned' },
    CAUSE,
  )
  await runSteps(process, task)
}

async function taskOf({ submission }: Customer): Promise<TaskId | null> {
  const { rows } = await fixture.pool.query<{ id: string }>(
    'select id from identity.task_payloads where upstream_id = $1',
    [submission.upstreamId],
  )
  return rows[0] === undefined ? null : taskId(Number(rows[0].id))
}

describe('given a drawing that fails,', () => {
  test('when nothing dies, then all balances are as before, and the refund says what it is for', async () => {
    const who = await customer()
    await wholeLife(processWith(), who)
    expect(await accountNow(who.account)).toEqual(UNTOUCHED)
    expect(await refundsOf(who.account)).toEqual([
      {
        at: fixture.clock.now(),
        amount: PRICE,
        request: who.submission.charge?.request,
        token: who.submission.token,
        channel: 1,
        reason: '',
        failed: { platform: 'mj', task: who.submission.upstreamId },
      },
    ])
    const task = await taskOf(who)
    expect(await typesOf(taskStream(task ?? 0))).toEqual(['TaskSubmitted', 'TaskFailed'])
  })

  test('when the process dies at any moment, then nobody stays charged, and the refund is made once', async () => {
    let moment = 1
    for (; ; moment++) {
      const who = await customer()
      const life = new Life(moment)
      const died = await wholeLife(processWith(life), who).then(
        () => false,
        () => true,
      )
      expect(died).toBe(life.isOver)
      if (!died) break
      const heir = processWith()
      await runSteps(heir, null)
      const task = await taskOf(who)
      const report = { type: 'FailTask', reason: 'reported' } as const
      // Upstream goes on telling of it; of what was never submitted there is nothing to tell.
      if (task !== null) await heir.tasks.report(task, report, {}, CAUSE)
      await runSteps(heir, task)
      await runSteps(heir, task)
      const charges = (await typesOf(accountStream(who.account))).filter(
        (type) => type === 'UsageCharged',
      )
      expect({ moment, ...(await accountNow(who.account)) }).toEqual({ moment, ...UNTOUCHED })
      expect(await refundsOf(who.account)).toHaveLength(charges.length)
    }
    // insert, charge, TaskSubmitted, confirm, update, TaskFailed, refund: a moment before and after each.
    expect(moment).toBe(15)
  })

  test('when it is refunded by ten at once and again after that, then it is refunded once', async () => {
    const who = await customer()
    const process = processWith()
    await wholeLife(process, who)
    const other = await customer({ platform: 'suno', action: 'MUSIC' })
    const { task } = await process.tasks.accept(other.submission, {})
    await pay(process, other)
    await process.tasks.submit(task, CAUSE)
    const report = { type: 'FailTask', reason: 'timed-out' } as const
    await Promise.all(
      Array.from({ length: 10 }, () => process.tasks.report(task, report, {}, CAUSE)),
    )
    await Promise.all(Array.from({ length: 10 }, () => runSteps(process, task)))
    await runSteps(processWith(), task)
    const [refund, ...more] = await refundsOf(other.account)
    expect(more).toEqual([])
    expect(refund?.failed).toEqual({ platform: 'suno', task: other.submission.upstreamId })
    expect(await accountNow(other.account)).toEqual(UNTOUCHED)
  })

  test('when its charge is still on its way, then the refund waits for it', async () => {
    const who = await customer()
    const process = processWith()
    const { task } = await process.tasks.accept(who.submission, {})
    await process.tasks.submit(task, CAUSE)
    await process.tasks.report(task, { type: 'FailTask', reason: 'reported' }, {}, CAUSE)
    await expect(runSteps(process, task)).rejects.toMatchObject({ code: 'REFUND_WAITS' })
    await pay(process, who)
    await runSteps(process, task)
    expect(await accountNow(who.account)).toEqual(UNTOUCHED)
  })

  test('when its charge is looked for, then nothing before its hold or its acceptance is read', async () => {
    const who = await customer()
    await pay(processWith(), who)
    const { charge } = who.submission
    if (charge === null) throw new Error('it costs something')
    const read: number[] = []
    const store = {
      async *readStream(stream: string, options: object) {
        for await (const event of fixture.store.readStream(stream, options)) {
          read.push(event.revision)
          yield event
        }
      },
    }
    expect(await findCharge(store, charge)).toMatchObject({ isRefunded: false })
    const other = { ...charge, request: requestId('never charged') }
    expect(await findCharge(store, other)).toBeNull()
    const later = Date.now() + 3_600_000
    expect(await findCharge(store, charge, later)).toBeNull()
    // The charge is the newest; the opening of its hold is the last looked at; an hour later nothing is.
    expect(read).toEqual([4, 4, 3, 4])
  })

  test('when it had cost nothing, then nothing is refunded', async () => {
    const who = await customer({ charge: null, action: 'INPAINT' })
    await wholeLife(processWith(), who)
    expect(await refundsOf(who.account)).toEqual([])
    expect(await accountNow(who.account)).toEqual(UNTOUCHED)
  })

  test('when the workflow manager follows the log, then it refunds without being asked', async () => {
    const who = await customer()
    const process = processWith()
    const manager = await startWorkflowManager({
      ...fixture,
      table: workflowRows(fixture.db),
      shareWork: singletonLease(fixture.clock),
      kinds: [process.refunds],
      log: { warn: () => undefined },
    })
    const { task } = await process.tasks.accept(who.submission, {})
    await pay(process, who)
    await process.tasks.submit(task, CAUSE)
    await process.tasks.report(task, { type: 'FailTask', reason: 'channel-lost' }, {}, CAUSE)
    await until('it is refunded', async () => (await refundsOf(who.account)).length === 1)
    await manager.stop()
  })
})

describe('given a task that upstream has accepted,', () => {
  test('when it names the same one to many requests at once, then one of them is charged', async () => {
    const who = await customer()
    const { tasks } = processWith()
    const accepted = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const request = requestId(`parallel-${index}`)
        const charge = { request, hold: holdId(who.account, 3, ORIGIN), amount: PRICE }
        return tasks.accept({ ...who.submission, charge }, {})
      }),
    )
    expect(accepted.filter(({ isDuplicate }) => !isDuplicate)).toHaveLength(1)
    expect(new Set(accepted.map(({ task }) => task)).size).toBe(1)
  })

  test('when the same request asks again, then it goes on until submitted, and is a duplicate after that', async () => {
    const { submission } = await customer()
    const { tasks } = processWith()
    const first = await tasks.accept(submission, {})
    expect(await tasks.accept(submission, {})).toEqual({ ...first, isDuplicate: false })
    await tasks.submit(first.task, CAUSE)
    expect(await tasks.accept(submission, {})).toEqual({ ...first, isDuplicate: true })
  })

  test('when another channel’s upstream uses the same name, then it is another task', async () => {
    const { submission } = await customer()
    const { tasks } = processWith()
    const one = await tasks.accept(submission, {})
    const other = await tasks.accept({ ...submission, channel: channelId(2) }, {})
    expect(other).toEqual({
      task: expect.not.toSatisfy((id) => id === one.task),
      isDuplicate: false,
    })
  })

  test('when its charge never comes, then its row waits a day and is taken back', async () => {
    const who = await customer()
    const process = processWith()
    await process.tasks.accept(who.submission, { prompt: 'a cat' })
    await runSteps(process, null)
    expect(await taskOf(who)).not.toBeNull()
    fixture.pass(86_400_000)
    await runSteps(process, null)
    expect(await taskOf(who)).toBeNull()
    await expect(process.tasks.submit(taskId(999_999), CAUSE)).rejects.toMatchObject({
      code: 'TASK_UNKNOWN',
    })
  })

  test('when upstream says what is no JSON or too much of it, then the rest is kept without it', async () => {
    const { submission } = await customer({ charge: null })
    const { tasks, payloads } = processWith()
    const { task } = await tasks.accept(submission, {
      prompt: 'x'.repeat(1_000_001),
      data: '{"a":',
    })
    const content = async () => (await payloads.contents([task])).get(task)
    expect(await content()).toMatchObject({ prompt: 'x'.repeat(1_000_000), data: '' })
    await payloads.update(task, { data: `["${'x'.repeat(1_000_000)}"]`, buttons: '["\\u0000"]' })
    expect(await content()).toMatchObject({ data: '', buttons: '["\\u0000"]' })
  })

  test('when its user is forgotten, then prompt and image are gone for good, and its course stays', async () => {
    const who = await customer({ charge: null })
    const { tasks, payloads } = processWith()
    const { task } = await tasks.accept(who.submission, { prompt: 'a \u0000cat', buttons: '[]' })
    await tasks.submit(task, CAUSE)
    await tasks.report(
      task,
      { type: 'ProgressTask', status: 'in-progress', percent: 5, startedAt: null },
      { imageUrl: 'https://images.example/1.png' },
      CAUSE,
    )
    const content = async () => (await payloads.contents([task])).get(task)
    expect(await content()).toMatchObject({
      prompt: 'a cat',
      imageUrl: 'https://images.example/1.png',
      buttons: '[]',
    })
    await payloads.forget(who.account)
    await tasks.report(
      task,
      { type: 'SucceedTask', startedAt: null },
      { imageUrl: 'https://images.example/2.png' },
      CAUSE,
    )
    expect(Object.values((await content()) ?? {}).every((text) => text === '')).toBe(true)
    expect(await typesOf(taskStream(task))).toEqual([
      'TaskSubmitted',
      'TaskProgressed',
      'TaskSucceeded',
    ])
  })
})
