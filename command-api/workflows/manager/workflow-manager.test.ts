import { randomUUID } from 'node:crypto'
import { accountStream, type RecordedEvent } from '@tollgate/domain/event.ts'
import { type UserId, userId } from '@tollgate/domain/ids.ts'
import type { SharedWork, ShareWork } from '@tollgate/domain/ports/leases.ts'
import { singletonLease } from '@tollgate/infra/leases/singleton-lease.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { currentTimeline } from '@tollgate/domain/timeline/timelines.ts'
import {
  callRoute,
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { Life } from '@tollgate/tests/support/crashable.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { notificationOutbox } from '../../notifications/outbox.ts'
import { AccountLedger } from '../../accounts/account-ledger.ts'
import { ensureTimelines, openTimeline } from '../../timelines/timelines.ts'
import type { EventTriggeredWorkflow } from './workflow.ts'
import { type WorkflowManager, startWorkflowManager } from './workflow-manager.ts'
import { workflowRows } from './workflow-rows.ts'
import type { WorkflowTable } from './workflow-table.ts'
import { workflowRoutes } from './routes.ts'

let fixture: CommandApiFixture
let table: WorkflowTable
let next = 1
/** Two accounts that each process pays into, and the one that decides. */
let accounts: readonly [deciding: UserId, first: UserId, second: UserId]

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  table = workflowRows(fixture.db)
})
afterAll(() => fixture.close())
beforeEach(openAccounts)

async function openAccounts(): Promise<void> {
  accounts = [userId(next++), userId(next++), userId(next++)]
  for (const account of accounts) {
    await fixture.ledger.execute(account, { type: 'OpenAccount' }, BY_SYSTEM)
    await fixture.ledger.execute(account, { ...CREDIT, amount: quota(100) }, BY_SYSTEM)
  }
}

const BY_SYSTEM = { actor: 'system', correlationId: 'test', causationId: null } as const
const BY_ADMIN = { ...BY_SYSTEM, actor: 'user:1' } as const
const CREDIT = { type: 'CreditQuota', source: 'refund', reason: 'split' } as const
const EVERY = { dueMs: 10, rowsMs: 1_000, stuckMs: 10 } as const

/** A debit is paid out to two other accounts and told to its user: three steps on three streams. */
function split(ledger: Pick<AccountLedger, 'execute'>, life = new Life()): EventTriggeredWorkflow {
  const outbox = life.crashable(notificationOutbox(fixture.db, fixture.clock), ['notify'])
  const [deciding, ...others] = accounts
  const pay = async (to: UserId, decision: RecordedEvent): Promise<void> => {
    const outcome = await ledger.execute(
      to,
      { ...CREDIT, amount: quota(5) },
      { ...BY_SYSTEM, causationId: decision.id },
      { deduplicateFrom: { eventType: 'QuotaCredited', position: decision.position } },
    )
    if (outcome.status === 'rejected') throw new Error(outcome.rejection.reason)
  }
  return {
    from: 'event',
    kind: 'split',
    streamPrefixes: ['account-'],
    eventTypes: ['QuotaDebited'],
    isDecidedBy: ({ stream }) => stream === accountStream(deciding),
    steps: (decision) => [
      ...others.map((to) => ({ name: `pay ${to}`, act: () => pay(to, decision) })),
      {
        name: 'tell',
        act: () =>
          outbox.notify({
            userId: deciding,
            type: 'quota_adjusted',
            causationId: decision.id,
            title: '',
            content: '',
            values: [],
            at: decision.data.at,
          }),
      },
    ],
  }
}

const start = (
  kinds: readonly EventTriggeredWorkflow[],
  parts: Partial<Parameters<typeof startWorkflowManager>[0]> = {},
) =>
  startWorkflowManager({
    ...fixture,
    table,
    shareWork: singletonLease(fixture.clock),
    kinds,
    log: { warn: () => undefined },
    every: EVERY,
    ...parts,
  })

/** One incarnation of the process, dead after so many moments. */
async function incarnate(moments: number): Promise<{ manager: WorkflowManager; life: Life }> {
  const life = new Life(moments)
  const store = life.crashable(fixture.store, ['append'])
  const ledger = new AccountLedger({ ...fixture, store })
  const manager = await start([split(ledger, life)], {
    table: life.crashable(table, ['advance', 'finish', 'postpone']),
  })
  return { manager, life }
}

