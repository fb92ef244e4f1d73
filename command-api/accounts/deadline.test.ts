import { exampleTimelines } from '@tollgate/tests/support/example-timelines.ts'
import { accountStream } from '@tollgate/domain/event.ts'
import { userId } from '@tollgate/domain/ids.ts'
import { type EventStore, StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import { quota } from '@tollgate/domain/quota.ts'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { ManualClock } from '@tollgate/tests/support/manual-clock.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { AccountLedger } from './account-ledger.ts'
import { CommandDeadlineExceeded } from './command-deadline-exceeded.ts'
import { COMMAND_MS, ledgerWithDeadline } from './deadline.ts'

let fixture: CommandApiFixture
let clock: ManualClock
let ledger: AccountLedger
let account = userId(1)
let isUnavailable = false
let attempts = 0
/** By how much the owner's wall clock was put back. */
let steppedBackMs = 0
const said: string[] = []

beforeAll(async () => (fixture = await openCommandApiFixture()))
afterAll(() => fixture.close())
beforeEach(async () => {
  account = userId(account + 1)
  clock = new ManualClock()
  said.length = 0
  isUnavailable = false
  attempts = 0
  const log = {
    warn: (_: object, text: string) => void said.push(text),
    info: (_: object, text: string) => void said.push(text),
  }
  const store: EventStore = {
    ...fixture.store,
    async append(...args) {
      attempts += 1
      if (isUnavailable) throw new StoreUnavailable('away', 'unknown')
      return fixture.store.append(...args)
    },
  }
  steppedBackMs = 0
  const stepping = {
    now: () => clock.now() - steppedBackMs,
    monotonicMs: () => clock.monotonicMs(),
    sleep: clock.sleep.bind(clock),
  }
  ledger = new AccountLedger({
    ...fixture,
    store,
    clock: stepping,
    log,
    timelines: exampleTimelines,
  })
  await ledger.execute(account, { type: 'OpenAccount' }, cause())
})

const cause = (causationId: string | null = null) =>
  ({ actor: 'system', correlationId: 'test', causationId }) as const
const credit = (amount: number) =>
  ({ type: 'CreditQuota', amount: quota(amount), source: 'grant', reason: '' }) as const
const people = () => ledgerWithDeadline(ledger, clock)
const exceeded = (outcome: string) =>
  expect.objectContaining({ name: 'CommandDeadlineExceeded', outcome })
const hearing = (asked: Promise<unknown>) => asked.catch((error: unknown) => error)

test('given a log without appends, when a command times out, then its id asks for the first outcome later', async () => {
  isUnavailable = true
  const once = { deduplicateFrom: {} }
  const first = hearing(people().execute(account, credit(5), cause('command-1'), once))
  await until('it is tried', () => attempts > 1)
  const behind = hearing(people().execute(account, credit(7), cause('command-2'), once))
  await clock.pass(COMMAND_MS - 1)
  const early = await Promise.race([first, Promise.resolve('nothing yet')])
  expect(early).toBe('nothing yet')
  await clock.pass(1)
  expect(await first).toEqual(exceeded('unknown'))
  expect(String(await first)).toContain('command-1')
  // Nobody has begun with it: it is dropped, whatever the wall clock says later.
  expect(await behind).toEqual(exceeded('none'))
  steppedBackMs = 60_000

  isUnavailable = false
  const again = people().execute(account, credit(5), cause('command-1'), once)
  await clock.pass(1_000)
  expect(await again).toMatchObject({ status: 'done' })
  const events = (await fixture.eventsOf(accountStream(account))).map(({ data }) => data)
  expect(events.filter((data) => 'amount' in data)).toMatchObject([{ amount: 5 }])
})

test('given a command that reaches its owner too late, when it is taken, then it alone is dropped', async () => {
  const late = hearing(ledger.execute(account, credit(5), cause(), { deadline: clock.now() - 1 }))
  const fine = ledger.execute(account, credit(7), cause(), { deadline: clock.now() + 1 })
  expect(await late).toBeInstanceOf(CommandDeadlineExceeded)
  expect(await late).toEqual(exceeded('none'))
  expect(await fine).toMatchObject({ status: 'done' })
  expect(await ledger.inspect(account, ({ posted }) => posted)).toBe(7)
})

test('given a log that fails for minutes, when many commands wait, then its start and end are logged once', async () => {
  isUnavailable = true
  const other = userId(account + 1_000)
  const waiting = [
    ledger.execute(account, credit(1), cause()),
    ledger.execute(other, { type: 'OpenAccount' }, cause()),
  ]
  await until('both are tried', () => attempts > 2)
  await clock.pass(40_000)
  expect(said).toHaveLength(1)
  isUnavailable = false
  await clock.pass(1_000)
  await Promise.all(waiting)
  expect(said).toEqual([
    expect.stringMatching(/^ledger: the event log takes no append;/),
    'ledger: no append waits for the event log any more',
  ])
})
