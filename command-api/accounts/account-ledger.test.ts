import { exampleTimelines } from '@tollgate/tests/support/example-timelines.ts'
import { randomUUID } from 'node:crypto'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { exampleUsage } from '@tollgate/tests/support/example-usage.ts'
import { accountStream } from '@tollgate/domain/event.ts'
import {
  type HoldId,
  holdId,
  relayId,
  type TokenId,
  tokenId,
  userId,
} from '@tollgate/domain/ids.ts'
import {
  AppendRefused,
  EMPTY_STREAM,
  type EventStore,
  StoreUnavailable,
} from '@tollgate/domain/ports/event-store.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { openPostgresEventStore } from '@tollgate/infra/event-store/postgres/store.ts'
import { systemClock } from '@tollgate/infra/processes/runtime.ts'
import {
  createMigratedDatabase,
  type TestDatabase,
} from '@tollgate/tests/support/engines/database.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AccountLedger } from './account-ledger.ts'
import { newEvents } from '../aggregates/cause.ts'
import { HoldService } from '../holds/hold-service.ts'
import { LocalRelays } from '../holds/local-relays.ts'
import { ownsEverything } from './ownership.ts'

const clock = systemClock
const randomness = { uuid: () => randomUUID(), fraction: () => Math.random() }
const logger = { info() {}, warn() {}, error() {} }
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const
const relay = relayId('relay-a')

let database: TestDatabase
let store: EventStore
let account = userId(1)
let nextAccount = 1

beforeAll(async () => {
  database = await createMigratedDatabase()
  store = openPostgresEventStore({ pool: database.pool, databaseUrl: database.url, logger, clock })
})
afterAll(async () => {
  await store.close()
  await database.drop()
})
beforeEach(() => {
  account = userId(nextAccount++)
})

const ledgerOn = (on: EventStore) =>
  new AccountLedger({ timelines: exampleTimelines, store: on, clock, randomness })
const holdServiceOn = (ledger: AccountLedger, relays = new LocalRelays(clock)) =>
  new HoldService({ ledger, clock, relays, ownership: ownsEverything(clock) })

async function openWith(ledger: AccountLedger, amount: number): Promise<void> {
  await ledger.execute(account, { type: 'OpenAccount' }, cause)
  await ledger.execute(
    account,
    { type: 'CreditQuota', amount: quota(amount), source: 'grant', reason: 'test' },
    cause,
  )
}

async function eventsOf(): Promise<AccountEvent[]> {
  const events: AccountEvent[] = []
  for await (const event of store.readStream(accountStream(account))) {
    events.push({ type: event.type, data: event.data } as AccountEvent)
  }
  return events
}

const report = (hold: HoldId, sequence: number, amount: number, final = false) =>
  ({
    type: 'usage',
    account,
    relay,
    hold,
    sequence,
    token: null,
    amount: quota(amount),
    request: exampleUsage(`r${sequence}`),
    final,
    endedAt: 0,
  }) as const

const terms = { unlimited: false, expiresAt: null, group: '', models: null, allowedIps: [] }

async function placed(
  holdService: HoldService,
  need: number,
  want = need,
  token: TokenId | null = null,
) {
  const ask = { account, token, relay, nonce: randomUUID(), need: quota(need), want: quota(want) }
  const answer = await holdService.placeHold(ask)
  if (answer.status !== 'held') throw new Error(`expected a hold, got ${answer.status}`)
  return { ...answer, ask }
}

test('given a stream that does not add up, when its account is used, then that account alone fails', async () => {
  const ledger = ledgerOn(store)
  const hold = holdId(account, 9, null)
  const free: AccountEvent = {
    type: 'HoldReduced',
    data: { at: 1, hold, sequence: 1, amount: quota(5) },
  }
  const opened: AccountEvent = { type: 'AccountOpened', data: { at: 1 } }
  const events = newEvents([opened, free], cause, randomness)
  await store.append(accountStream(account), events, EMPTY_STREAM)
  const broken = { code: 'INVARIANT_BROKEN', retryable: false }
  await expect(openWith(ledger, 1)).rejects.toMatchObject(broken)
  await expect(ledger.inspect(account, ({ posted }) => posted)).rejects.toMatchObject(broken)
  account = userId(nextAccount++)
  await openWith(ledger, 1)
  expect(await ledger.inspect(account, ({ posted }) => posted)).toBe(1)
})

