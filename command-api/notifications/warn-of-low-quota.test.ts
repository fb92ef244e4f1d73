import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { currentTimeline, type Timelines } from '@tollgate/domain/timeline/timelines.ts'
import { singletonLease } from '@tollgate/infra/leases/singleton-lease.ts'
import { insertRegistered, setUserStatus } from '@tollgate/tests/support/user-status.ts'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { userStore } from '../identity/user-store.ts'
import { ensureTimelines, openTimeline } from '../timelines/timelines.ts'
import { noticeRows } from './notice-rows.ts'
import { quotaWarningRows } from './quota-warning-rows.ts'
import { type ChargedAccounts, startQuotaWarnings } from './warn-of-low-quota.ts'

const HOUR = 3_600_000
let fixture: CommandApiFixture
const running: { stop(): Promise<void> }[] = []

/** The cost of each charge here. */
const COST = 100
/** Charges as the read models would tell them: one position each. */
const charges: { readonly position: number; readonly userId: number; readonly posted: number }[] =
  []
/** Messages that were logged. */
const said: string[] = []
/** Timelines that the log goes by. */
let timelines: Timelines
/** Position up to which somebody has looked. */
let looked = -1

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  timelines = await ensureTimelines(fixture)
  await quotaWarningRows(fixture.db).checkpoint({ position: -1, log: null })
})
afterAll(() => fixture.close())
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()))
})

async function chargedAfter(
  after: number,
  _end: number,
  chargesMax: number,
): Promise<ChargedAccounts> {
  const recent = charges.filter(({ position }) => position > after).slice(0, chargesMax)
  looked = Math.max(looked, after)
  return {
    accounts: [...new Map(recent.map((one) => [one.userId, one])).values()].map(
      ({ userId, posted, position }) => ({
        userId,
        posted,
        before: posted + COST,
        eventId: `event-${position}`,
        at: fixture.clock.now(),
      }),
    ),
    upTo: recent.at(-1)?.position ?? after,
    isAll: recent.length < chargesMax,
  }
}

function start(
  settings: Readonly<Record<string, string>> = {},
  table = quotaWarningRows(fixture.db),
): void {
  running.push(
    startQuotaWarnings({
      table,
      chargedAfter,
      store: fixture.store,
      timelines,
      options: { current: () => optionsFrom(Object.entries(settings)) },
      shareWork: singletonLease(fixture.clock),
      clock: fixture.clock,
      log: {
        info: (_facts, message) => void said.push(message),
        warn: (_facts, message) => void said.push(message),
      },
      onWarned() {},
      everyMs: 10,
    }),
  )
}

let names = 0
async function userWith(setting: string): Promise<number> {
  const users = userStore(fixture.db)
  const { id } = await insertRegistered(users, {
    username: `user${++names}`,
    passwordHash: null,
    displayName: '',
    role: 1,
    openingQuota: 0,
    openingSource: 'sign-up',
  })
  await users.update(id, { setting })
  return id
}

/** Charges a user, and waits until somebody has looked at it. */
async function charge(...charged: { readonly userId: number; readonly posted: number }[]) {
  for (const one of charged) charges.push({ ...one, position: charges.length })
  const position = charges.length - 1
  await until('the charge was looked at', async () => {
    const { rows } = await fixture.pool.query('select position::float8 from identity.quota_watch')
    return rows[0].position >= position && looked >= position
  })
}

async function warningsOf(userId: number) {
  const search = { status: null, userId }
  const page = await noticeRows(fixture.db).page(search, { offset: 0, limit: 100 })
  return page.notices
}

test('given balances around thresholds, when charged, then those below are warned in both languages', async () => {
  start({ QuotaRemindThreshold: '1000', ServerAddress: 'https://gate.example.com' })
  const own = await userWith('{"quota_warning_threshold":500000}')
  const usual = await userWith('')
  const lacking = await userWith('{"notify_type":"email"}')
  await charge(
    { userId: own, posted: 500_000 },
    { userId: usual, posted: 1_000 },
    { userId: lacking, posted: 1_000 },
  )
  for (const id of [own, usual, lacking]) expect(await warningsOf(id)).toEqual([])
  await charge(
    { userId: own, posted: 499_999 },
    { userId: usual, posted: 999 },
    { userId: lacking, posted: -5 },
  )
  expect(await warningsOf(own)).toMatchObject([
    {
      type: 'quota_exceed',
      causationId: 'event-3',
      title: '您的额度即将用尽',
      content:
        "{{value}}，当前剩余额度为 {{value}}，为了不影响您的使用，请及时充值。<br/>充值链接：<a href='{{value}}'>{{value}}</a>",
      values: [
        '您的额度即将用尽',
        '＄1.000198',
        'https://gate.example.com/topup',
        'https://gate.example.com/topup',
      ],
      english: { title: 'Your quota is running out' },
    },
  ])
  expect(await warningsOf(usual)).toHaveLength(1)
  expect(await warningsOf(lacking)).toHaveLength(1)
})

