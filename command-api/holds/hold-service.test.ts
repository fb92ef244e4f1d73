import { exampleMark, exampleTimelines } from '@tollgate/tests/support/example-timelines.ts'
import { exampleUsage } from '@tollgate/tests/support/example-usage.ts'
import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import {
  type AccountState,
  type HoldState,
  unopenedAccount,
} from '@tollgate/domain/account/state.ts'
import { holdId, relayId, userId } from '@tollgate/domain/ids.ts'
import { type EventStore, StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import type { UsageMessage } from '@tollgate/domain/ports/usage-journal.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { systemClock, systemRandomness } from '@tollgate/infra/processes/runtime.ts'
import { ManualClock } from '@tollgate/tests/support/manual-clock.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AccountLedger, type CommandOutcome } from '../accounts/account-ledger.ts'
import { CommandDeadlineExceeded } from '../accounts/command-deadline-exceeded.ts'
import { HoldService } from './hold-service.ts'
import { LocalRelays } from './local-relays.ts'
import { ownsEverything } from '../accounts/ownership.ts'

const account = userId(1)
const hold = holdId(account, 3, null)
const clock = systemClock
const message = { account, relay: relayId('relay-a'), hold, sequence: 1, amount: quota(5) }
const usage: UsageMessage = {
  ...message,
  type: 'usage',
  token: null,
  request: exampleUsage('r1'),
  endedAt: 0,
  final: true,
}

const unheard: unknown[] = []
const hear = (error: unknown): void => void unheard.push(error)
beforeEach(() => {
  unheard.length = 0
  process.on('unhandledRejection', hear)
})
afterEach(() => void process.off('unhandledRejection', hear))

function holdServiceWithoutStore(): HoldService {
  const unavailable = {
    async *readStream() {
      yield await Promise.reject(new StoreUnavailable('away', 'none'))
    },
  } as unknown as EventStore
  const ledger = new AccountLedger({
    timelines: exampleTimelines,
    store: unavailable,
    clock,
    randomness: systemRandomness,
  })
  const relays = new LocalRelays(clock)
  return new HoldService({ ledger, clock, relays, ownership: ownsEverything(clock) })
}

test('given a repeated question, when its hold ends first, then it is decided anew', async () => {
  const done = (...events: AccountEvent[]): CommandOutcome => ({
    status: 'done',
    position: 1,
    events,
  })
  const held: AccountEvent = {
    type: 'QuotaHeld',
    data: { at: 0, hold, token: null, relay: message.relay, nonce: 'n', amount: quota(5) },
  }
  const short: CommandOutcome = {
    status: 'rejected',
    rejection: { reason: 'account-suspended' },
  }
  const ask = {
    account,
    token: null,
    relay: message.relay,
    nonce: 'n',
    need: quota(5),
    want: quota(5),
  }
  for (const [second, answer] of [
    [done(held), { status: 'held', hold, amount: 5 }],
    [short, { status: 'refused', reason: 'account-suspended', available: 0, balance: 0 }],
  ] as const) {
    const outcomes = [done(), second]
    const ledger = {
      execute: () => Promise.resolve(outcomes.shift()),
      inspect: (_: unknown, look: (state: AccountState) => unknown) =>
        Promise.resolve(look(unopenedAccount())),
    } as unknown as AccountLedger
    const relays = new LocalRelays(clock)
    const holdService = new HoldService({ ledger, clock, relays, ownership: ownsEverything(clock) })
    expect(await holdService.placeHold(ask)).toEqual(answer)
  }
})

test('given a question 1 ms before its deadline, when deciding takes 50 ms, then it is granted', async () => {
  const stoppedClock = new ManualClock()
  const held: AccountEvent = {
    type: 'QuotaHeld',
    data: { at: 0, hold, token: null, relay: message.relay, nonce: 'n', amount: quota(5) },
  }
  const ledger = {
    async execute(...[, , , { deadline }]: Required<Parameters<AccountLedger['execute']>>) {
      await stoppedClock.sleep(50)
      if ((deadline ?? Infinity) <= stoppedClock.now())
        throw new CommandDeadlineExceeded(account, null, 'none')
      return { status: 'done', position: 1, events: [held] }
    },
  } as unknown as AccountLedger
  const relays = new LocalRelays(stoppedClock)
  const ownership = ownsEverything(stoppedClock)
  const holdService = new HoldService({ ledger, clock: stoppedClock, relays, ownership })
  const ask = { account, token: null, relay: message.relay, need: quota(5), want: quota(5) }
  const placing = holdService
    .placeHold({ ...ask, nonce: 'n', deadline: stoppedClock.now() + 1 })
    .catch(String)
  await stoppedClock.pass(50)
  expect(await placing).toEqual({ status: 'held', hold, amount: 5 })
})

test('given quota that comes while idle quota is looked for, when a hold is wanted, then it is granted', async () => {
  const stoppedClock = new ManualClock()
  const lack = { reason: 'insufficient-quota', available: quota(0), balance: quota(0) } as const
  const held: AccountEvent = {
    type: 'QuotaHeld',
    data: { at: 0, hold, token: null, relay: message.relay, nonce: 'n', amount: quota(5) },
  }
  const outcomes: CommandOutcome[] = [
    { status: 'rejected', rejection: lack },
    { status: 'done', position: 1, events: [held] },
  ]
  const ledger = {
    execute: () => Promise.resolve(outcomes.shift()),
    async inspect(_: unknown, look: (state: AccountState) => unknown) {
      // Behind an append, that of a credit, say.
      await stoppedClock.sleep(1_000)
      return look(unopenedAccount())
    },
  } as unknown as AccountLedger
  const relays = new LocalRelays(stoppedClock)
  const holdService = new HoldService({
    ledger,
    clock: stoppedClock,
    relays,
    ownership: ownsEverything(stoppedClock),
  })
  const { relay } = message
  const ask = { account, token: null, relay, nonce: 'n', need: quota(5), want: quota(5) }
  const placing = holdService.placeHold(ask)
  await stoppedClock.pass(1_000)
  expect(await placing).toEqual({ status: 'held', hold, amount: 5 })
})

test('given a known log position, when a hold is extended, also again, then the answer names the position', async () => {
  const extended: AccountEvent = {
    type: 'HoldExtended',
    data: { at: 0, hold, number: 1, amount: quota(5) },
  }
  const outcomes: CommandOutcome[] = [
    { status: 'done', position: 1, events: [extended] },
    { status: 'done', position: 1, events: [] },
  ]
  const open: HoldState = {
    token: null,
    relay: message.relay,
    nonce: 'n',
    remaining: quota(10),
    granted: quota(5),
    accepted: [],
    extension: { number: 1, amount: quota(5) },
  }
  const state: AccountState = { ...unopenedAccount(), holds: new Map([[hold, open]]) }
  const ledger = {
    execute: () => Promise.resolve(outcomes.shift()),
    inspect: (_: unknown, look: (state: AccountState) => unknown) => Promise.resolve(look(state)),
  } as unknown as AccountLedger
  const seen = exampleMark(7)
  const holdService = new HoldService({
    ledger,
    clock,
    relays: new LocalRelays(clock),
    ownership: ownsEverything(clock),
    seen: () => seen,
  })
  const ask = { relay: message.relay, hold, number: 1, need: quota(5), want: quota(5) }
  const answer = { status: 'extended', amount: 5, seen }
  expect(await holdService.extendHold(ask)).toEqual(answer)
  expect(await holdService.extendHold(ask)).toEqual(answer)
})

test('given a relay that saw more of the log than there is, when it asks for quota, then it gets none', async () => {
  const ledger = {
    execute: (_: unknown, { type }: AccountCommand) => Promise.reject(new Error(type)),
  } as unknown as AccountLedger
  const holdService = new HoldService({
    ledger,
    clock,
    relays: new LocalRelays(clock),
    ownership: ownsEverything(clock),
    admit: ({ position }) => Promise.reject(new StoreUnavailable(`nothing at ${position}`, 'none')),
  })
  const ask = { relay: message.relay, need: quota(5), want: quota(5), seen: exampleMark(7) }
  const placed = holdService.placeHold({ ...ask, account, token: null, nonce: 'n' })
  await expect(placed).rejects.toThrow('nothing at 7')
  await expect(holdService.extendHold({ ...ask, hold, number: 1 })).rejects.toThrow('nothing at 7')
})

test('given a store that is away, when a last charge or return comes, then it fails and is handled', async () => {
  const holdService = holdServiceWithoutStore()
  await expect(holdService.publish(usage)).rejects.toThrow('away')
  // Its final number is known from now on: what comes in is released along with it.
  await expect(
    holdService.publish({ ...message, type: 'return', at: 0, sequence: 2 }),
  ).rejects.toThrow('away')
  await new Promise((resolve) => setImmediate(resolve))
  expect(unheard).toEqual([])
})

test('given a hold’s last number, when its partition moves and returns, then the number is forgotten', async () => {
  let since: number | null = 0
  const commands: string[] = []
  const ledger = {
    execute(_: unknown, { type }: AccountCommand): Promise<CommandOutcome> {
      commands.push(type)
      return Promise.resolve({ status: 'done', position: 1, events: [] })
    },
    inspect: () => Promise.resolve(false),
  } as unknown as AccountLedger
  const ownership = { ...ownsEverything(clock), ownedSince: () => since }
  const holdService = new HoldService({ ledger, clock, relays: new LocalRelays(clock), ownership })
  await holdService.finishHold(hold, 2)
  await holdService.publish({ ...message, type: 'return', at: 0 })
  expect(commands).toEqual(['ReleaseHold', 'ReturnHeldQuota', 'ReleaseHold'])
  since = null
  await holdService.expireSilentHolds()
  since = 0
  await holdService.publish({ ...message, type: 'return', at: 0, sequence: 2 })
  expect(commands.slice(3)).toEqual(['ReturnHeldQuota'])
})

test('given silent holds, when one is claimed during the backlog, then only the other expires', async () => {
  const stoppedClock = new ManualClock()
  const expired: unknown[] = []
  const ledger = {
    timelines: exampleTimelines,
    execute: (_: unknown, command: unknown) => {
      expired.push(command)
      return Promise.resolve({ status: 'done', position: 1, events: [] })
    },
  } as unknown as AccountLedger
  const backlog = Promise.withResolvers<boolean>()
  const ownership = { ...ownsEverything(stoppedClock), isBacklogAppended: () => backlog.promise }
  const relays = new LocalRelays(stoppedClock)
  const holdService = new HoldService({ ledger, clock: stoppedClock, relays, ownership })
  const other = holdId(account, 4, null)
  holdService.noticeOpenHolds([hold, other])
  stoppedClock.jump(31_000)
  const expiring = holdService.expireSilentHolds()
  expect(await holdService.claimHolds(message.relay, [hold])).toEqual([hold])
  backlog.resolve(true)
  await expiring
  expect(expired).toEqual([{ type: 'ExpireHold', hold: other, cause: 'silence' }])
})
