import type { DomainEvent, Position } from '@tollgate/domain/event.ts'
import type { StreamFilter } from '@tollgate/domain/ports/event-store.ts'
import { SET_ASIDE } from '@tollgate/domain/set-aside/events.ts'
import {
  type AuditedLog,
  eventStoreDbAuditedLog,
  forgedEvent,
  postgresAuditedLog,
  strangeEvent,
} from '@tollgate/tests/support/histories/audited-log.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock, systemRandomness } from '../processes/runtime.ts'
import { setAside } from '../set-aside/set-aside.ts'
import type { AuditableEventStore } from './auditable-store.ts'

const STREAM = 'account-1'
const credit = (amount: number, type = 'QuotaCredited'): DomainEvent =>
  ({ type, data: { at: 2, amount, source: 'grant', reason: '' } }) as DomainEvent
const ACCOUNTS = { streamPrefixes: ['account-'] } as const

describe.each([
  { engine: 'PostgreSQL', open: postgresAuditedLog },
  { engine: 'EventStoreDB (protocol double)', open: eventStoreDbAuditedLog },
])('following a log in $engine in which another client forges events', ({ open }) => {
  let log: AuditedLog
  /** Behind the first two events. */
  let begun: Position
  beforeEach(async () => {
    log = await open()
    await log.append(STREAM, credit(1), credit(2))
    begun = await log.store.headPosition()
  })
  afterEach(() => log.close())

  /** The amounts that a reader and a follower get, which must be the same. */
  async function amounts(
    store: AuditableEventStore,
    after: Position,
    filter: StreamFilter = ACCOUNTS,
  ): Promise<unknown[]> {
    const name = ({ type, data }: DomainEvent): unknown =>
      type === SET_ASIDE ? 'set aside' : Reflect.get(data, 'amount')
    const read = (await store.readAll(after, filter, 1_000)).map(name)
    const ending = new AbortController()
    const followed: unknown[] = []
    for await (const batch of store.subscribeAll(after, filter, ending.signal)) {
      followed.push(...batch.events.map(name))
      if (batch.caughtUp) ending.abort()
    }
    expect(followed).toEqual(read)
    return read
  }

  test('given readable forged events, when the log is read from anywhere by any process, then none comes', async () => {
    const long = log.openAgain()
    expect(await amounts(long, -1)).toEqual([1, 2])
    const first = forgedEvent(STREAM, credit(90))
    await log.forge(STREAM, first)
    const behind = await log.store.headPosition()
    // Linked to each other, and one to the last event that is Tollgate's.
    await log.forge(STREAM, forgedEvent(STREAM, credit(91), hashOf(first)))
    await log.forge(STREAM, forgedEvent(STREAM, credit(92), await lastHash()))
    await log.append('account-2', credit(3))
    const stores = [long, log.openAgain()]
    for (const store of stores) expect(await amounts(store, -1)).toEqual([1, 2, 3])
    for (const after of [begun, behind]) {
      for (const store of [...stores, log.openAgain()])
        expect(await amounts(store, after)).toEqual([3])
    }
    expect(stores.map((store) => store.foreignProblem())).toEqual([
      expect.stringMatching(
        /^3 events of other clients .*account-1@2, account-1@3, account-1@4\)/u,
      ),
      expect.stringMatching(/^3 events of other clients/u),
    ])
  })

  test('given a long run of linked forged events, when a new process reads from its middle, then none comes', async () => {
    const carried = { type: 'BalanceCarriedForward', data: { at: 2 } } as DomainEvent
    await log.append('account-2', credit(1), carried)
    for (const [stream, runs] of [
      [STREAM, 40],
      ['account-2', 700],
    ] as const) {
      let last = 'f'.repeat(64)
      for (let run = 0; run < runs; run++) {
        const forged = forgedEvent(stream, credit(90), last)
        last = hashOf(forged)
        await log.forge(stream, forged)
      }
      const middle = await log.store.headPosition()
      await log.forge(stream, forgedEvent(stream, credit(91), last))
      const store = log.openAgain()
      expect(await amounts(store, middle)).toEqual([])
      expect(store.foreignProblem()).toContain(`${stream}@`)
      const only = { direction: 'backwards' } as const
      await expect(Array.fromAsync(log.store.readStream(stream, only))).rejects.toMatchObject({
        code: 'FOREIGN_EVENT',
      })
    }
  })

  test('given forged events set aside, when the log is read, then what follows them comes without warning', async () => {
    const long = log.openAgain()
    expect(await amounts(long, -1)).toEqual([1, 2])
    await log.forge(STREAM, forgedEvent(STREAM, credit(90)))
    await log.forge(STREAM, strangeEvent())
    expect(await amounts(long, begun)).toEqual([])
    expect(long.foreignProblem()).not.toBeNull()
    const engines = { store: log.store, clock: systemClock, randomness: systemRandomness }
    for (const revision of [2, 3]) await setAside(engines, { stream: STREAM, revision }, 'by hand')
    const behind = await log.store.headPosition()
    const [newest] = await Array.fromAsync(
      log.store.readStream(STREAM, { direction: 'backwards', limit: 1 }),
    )
    if (newest === undefined) throw new Error('the stream has events')
    const { id, type, data } = { id: systemRandomness.uuid(), ...credit(4) }
    const metadata = {
      actor: 'system',
      correlationId: 'c',
      causationId: null,
      schemaVersion: 1,
    } as const
    const head = { revision: newest.revision, hash: newest.metadata.hash }
    await log.store.append(STREAM, [{ id, type, data, metadata }], head)
    for (const store of [long, log.openAgain(), log.store]) {
      expect(await amounts(store, -1)).toEqual([1, 2, 'set aside', 'set aside', 4])
      expect(await amounts(store, behind)).toEqual([4])
      expect(store.foreignProblem()).toBeNull()
    }
    expect(await amounts(log.openAgain(), behind)).toEqual([4])
  })

  test('given a forged event, when what was written is sealed, then the seal leaves it out, and it is named', async () => {
    await log.forge(STREAM, forgedEvent(STREAM, credit(90)))
    const { seal } = await log.seal()
    expect(seal?.data).toMatchObject({ number: 1, events: 2, upTo: begun })
    expect(log.store.foreignProblem()).toContain('(account-1@2)')
    await log.append('account-2', credit(3))
    expect((await log.seal()).seal?.data).toMatchObject({ number: 2, events: 1 })
  })

  async function lastHash(): Promise<string> {
    const [event] = await log.store.readAll(-1, ACCOUNTS, 2).then((events) => events.slice(-1))
    return event?.metadata.hash ?? ''
  }
})