async function decide(): Promise<RecordedEvent> {
  const outcome = await fixture.ledger.execute(
    accounts[0],
    { type: 'DebitQuota', amount: quota(1), reason: randomUUID() },
    BY_ADMIN,
  )
  const events = await fixture.eventsOf(accountStream(accounts[0]))
  const decision = events.findLast(({ type }) => type === 'QuotaDebited')
  if (outcome.status !== 'done' || decision === undefined) throw new Error('not decided')
  return decision
}

const isAllDone = async ({ position }: RecordedEvent): Promise<boolean> =>
  (await table.checkpoint({ position: 0, log: null })).position >= position &&
  (await table.list(10)).total === 0

/** As if an event had been recorded before others, which a clock that goes on cannot make. */
async function recordedEarlier({ position }: RecordedEvent, ms: number): Promise<void> {
  const client = await fixture.pool.connect()
  try {
    await client.query('begin; set local session_replication_role = replica')
    await client.query(
      `update ledger.events set recorded_at = recorded_at - make_interval(secs => $2) where position = $1`,
      [position, ms / 1_000],
    )
    await client.query('commit')
  } finally {
    client.release()
  }
}

/** How often each of the three steps left its mark. */
async function marksOf({ id }: RecordedEvent): Promise<readonly number[]> {
  const paid = await Promise.all(
    accounts.slice(1).map(async (account) => {
      const events = await fixture.eventsOf(accountStream(account))
      return events.filter(({ metadata }) => metadata.causationId === id).length
    }),
  )
  const { rows } = await fixture.pool.query(
    'select 1 from identity.notifications where causation_id = $1',
    [id],
  )
  return [...paid, rows.length]
}

/** Notes the decision, pays, pays, tells, forgets: each with a moment before and after. */
const MOMENTS = 10

/** Lets one process after the other die at the given moments, and then one live. */
async function driveThrough(deaths: readonly number[]): Promise<{
  readonly marks: readonly number[]
  readonly died: number
}> {
  await openAccounts()
  let died = 0
  let decision: RecordedEvent | null = null
  for (const moments of deaths) {
    const { manager, life } = await incarnate(moments)
    const decided = (decision ??= await decide())
    await until('it is dead or done', async () => life.isOver || isAllDone(decided))
    await manager.stop()
    if (life.isOver) died++
  }
  const { manager } = await incarnate(Infinity)
  const decided = decision ?? (await decide())
  await until('it is done', () => isAllDone(decided))
  await manager.stop()
  return { marks: await marksOf(decided), died }
}

describe('given work across three streams,', () => {
  test('when nothing happens, then every step is taken once', async () => {
    expect(await driveThrough([])).toEqual({ marks: [1, 1, 1], died: 0 })
  })

  test('when the process dies at any moment, then the next one takes what is missing, and nothing twice', async () => {
    for (let moment = 1; moment <= MOMENTS; moment++) {
      const driven = await driveThrough([moment])
      expect(driven, `death at moment ${moment}`).toEqual({ marks: [1, 1, 1], died: 1 })
    }
    // Nothing is left to die in: the moments above are all there are.
    expect(await driveThrough([MOMENTS + 1])).toEqual({ marks: [1, 1, 1], died: 0 })
  }, 60_000)

  test('when the next process dies, too, at any other moment, then it still ends with every step taken once', async () => {
    for (let first = 1; first <= MOMENTS; first++) {
      for (let second = 1; second <= MOMENTS; second += 3) {
        const { marks } = await driveThrough([first, second])
        expect(marks, `deaths at moments ${first} and ${second}`).toEqual([1, 1, 1])
      }
    }
  }, 60_000)

  test('when two managers both believe to be the only one, then no step is taken twice', async () => {
    const managers = await Promise.all([incarnate(Infinity), incarnate(Infinity)])
    const decisions: RecordedEvent[] = []
    for (let i = 0; i < 15; i++) decisions.push(await decide())
    const last = decisions[14] ?? (await decide())
    await until('it is done', () => isAllDone(last))
    await Promise.all(managers.map(({ manager }) => manager.stop()))
    for (const decision of decisions) expect(await marksOf(decision)).toEqual([1, 1, 1])
  })
})