test('given a hold lost from memory, when commands are decided, then the account is read anew first', async () => {
  const ledger = ledgerOn(store)
  await openWith(ledger, 100)
  await placed(holdServiceOn(ledger), 40)
  const lost = ledger.inspect(account, ({ holds }) => holds.clear())
  const suspended = ledger.execute(account, { type: 'SuspendAccount' }, cause)
  await expect(lost).rejects.toMatchObject({ code: 'INVARIANT_BROKEN' })
  expect(await suspended).toMatchObject({ status: 'done' })
  expect(await ledger.inspect(account, ({ holds }) => holds.size)).toBe(1)
  expect((await eventsOf()).map(({ type }) => type).slice(2)).toEqual([
    'QuotaHeld',
    'AccountSuspended',
  ])
})

test('given holds asked for at once, when the account is inspected meanwhile, then no torn state is seen', async () => {
  const ledger = ledgerOn(store)
  await openWith(ledger, 1_000)
  const place = (nonce: string) => {
    const grant = { token: null, relay, nonce, need: quota(30), want: quota(30) }
    return ledger.execute(account, { type: 'PlaceHold', ...grant }, cause)
  }
  const seen = () =>
    ledger.inspect(account, ({ held, holds }) => ({
      held,
      nonces: [...holds.values()].map(({ nonce }) => nonce),
    }))
  const [, first, , second] = await Promise.all([place('a'), seen(), place('b'), seen()])
  expect(first).toEqual({ held: 30, nonces: ['a'] })
  expect(second).toEqual({ held: 60, nonces: ['a', 'b'] })
})