test('given a follower without some types, when a forged event follows these, then it does not come', async () => {
  const log = await eventStoreDbAuditedLog()
  try {
    await log.append(STREAM, credit(1), credit(2, 'Counted'), credit(3), credit(4, 'Counted'))
    await log.forge(STREAM, forgedEvent(STREAM, credit(90)))
    const filter = { ...ACCOUNTS, exceptTypes: ['Counted'] }
    const read = await log.openAgain().readAll(-1, filter, 100)
    expect(read.map(({ revision }) => revision)).toEqual([0, 2])
  } finally {
    await log.close()
  }
})

describe('following a log in EventStoreDB whose server leaves out some types', () => {
  const FILTER = { ...ACCOUNTS, exceptTypes: ['Counted'] }
  let log: Awaited<ReturnType<typeof eventStoreDbAuditedLog>>
  beforeEach(async () => {
    log = await eventStoreDbAuditedLog()
    await log.append(STREAM, credit(1))
  })
  afterEach(() => log.close())

  /** The events that come until one of `account-9`, which is appended behind all else. */
  async function followed(
    store: AuditableEventStore,
    onCaughtUp: () => Promise<void>,
  ): Promise<string[]> {
    const ending = new AbortController()
    const seen: string[] = []
    let isCaughtUp = false
    for await (const batch of store.subscribeAll(-1, FILTER, ending.signal)) {
      seen.push(...batch.events.map(({ stream, revision }) => `${stream}@${revision}`))
      if (seen.includes('account-9@0')) ending.abort()
      if (!batch.caughtUp || isCaughtUp) continue
      isCaughtUp = true
      await onCaughtUp()
      await log.append('account-9', credit(9))
    }
    return seen
  }

  const usage = (count: number): DomainEvent[] =>
    Array.from({ length: count }, () => credit(2, 'Counted'))

  /** A run of events of a left-out type and a credit behind it, each linked to the one before, and the first to nothing. */
  async function forgeRun(count: number): Promise<void> {
    let before: string | undefined
    for (const event of [...usage(count), credit(90)]) {
      const forged = forgedEvent(STREAM, event, before)
      before = hashOf(forged)
      await log.forge(STREAM, forged)
    }
  }

  test.each([
    { whose: 'its own', between: 1_050, open: () => log.store },
    { whose: 'unseen', between: 50, open: () => log.openAgain() },
  ])(
    'given forged events behind $whose ones of a left-out type, when followed, then none of them comes',
    async ({ open, between }) => {
      const store = open()
      const seen = await followed(store, async () => {
        await log.append(STREAM, ...usage(50), credit(3), ...usage(50), credit(4))
        await log.append(STREAM, ...usage(between))
        await forgeRun(40)
      })
      expect(seen).toEqual(['account-1@0', 'account-1@51', 'account-1@102', 'account-9@0'])
      expect(store.foreignProblem()).toMatch(
        new RegExp(`^41 events of other clients .*account-1@${103 + between}, `, 'u'),
      )
    },
  )

  test('given events of a left-out type, when followed, then the server keeps them and the position passes', async () => {
    const positions: number[] = []
    const stop = new AbortController()
    const begun = await log.store.headPosition()
    let isCaughtUp = false
    for await (const batch of log.store.subscribeAll(begun, FILTER, stop.signal)) {
      positions.push(batch.position)
      if (batch.caughtUp && !isCaughtUp) {
        isCaughtUp = true
        for (let time = 0; time < 10; time += 1) await log.append(STREAM, ...usage(100))
      }
      if (batch.position > begun) stop.abort()
    }
    const passed = log.log.records.filter(({ position }) => Number(position) > begun)
    expect(passed).toHaveLength(1_000)
    expect(new Set(positions)).toEqual(new Set([begun, Number(passed.at(-1)?.position)]))
  })
})

const hashOf = ({ metadata }: { readonly metadata: string }): string =>
  (JSON.parse(metadata) as { hash: string }).hash