test('given a right that moves, when work is decided, then its holder alone drives it, the next goes on', async () => {
  const begun: string[] = []
  const shares = new Map<string, SharedWork>()
  const at = async (place: string): Promise<WorkflowManager> => {
    const kind = split(fixture.ledger)
    const noting = (decision: RecordedEvent) => {
      begun.push(place)
      return kind.steps(decision)
    }
    const shareWork: ShareWork = (work) => {
      shares.set(place, work)
      return singletonLease(fixture.clock)({ ...work, begin: () => undefined })
    }
    return start([{ ...kind, steps: noting }], { shareWork })
  }
  const managers = [await at('here'), await at('there')]
  for (const place of ['here', 'there', 'here']) {
    shares.get(place)?.begin('process-manager')
    const decision = await decide()
    await until('it is done', () => isAllDone(decision))
    expect(await marksOf(decision)).toEqual([1, 1, 1])
    await shares.get(place)?.end('process-manager', 'hand-over')
  }
  expect(begun).toEqual(['here', 'there', 'here'])
  const waiting = await decide()
  shares.get('there')?.begin('process-manager')
  await until('it is done', () => isAllDone(waiting))
  await Promise.all(managers.map((manager) => manager.stop()))
})

describe('given a step that keeps failing,', () => {
  let broken = true
  let attempts = 0
  const failing = (): EventTriggeredWorkflow => ({
    ...split(fixture.ledger),
    kind: 'failing',
    steps: () => [
      { name: 'first', act: () => Promise.resolve() },
      {
        name: 'second',
        act: () => {
          attempts++
          return broken ? Promise.reject(new Error('the mail server is away')) : Promise.resolve()
        },
      },
    ],
  })
  const routes = () => workflowRoutes({ table, clock: fixture.clock })
  const list = async () =>
    (await callRoute(routes(), 'GET /api/ledger/processes')).data as {
      readonly items: readonly Readonly<Record<string, unknown>>[]
      readonly total: number
    }
  const failedTimes = (times: number) =>
    until(
      `it has failed ${times} times`,
      async () => (await list()).items[0]?.['attempts'] === times,
    )

  test('when others wait with it, then they are done, it is listed with its error, and a retry does it', async () => {
    broken = true
    attempts = 0
    const kinds = [failing(), split(fixture.ledger)]
    let manager = await start(kinds)
    const decision = await decide()
    await failedTimes(1)
    await until('the other is done', async () => (await list()).total === 1)
    expect(await marksOf(decision)).toEqual([1, 1, 1])

    // The pauses between attempts grow; what was noted of them outlives the manager.
    expect(attempts).toBe(1)
    fixture.pass(1_000)
    await failedTimes(2)
    await manager.stop()
    manager = await start(kinds)
    for (const [times, pauseMs] of [
      [3, 2_000],
      [4, 4_000],
      [5, 8_000],
    ] as const) {
      expect(manager.stuckCount()).toBe(0)
      fixture.pass(pauseMs)
      await failedTimes(times)
    }
    await until('it is counted as stuck', () => manager.stuckCount() === 1)
    expect((await list()).items).toEqual([
      expect.objectContaining({
        id: decision.id,
        kind: 'failing',
        stream: accountStream(accounts[0]),
        step: 'second',
        attempts: 5,
        is_stuck: true,
        last_error: 'the mail server is away',
        age_seconds: 15,
      }),
    ])

    broken = false
    const params = { id: decision.id }
    expect(await callRoute(routes(), 'POST /api/ledger/processes/:id/retry', { params })).toEqual(
      {},
    )
    await until('it is done', async () => (await list()).total === 0)
    await until('it is counted no more', () => manager.stuckCount() === 0)
    expect(attempts).toBe(6)
    expect(
      await callRoute(routes(), 'POST /api/ledger/processes/:id/retry', { params }),
    ).toMatchObject({ success: false })
    await manager.stop()
  })

  test('when its kind is unknown to this version, then it waits, shown, and is done once the kind is back', async () => {
    broken = false
    const kinds = [failing()]
    await table.note(
      [{ id: randomUUID(), kind: 'of tomorrow', decision: null }],
      fixture.clock.now(),
    )
    const manager = await start(kinds)
    await failedTimes(1)
    expect((await list()).items[0]?.['last_error']).toContain('of tomorrow')
    await manager.stop()
    const steps = () => [{ name: 'only', act: () => Promise.resolve() }]
    const row = {
      from: 'row',
      kind: 'of tomorrow',
      find: () => Promise.resolve([]),
      steps,
    } as const
    const later = await start([], { kinds: [row] })
    fixture.pass(1_000)
    await until('it is done', async () => (await list()).total === 0)
    await later.stop()
  })
})