test('given quota shown as it is and no address, when warned, then the figure is plain and the link usual', async () => {
  start({ DisplayInCurrencyEnabled: 'false' })
  const id = await userWith('')
  await charge({ userId: id, posted: 12 })
  const usual = 'http://localhost:3000/topup'
  expect((await warningsOf(id))[0]?.values).toEqual(['您的额度即将用尽', '112', usual, usual])
})

test('given a user who was warned, when charged on within two hours, then no process warns again', async () => {
  const id = await userWith('')
  for (let run = 0; run < 3; run++) {
    start()
    start()
    await charge({ userId: id, posted: 100 }, { userId: id, posted: 90 })
    await Promise.all(running.splice(0).map((one) => one.stop()))
  }
  expect(await warningsOf(id)).toHaveLength(1)
  fixture.pass(2 * HOUR - 1)
  start()
  await charge({ userId: id, posted: 80 })
  expect(await warningsOf(id)).toHaveLength(1)
  fixture.pass(1)
  await charge({ userId: id, posted: 70 })
  await charge({ userId: id, posted: 60 })
  expect(await warningsOf(id)).toHaveLength(2)
})

test('given a failure at any boundary, when looked at again, then the user is warned once', async () => {
  const table = quotaWarningRows(fixture.db)
  for (const boundary of ['checkpoint', 'below', 'warn', 'advance'] as const) {
    for (const moment of ['before', 'after'] as const) {
      const id = await userWith('')
      let failures = 0
      start(
        {},
        {
          ...table,
          async [boundary](...given: never[]) {
            const act = table[boundary] as (...all: never[]) => Promise<unknown>
            if (failures > 0) return act(...given)
            failures++
            if (moment === 'after') await act(...given)
            throw new Error(`lost ${boundary}`)
          },
        },
      )
      await charge({ userId: id, posted: 1 })
      await until('it has failed', () => failures > 0)
      await charge({ userId: id, posted: 1 })
      await Promise.all(running.splice(0).map((one) => one.stop()))
      expect(await warningsOf(id)).toHaveLength(1)
    }
  }
})

test('given many processes that look at one charge at once, when they warn, then one warning stands', async () => {
  const id = await userWith('')
  const table = quotaWarningRows(fixture.db)
  const now = fixture.clock.now()
  const notice = {
    userId: id,
    type: 'quota_exceed',
    title: '',
    content: '',
    values: [],
    at: now,
  } as const
  const warned = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      table.warn({ ...notice, causationId: `parallel-${i}` }, now, now - 2 * HOUR),
    ),
  )
  expect(warned.filter(Boolean)).toHaveLength(1)
  expect(await warningsOf(id)).toHaveLength(1)
})

test('given charges while nobody looked, when somebody starts, then it goes on where it was', async () => {
  const [missed, deleted] = [await userWith(''), await userWith('')]
  await setUserStatus(userStore(fixture.db), deleted, { deletedAt: new Date() })
  charges.push({ userId: missed, posted: 5, position: charges.length })
  start()
  await charge({ userId: deleted, posted: 5 })
  expect(await warningsOf(missed)).toHaveLength(1)
  expect(await warningsOf(deleted)).toEqual([])
})

test('given a database that is away for several looks, when it is back, then the log said each once', async () => {
  said.length = 0
  let failures = 0
  const rows = quotaWarningRows(fixture.db)
  start(
    {},
    {
      ...rows,
      checkpoint: (head) => {
        if (failures++ < 5) return Promise.reject(new Error('away'))
        return rows.checkpoint(head)
      },
    },
  )
  await until('the log says that it is over', () => said.length === 2 && failures > 7)
  expect(said).toEqual([
    'users cannot be warned of low balances',
    'users are warned of low balances again',
  ])
})

test('given a log put back behind the checkpoint, when users are charged on there, then they are warned', async () => {
  const [first] = timelines
  const table = quotaWarningRows(fixture.db)
  const ahead = { position: charges.length + 1_000, log: first.log }
  await table.advance((await table.checkpoint(ahead)).log, ahead)
  const id = await userWith('')
  charges.push({ userId: id, posted: 5, position: charges.length })
  const putBack = await openTimeline(fixture, 'accept-rollback')
  timelines = putBack
  start()
  await until('the user was warned', async () => (await warningsOf(id)).length > 0)
  await Promise.all(running.splice(0).map((one) => one.stop()))
  const reached = await table.checkpoint(ahead)
  timelines = [first]
  let looks = 0
  const counting: typeof table = {
    ...table,
    checkpoint(initial) {
      looks += 1
      return table.checkpoint(initial)
    },
  }
  start({}, counting)
  await until('the other has looked', () => looks > 2)
  expect(await warningsOf(id)).toHaveLength(1)
  expect(await table.checkpoint(ahead)).toEqual(reached)
  expect(reached.log).toBe(currentTimeline(putBack).log)
})