describe('given an account,', () => {
  test('when many commands come at once, then they are decided in order and none is lost', async () => {
    const ledger = ledgerOn(store)
    await openWith(ledger, 1)
    const outcomes = await Promise.all(
      Array.from({ length: 500 }, () =>
        ledger.execute(
          account,
          { type: 'CreditQuota', amount: quota(1), source: 'grant', reason: '' },
          cause,
        ),
      ),
    )
    expect(outcomes.every(({ status }) => status === 'done')).toBe(true)
    expect(await ledger.inspect(account, (state) => state.posted)).toBe(501)
    const credited = (await eventsOf()).filter(({ type }) => type === 'QuotaCredited')
    expect(credited).toHaveLength(501)
  })

  test('when debits compete for what is left, then it is given away once', async () => {
    const ledger = ledgerOn(store)
    await openWith(ledger, 10)
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, () =>
        ledger.execute(account, { type: 'DebitQuota', amount: quota(3), reason: '' }, cause),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'done')).toHaveLength(3)
    expect(outcomes.find(({ status }) => status === 'rejected')).toEqual({
      status: 'rejected',
      rejection: { reason: 'insufficient-quota', available: 1, balance: 1 },
    })
  })

  test('when two writers believe to own it, then the expected revision keeps its books right', async () => {
    const [one, other] = [ledgerOn(store), ledgerOn(store)]
    await openWith(one, 100)
    await other.inspect(account, () => null)
    await Promise.all(
      [one, other].flatMap((ledger) =>
        Array.from({ length: 40 }, () =>
          ledger.execute(account, { type: 'DebitQuota', amount: quota(2), reason: '' }, cause),
        ),
      ),
    )
    const fresh = await ledgerOn(store).inspect(account, (state) => state.posted)
    expect(fresh).toBe(0)
    expect((await eventsOf()).filter(({ type }) => type === 'QuotaDebited')).toHaveLength(50)
  })

  test('when an acknowledgement is lost, then the same events are appended again and stand there once', async () => {
    let lost = 0
    const forgetful: EventStore = {
      ...store,
      append: async (stream, events, head) => {
        const appended = await store.append(stream, events, head)
        if (lost++ % 2 === 0) throw new StoreUnavailable('no answer', 'unknown')
        return appended
      },
      readStream: store.readStream.bind(store),
    }
    const ledger = ledgerOn(forgetful)
    await openWith(ledger, 7)
    await ledger.execute(account, { type: 'DebitQuota', amount: quota(2), reason: '' }, cause)
    expect((await eventsOf()).map(({ type }) => type)).toEqual([
      'AccountOpened',
      'QuotaCredited',
      'QuotaDebited',
    ])
  })

  test.each(['append', 'read'] as const)(
    'when its %s was under way as another wrote and it was taken back, then memory keeps nothing of it',
    async (slow) => {
      const begun = Promise.withResolvers<void>()
      const answered = Promise.withResolvers<void>()
      const other = ledgerOn(store)
      await openWith(other, 100)
      const answersLate: EventStore = {
        ...store,
        async append(stream, events, head) {
          const appended = await store.append(stream, events, head)
          if (slow === 'append') await untilAnswered()
          return appended
        },
        async *readStream(stream, options) {
          const read = await Array.fromAsync(store.readStream(stream, options))
          if (slow === 'read') await untilAnswered()
          yield* read
        },
      }
      const untilAnswered = (): Promise<void> => {
        begun.resolve()
        return answered.promise
      }
      const ledger = ledgerOn(answersLate)
      const debit = { type: 'DebitQuota', amount: quota(1), reason: '' } as const
      const first =
        slow === 'append'
          ? ledger.execute(account, debit, cause)
          : ledger.inspect(account, () => null)
      await begun.promise
      await other.execute(account, { ...debit, amount: quota(40) }, cause)
      ledger.invalidate((one) => one === account)
      answered.resolve()
      await first
      const posted = await ledger.inspect(account, (state) => state.posted)
      expect(posted).toBe(slow === 'append' ? 59 : 60)
    },
  )

  test.each([
    ['small', 'on the append of commands', 5],
    ['large', 'on an append of its own', 700],
  ] as const)(
    'when its state is %s and carrying forward is due, then the balance goes %s',
    async (size, _how, models) => {
      const appends: string[][] = []
      const listing: EventStore = {
        ...store,
        append: (stream, events, head) => {
          appends.push(events.map(({ type }) => type))
          return store.append(stream, events, head)
        },
        readStream: store.readStream.bind(store),
      }
      const ledger = ledgerOn(listing)
      await openWith(ledger, 1_000)
      const names = Array.from({ length: models }, (_, i) => `a-model-with-a-rather-long-name-${i}`)
      for (let id = 1; id <= 3; id++) {
        const issue = { type: 'IssueToken', token: tokenId(id), remain: quota(1) } as const
        await ledger.execute(account, { ...issue, ...terms, models: names }, cause)
      }
      const debit = { type: 'DebitQuota', amount: quota(1), reason: 'x'.repeat(6_000) } as const
      for (let i = 0; i < 140; i++) await ledger.execute(account, debit, cause)
      const carrying = appends.filter((types) => types.includes('BalanceCarriedForward'))
      expect(carrying.length).toBeGreaterThan(0)
      for (const types of carrying) expect(types.length).toBe(size === 'small' ? 2 : 1)
      expect(await ledgerOn(store).inspect(account, (state) => state.posted)).toBe(860)
    },
  )

  test('when it has a long history, then its balance is carried forward and a new writer needs only that', async () => {
    const ledger = ledgerOn(store)
    const holdService = holdServiceOn(ledger)
    await openWith(ledger, 1_000_000)
    const { hold } = await placed(holdService, 1000)
    for (let sequence = 1; sequence <= 120; sequence++)
      await holdService.publish(report(hold, sequence, 5))
    const carried = (await eventsOf()).filter(({ type }) => type === 'BalanceCarriedForward')
    expect(carried.length).toBeGreaterThanOrEqual(1)
    const again = ledgerOn(store)
    expect(
      await again.inspect(account, ({ posted, held, requestCount }) => ({
        posted,
        held,
        requestCount,
      })),
    ).toEqual({
      posted: 1_000_000 - 600,
      held: 400,
      requestCount: 120,
    })
    const repeating = holdServiceOn(again)
    await repeating.publish(report(hold, 60, 5))
    expect(await again.inspect(account, (state) => state.requestCount)).toBe(120)
  })
})

