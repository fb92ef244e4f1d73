import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import { LOG_START } from '@tollgate/domain/event.ts'
import { userId } from '@tollgate/domain/ids.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { LedgerUnavailable } from '@tollgate/infra/bus/nats/reply.ts'
import { ManualClock } from '@tollgate/tests/support/manual-clock.ts'
import { expect, test } from 'vitest'
import type { AccountLedger, CommandOptions, CommandOutcome } from './account-ledger.ts'
import type { Deduplication } from './processed-causes.ts'
import { routedLedger } from './routed-ledger.ts'

const account = userId(1)
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const
const done: CommandOutcome = { status: 'done', position: LOG_START, events: [] }

/** A process that owns nothing at first, beside one that fails as the test says. */
function routed(
  failure: () => Error | null,
  command: AccountCommand = { type: 'OpenAccount' },
  options: CommandOptions = {},
  clock = new ManualClock(),
) {
  const asked = { own: 0, others: 0 }
  let ownedSince: number | null = null
  const own = {
    execute: () => {
      asked.own += 1
      return Promise.resolve(done)
    },
  } as unknown as AccountLedger
  const ledger = routedLedger({
    own,
    ownership: { ownedSince: () => ownedSince },
    others: {
      execute: () => {
        asked.others += 1
        const error = failure()
        return error === null ? Promise.resolve(done) : Promise.reject(error)
      },
    },
    clock,
  })
  const outcome = ledger.execute(account, command, cause, options).catch((error: unknown) => error)
  return { clock, asked, outcome, own: () => (ownedSince = clock.now()) }
}

const unheard = (): Error => new LedgerUnavailable('nobody owns it', 'none')

test('given an account that changes hands, when nobody hears a command, then it is repeated until owned', async () => {
  let isOwned = false
  const { clock, asked, outcome } = routed(() => (isOwned ? null : unheard()))
  await clock.pass(2_000)
  expect(asked.others).toBeGreaterThan(5)
  isOwned = true
  await clock.pass(200)
  expect(await outcome).toEqual(done)
})

test('given an account that comes here, when a command waits for its owner, then it is done here', async () => {
  const { clock, asked, outcome, own } = routed(unheard)
  await clock.pass(500)
  own()
  await clock.pass(200)
  expect(await outcome).toEqual(done)
  expect(asked.own).toBe(1)
})

test('given an owner that may have heard, when it does not answer, then the command is not sent again', async () => {
  const { asked, outcome } = routed(() => new LedgerUnavailable('no answer', 'unknown'))
  expect(await outcome).toMatchObject({ code: 'LEDGER_UNAVAILABLE', outcome: 'unknown' })
  expect(asked.others).toBe(1)
})

test.each<[string, AccountCommand, { readonly deduplicateFrom?: Deduplication }]>([
  ['a state to be reached', { type: 'SuspendAccount' }, {}],
  [
    'a step that is taken once',
    { type: 'CreditQuota', amount: quota(1), source: 'grant', reason: '' },
    { deduplicateFrom: { eventType: 'QuotaCredited' } },
  ],
])(
  'given an owner whose answer is lost, when it was asked for %s, then it is asked again',
  async (_what, command, options) => {
    const failures = [new LedgerUnavailable('no answer', 'unknown'), unheard()]
    const { clock, asked, outcome } = routed(() => failures.shift() ?? null, command, options)
    await clock.pass(1_000)
    expect(await outcome).toEqual(done)
    expect(asked.others).toBe(3)
  },
)

test('given nobody who owns the account, when patience ends, then the command fails', async () => {
  const { clock, outcome } = routed(unheard)
  await clock.pass(9_000)
  expect(await outcome).toMatchObject({ code: 'LEDGER_UNAVAILABLE', outcome: 'none' })
})

test('given nobody who owns the account, when the deadline comes, then no attempt begins after it', async () => {
  const clock = new ManualClock()
  const deadline = clock.now() + 1_000
  const { asked, outcome } = routed(unheard, { type: 'OpenAccount' }, { deadline }, clock)
  await clock.pass(1_000)
  expect(await outcome).toMatchObject({ code: 'LEDGER_UNAVAILABLE', outcome: 'none' })
  const before = asked.others
  await clock.pass(9_000)
  expect([asked.others, before > 5]).toEqual([before, true])
})

test('given a step whose answer was lost, when nobody hears it again, then its outcome is unknown', async () => {
  const failures = [new LedgerUnavailable('no answer', 'unknown')]
  const { clock, outcome } = routed(() => failures.shift() ?? unheard(), { type: 'SuspendAccount' })
  await clock.pass(9_000)
  expect(await outcome).toMatchObject({ code: 'LEDGER_UNAVAILABLE', outcome: 'unknown' })
})