test('given an event that a kind cannot judge, when followed, then it is listed and the next are done', async () => {
  const kind = split(fixture.ledger)
  const bad = await decide()
  const judging = (event: RecordedEvent): boolean => {
    if (event.id === bad.id) throw new Error('never seen the like')
    return kind.isDecidedBy(event)
  }
  const steps = (event: RecordedEvent) => (judging(event) ? kind.steps(event) : [])
  await fixture.pool.query('update process_manager.checkpoint set position = $1', [
    bad.position - 1,
  ])
  let manager = await start([{ ...kind, isDecidedBy: judging, steps }])
  const good = await decide()
  await until('the good is done', async () => (await marksOf(good)).every((count) => count === 1))
  await until('the bad one alone is left, and has failed', async () => {
    const { processes } = await table.list(10)
    return processes.length === 1 && processes[0]?.lastError !== ''
  })
  const { processes } = await table.list(10)
  expect(processes).toMatchObject([{ id: bad.id, lastError: 'never seen the like' }])
  await manager.stop()
  // A later version knows what to do with it.
  manager = await start([kind])
  fixture.pass(1_000)
  await until('all is done', async () => (await table.list(10)).total === 0)
  expect(await marksOf(bad)).toEqual([1, 1, 1])
  await manager.stop()
})

test('given a log with a history, when the manager runs for the first time, then it begins at the end', async () => {
  await fixture.pool.query('delete from process_manager.checkpoint')
  const old = await decide()
  const manager = await start([split(fixture.ledger)])
  const young = await decide()
  await until('it is done', () => isAllDone(young))
  expect(await marksOf(young)).toEqual([1, 1, 1])
  expect(await marksOf(old)).toEqual([0, 0, 0])
  await manager.stop()
})

test('given a log that was put back, when it reuses positions seen before, then what they say is done', async () => {
  const old = await decide()
  await recordedEarlier(old, 25 * 3_600_000)
  // Appended after the log was put back and before anybody noticed, where the checkpoint has passed.
  const unnoticed = await decide()
  const begun = await decide()
  const { stream, revision } = begun
  const lost = { id: randomUUID(), kind: 'split', decision: { stream, revision } }
  await table.note([{ ...lost, id: begun.id }, lost], fixture.clock.now())
  const [first] = await ensureTimelines(fixture)
  const putBack = await openTimeline(fixture, 'accept-rollback')
  const { log } = currentTimeline(putBack)
  const young = await decide()
  const ahead = young.position + 1_000
  const moved = 'update process_manager.checkpoint set position = $1, log = $2'
  await fixture.pool.query(moved, [ahead, first.log])
  // One that has not begun anew yet leaves the checkpoint to it.
  const older = await start([split(fixture.ledger)], { timelines: [first] })
  const manager = await start([split(fixture.ledger)], { timelines: putBack })
  await until('it is done', () => isAllDone(young))
  await until('the unnoticed is done', async () =>
    (await marksOf(unnoticed)).every((times) => times === 1),
  )
  // Events before it belong to both pasts, and had been seen to.
  expect(await marksOf(old)).toEqual([0, 0, 0])
  // Workflows that were begun and not done yet go on where the log still has their decision, and are dropped where it
  // has not.
  expect(await marksOf(begun)).toEqual([1, 1, 1])
  const reached = await table.checkpoint({ position: 0, log: null })
  expect(reached.log).toBe(log)
  expect(reached.position).toBeLessThan(ahead)
  await Promise.all([manager.stop(), older.stop()])
})

test('given a checkpoint without timelines, when the log was put back since, then all since is looked at', async () => {
  await decide()
  const putBack = await openTimeline(fixture, 'accept-rollback')
  const young = await decide()
  await fixture.pool.query('update process_manager.checkpoint set position = $1, log = null', [
    young.position + 1_000,
  ])
  const manager = await start([split(fixture.ledger)], { timelines: putBack })
  const isDone = async (): Promise<boolean> => (await marksOf(young)).every((times) => times === 1)
  await until('it is done', isDone)
  await manager.stop()
})