describe('given commands that cannot be carried out,', () => {
  test('when one breaks in a batch, then only it fails and the charge beside it stands once', async () => {
    const ledger = ledgerOn(store)
    const holdService = holdServiceOn(ledger)
    await openWith(ledger, 1000)
    const { hold } = await placed(holdService, 100)
    const credit = { type: 'CreditQuota', amount: quota(5), source: 'grant', reason: '' } as const
    const broken = { type: 'DebitQuota', amount: 0.5 as never, reason: '' } as const
    const outcomes = await Promise.allSettled([
      ledger.execute(account, credit, cause),
      ledger.execute(account, broken, cause),
      holdService.publish(report(hold, 1, 30)),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await ledger.inspect(account, (state) => state.posted)).toBe(975)
    expect(await ledgerOn(store).inspect(account, (state) => state.posted)).toBe(975)
  })

  test('when the store refuses one for good, then it alone fails, at once, and the charge beside it stands', async () => {
    let attempts = 0
    const refusing: EventStore = {
      ...store,
      append: (stream, events, head) => {
        attempts += 1
        const isPoison = events.some(({ data }) => JSON.stringify(data).includes('poison'))
        if (isPoison) return Promise.reject(new AppendRefused('too large for this server'))
        return store.append(stream, events, head)
      },
    }
    const ledger = ledgerOn(refusing)
    const holdService = holdServiceOn(ledger)
    await openWith(ledger, 1000)
    const { hold } = await placed(holdService, 100)
    const poison = report(hold, 2, 40)
    const charges = [
      report(hold, 1, 30),
      { ...poison, request: { ...poison.request, model: 'poison' } },
      report(hold, 3, 20),
    ]
    attempts = 0
    const outcomes = await Promise.allSettled(charges.map((charge) => holdService.publish(charge)))
    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      // By this a broker's consumer, or an embedded relay, keeps the charge apart for the operator.
      { status: 'rejected', reason: { code: 'APPEND_REFUSED', retryable: false } },
      { status: 'fulfilled' },
    ])
    expect(attempts).toBe(4)
    await holdService.publish(report(hold, 4, 10))
    expect(await ledgerOn(store).inspect(account, (state) => state.posted)).toBe(940)
  })

  test('when an amount leaves the range, then it is refused by name', async () => {
    const ledger = ledgerOn(store)
    await openWith(ledger, 1000)
    const amount = quota(2 ** 53 - 1)
    const huge = { type: 'CreditQuota', amount, source: 'grant', reason: '' } as const
    const rejection = { reason: 'amount-too-large' }
    expect(await ledger.execute(account, huge, cause)).toEqual({ status: 'rejected', rejection })
  })

  test('when they are large, then batches are closed before the store refuses them, and charges go on', async () => {
    const ledger = ledgerOn(store)
    const holdService = holdServiceOn(ledger)
    await openWith(ledger, 1_000_000)
    const { hold } = await placed(holdService, 1000)
    const models = Array.from({ length: 700 }, (_, i) => `a-model-with-a-rather-long-name-${i}`)
    const tokens = Array.from({ length: 60 }, (_, i) => {
      const issue = { type: 'IssueToken', token: tokenId(1000 + i), remain: quota(1) } as const
      return ledger.execute(account, { ...issue, ...terms, models }, cause)
    })
    await holdService.publish(report(hold, 1, 7))
    const outcomes = await Promise.all(tokens)
    const issued = outcomes.filter(({ status }) => status === 'done')
    expect(issued.length).toBeGreaterThan(20)
    expect(outcomes.at(-1)).toMatchObject({ rejection: { reason: 'too-many-tokens' } })
    for (let sequence = 2; sequence <= 40; sequence++)
      await holdService.publish(report(hold, sequence, 1))
    const fresh = await ledgerOn(store).inspect(account, (state) => [
      state.posted,
      state.tokens.size,
    ])
    expect(fresh).toEqual([1_000_000 - 7 - 39, issued.length])
  })
})

describe('given a hold,', () => {
  test('when its question is repeated, then the same hold answers', async () => {
    const holdService = holdServiceOn(ledgerOn(store))
    await openWith(ledgerOn(store), 100)
    const first = await placed(holdService, 10, 30)
    const again = await holdService.placeHold(first.ask)
    expect(again).toEqual({ status: 'held', hold: first.hold, amount: first.amount })
    const extension = { relay, hold: first.hold, number: 1, need: quota(5), want: quota(5) }
    expect(await holdService.extendHold(extension)).toEqual({ status: 'extended', amount: 5 })
    expect(await holdService.extendHold(extension)).toEqual({ status: 'extended', amount: 5 })
    expect((await eventsOf()).filter(({ type }) => type === 'HoldExtended')).toHaveLength(1)
  })

  test('when a charge comes twice, also after the hold has ended, then it is charged once', async () => {
    const ledger = ledgerOn(store)
    const holdService = holdServiceOn(ledger)
    await openWith(ledger, 100)
    const { hold } = await placed(holdService, 30)
    await Promise.all([
      holdService.publish(report(hold, 1, 12)),
      holdService.publish(report(hold, 1, 12)),
    ])
    await holdService.finishHold(hold, 1)
    await holdService.publish(report(hold, 1, 12))
    expect(
      await ledger.inspect(account, ({ posted, held, holds }) => ({
        posted,
        held,
        open: holds.size,
      })),
    ).toEqual({
      posted: 88,
      held: 0,
      open: 0,
    })
  })

  test('when a charge comes late, then the wallet pays and the event says so', async () => {
    const ledger = ledgerOn(store)
    const holdService = holdServiceOn(ledger)
    await openWith(ledger, 100)
    const { hold } = await placed(holdService, 30)
    expect(await holdService.closeHoldsOfFormerRuns([hold])).toBe(1)
    await Promise.all([
      holdService.publish(report(hold, 1, 12)),
      holdService.publish(report(hold, 1, 12)),
    ])
    const charges = (await eventsOf()).filter((event) => event.type === 'UsageCharged')
    expect(charges).toHaveLength(1)
    expect(charges[0]?.data).toMatchObject({ fromHold: 0, fromWallet: 12, late: true })
  })

  test('when its final number is known before its charges, then it ends with the last of them', async () => {
    const ledger = ledgerOn(store)
    const holdService = holdServiceOn(ledger)
    await openWith(ledger, 100)
    const { hold } = await placed(holdService, 30)
    await holdService.finishHold(hold, 2)
    await holdService.publish(report(hold, 2, 3))
    expect(await ledger.inspect(account, (state) => state.holds.size)).toBe(1)
    await holdService.publish(report(hold, 1, 4))
    expect(
      await ledger.inspect(account, ({ holds, held, posted }) => ({
        open: holds.size,
        held,
        posted,
      })),
    ).toEqual({
      open: 0,
      held: 0,
      posted: 93,
    })
  })

  test('when quota lacks for another, then idle quota is called back first', async () => {
    const ledger = ledgerOn(store)
    const relays = new LocalRelays(clock)
    const holdService = holdServiceOn(ledger, relays)
    await openWith(ledger, 100)
    const idle = await placed(holdService, 80)
    relays.add(relay, {
      returnIdleQuota: async () => {
        await holdService.publish({
          type: 'return',
          account,
          relay,
          hold: idle.hold,
          sequence: 1,
          amount: quota(70),
          at: 0,
        })
        return quota(70)
      },
    })
    const other = await placed(holdService, 60)
    expect(other.amount).toBe(60)
    expect(await ledger.inspect(account, (state) => state.held)).toBe(70)
  })

  test('when its token has too little left, then the refusal says how much there is', async () => {
    const ledger = ledgerOn(store)
    const holdService = holdServiceOn(ledger)
    await openWith(ledger, 100)
    const token = tokenId(1)
    await ledger.execute(account, { type: 'IssueToken', token, remain: quota(20), ...terms }, cause)
    const ask = { account, token, relay, nonce: 'n', need: quota(30), want: quota(30) }
    expect(await holdService.placeHold(ask)).toEqual({
      status: 'refused',
      reason: 'insufficient-token-quota',
      available: 20,
      balance: 20,
    })
  })
})
