import { randomUUID } from 'node:crypto'
import { accountStream } from '@tollgate/domain/event.ts'
import { type UserId, userId } from '@tollgate/domain/ids.ts'
import { type EventStore, StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import { quota } from '@tollgate/domain/quota.ts'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { AccountLedger } from './account-ledger.ts'
import { hasCaused, type Deduplication } from './processed-causes.ts'
import { loadAccount } from './load-account.ts'
import { NO_PLACE, RecentCauses } from './recent-causes.ts'

let fixture: CommandApiFixture
let account = userId(1)
let next = 1

beforeAll(async () => {
  fixture = await openCommandApiFixture()
})
afterAll(() => fixture.close())
beforeEach(async () => {
  account = userId(next++)
  await fixture.ledger.execute(account, { type: 'OpenAccount' }, causedBy(null))
})

const causedBy = (causationId: string | null) =>
  ({ actor: 'system', correlationId: 'test', causationId }) as const
const ONCE: Deduplication = { eventType: 'QuotaCredited', revision: 0 }

const credit = (
  ledger: AccountLedger,
  causationId: string | null,
  deduplicateFrom: Deduplication | null = ONCE,
  to: UserId = account,
) =>
  ledger.execute(
    to,
    { type: 'CreditQuota', amount: quota(5), source: 'grant', reason: '' },
    causedBy(causationId),
    { deduplicateFrom },
  )
const credits = async () =>
  (await fixture.eventsOf(accountStream(account))).filter(({ type }) => type === 'QuotaCredited')
/** As an account is that was carried forward just now: nothing of what came before is remembered. */
async function withoutMemory(stream: string) {
  const { head, position } = await loadAccount(fixture.store, stream)
  return { head, causes: new RecentCauses({ revision: head.revision, position }) }
}
/** The log through a node of a cluster that takes appends for the leader and reads what it has. */
function throughFollower() {
  let newest = Number.POSITIVE_INFINITY
  const store: EventStore = {
    ...fixture.store,
    append: (...call) => fixture.store.append(...call),
    async *readStream(stream, options = {}) {
      for await (const event of fixture.store.readStream(stream, options)) {
        if (event.revision <= newest) yield event
      }
    },
  }
  return {
    store,
    fallBehind: (revision: number) => (newest = revision),
    catchUp: () => (newest = Infinity),
  }
}
const anotherOwner = (store: EventStore = fixture.store) => new AccountLedger({ ...fixture, store })

test('given a step, when it is repeated, also by a new owner, then it is done once and adds no events', async () => {
  const causationId = randomUUID()
  expect(await credit(fixture.ledger, causationId)).toMatchObject({
    events: [{ type: 'QuotaCredited' }],
  })
  expect(await credit(fixture.ledger, causationId)).toMatchObject({ status: 'done', events: [] })
  expect(await credit(anotherOwner(), causationId)).toMatchObject({ status: 'done', events: [] })
  expect(await credits()).toHaveLength(1)
  expect((await credits())[0]?.metadata.causationId).toBe(causationId)
})

test.each([ONCE, { revision: 0 }])(
  'given a step known by %j, when two owners are asked for it many times at once, then it is done once',
  async (once) => {
    const causationId = randomUUID()
    const ask = (owner: AccountLedger) => credit(owner, causationId, once)
    const owners = [fixture.ledger, anotherOwner()]
    await Promise.all(owners.flatMap((owner) => [1, 2, 3].map(() => ask(owner))))
    await ask(anotherOwner())
    expect(await credits()).toHaveLength(1)
  },
)

test('given an append whose answer was lost in a crash, when the step is repeated, then it is done once', async () => {
  const causationId = randomUUID()
  const dying = anotherOwner({
    ...fixture.store,
    readStream: fixture.store.readStream.bind(fixture.store),
    append: async (...call) => {
      await fixture.store.append(...call)
      dying.stop()
      throw new StoreUnavailable('died', 'unknown')
    },
  })
  await expect(credit(dying, causationId)).rejects.toThrow('died')
  expect(await credit(anotherOwner(), causationId)).toMatchObject({ events: [] })
  expect(await credits()).toHaveLength(1)
})

test('given one decision of two event types, when the second step comes, then the first cannot stand in', async () => {
  const causationId = randomUUID()
  const { ledger } = fixture
  await ledger.execute(account, { type: 'SuspendAccount' }, causedBy(causationId))
  expect(await credit(ledger, causationId)).toMatchObject({ events: [{ type: 'QuotaCredited' }] })
  const stream = accountStream(account)
  const sought = { causationId, eventType: 'AccountResumed' }
  for (const loaded of [await loadAccount(fixture.store, stream), await withoutMemory(stream)]) {
    expect(await hasCaused(fixture.store, stream, loaded, sought)).toBe(false)
    expect(await hasCaused(fixture.store, stream, loaded, { causationId })).toBe(true)
  }
})

test('given a long stream, when a step is looked for within its bounds, then nothing older is read', async () => {
  for (let i = 0; i < 8; i++) await credit(fixture.ledger, randomUUID())
  const all = await fixture.eventsOf(accountStream(account))
  const fifth = all[5]
  if (fifth === undefined) throw new Error('too few events')
  let read = 0
  const counting = {
    async *readStream(...call: Parameters<EventStore['readStream']>) {
      for await (const event of fixture.store.readStream(...call)) {
        read++
        yield event
      }
    },
  }
  const sought = { causationId: String(all[2]?.metadata.causationId) }
  const stream = accountStream(account)
  const loaded = await withoutMemory(stream)
  for (const bound of [{ revision: 5 }, { position: fifth.position }]) {
    read = 0
    expect(await hasCaused(counting, stream, loaded, { ...sought, ...bound })).toBe(false)
    expect(read).toBeLessThanOrEqual(all.length - 4)
    expect(read).toBeGreaterThan(0)
  }
  expect(await hasCaused(counting, stream, loaded, sought)).toBe(true)
})

test('given a step without a causation id, when it is asked for, then it is refused as a mistake', async () => {
  await expect(credit(fixture.ledger, null)).rejects.toThrow(TypeError)
})

test.each([ONCE, { revision: 0 }])(
  'given an owner reading a lagging node, when a step known by %j is repeated, then it is done once',
  async (once) => {
    const causationId = randomUUID()
    const { store, fallBehind } = throughFollower()
    const owner = anotherOwner(store)
    await credit(owner, randomUUID())
    fallBehind(1)
    expect(await credit(owner, causationId, once)).toMatchObject({
      events: [{ type: 'QuotaCredited' }],
    })
    expect(await credit(owner, causationId, once)).toMatchObject({ status: 'done', events: [] })
    expect(await credits()).toHaveLength(2)
  },
)

test('given a forgotten step, when the reader lacks the newest events, then it waits for them to answer', async () => {
  const causationId = randomUUID()
  const stream = accountStream(account)
  const { store, fallBehind, catchUp } = throughFollower()
  await credit(fixture.ledger, causationId)
  const loaded = await withoutMemory(stream)
  fallBehind(0)
  await expect(hasCaused(store, stream, loaded, { causationId })).rejects.toBeInstanceOf(
    StoreUnavailable,
  )
  catchUp()
  expect(await hasCaused(store, stream, loaded, { causationId })).toBe(true)
})

test('given more causes than are remembered, when the oldest are sought, then only those are read', () => {
  const causes = new RecentCauses(NO_PLACE)
  expect(causes.find({ causationId: 'c0' })).toBe(false)
  for (let revision = 0; revision < 1_050; revision++) noteAt(causes, revision)
  expect(causes.find({ causationId: 'c49' })).toBeNull()
  expect(causes.find({ causationId: 'c50' })).toBe(true)
  expect(causes.find({ causationId: 'c1049', eventType: 'QuotaDebited', revision: 100 })).toBe(
    false,
  )
  expect(causes.find({ causationId: 'other', position: 490 })).toBe(false)
  expect(causes.find({ causationId: 'other', position: 480 })).toBeNull()
  expect(causes.find({ causationId: 'other', revision: 50 })).toBe(false)
  expect(causes.find({ causationId: 'other', revision: 49 })).toBeNull()
})

test('given causes carried forward, when steps are sought, then the stream is read for those alone', () => {
  const before = new RecentCauses(NO_PLACE)
  for (let revision = 0; revision < 900; revision++) noteAt(before, revision)
  const coming = { type: 'QuotaCredited', metadata: { causationId: 'coming' } }
  const { after, fingerprints } = before.carried([coming, coming])
  expect([after, fingerprints.length]).toEqual([-1, 901 * 8])
  const causes = new RecentCauses(NO_PLACE, fingerprints, { revision: 900, position: 9_000 })
  for (const causationId of ['c0', 'c899', 'coming'])
    expect(causes.find({ causationId })).toBeNull()
  expect(causes.find({ causationId: 'c900' })).toBe(false)
  for (let revision = 902; revision < 1_000; revision++) noteAt(causes, revision)
  expect(causes.carried([]).after).toBe(-1)
  for (let revision = 1_000; revision < 1_010; revision++) noteAt(causes, revision)
  expect(causes.carried([])).toMatchObject({ after: 900 })
  expect(causes.carried([]).fingerprints).toHaveLength(8_000)
  expect(causes.find({ causationId: 'other' })).toBeNull()
  expect(causes.find({ causationId: 'other', revision: 901 })).toBe(false)
  expect(causes.find({ causationId: 'c1009' })).toBe(true)
})

function noteAt(causes: RecentCauses, revision: number): void {
  const event = { type: 'QuotaCredited', metadata: { causationId: `c${revision}` } }
  causes.note(event, { revision, position: revision * 10 })
}

test('given balances carried forward, when a new owner gets steps, then only repeated ones are read back', async () => {
  const causationIds = Array.from({ length: 200 }, () => randomUUID())
  for (const causationId of causationIds) void credit(fixture.ledger, causationId)
  await credit(fixture.ledger, randomUUID())
  const stream = accountStream(account)
  const carried = (await fixture.eventsOf(stream)).filter(
    ({ type }) => type === 'BalanceCarriedForward',
  )
  expect(carried.length).toBeGreaterThan(1)
  let oldestRead = Number.POSITIVE_INFINITY
  const { store } = fixture
  const owner = anotherOwner({
    ...store,
    append: store.append.bind(store),
    async *readStream(...call) {
      for await (const event of store.readStream(...call)) {
        oldestRead = Math.min(oldestRead, event.revision)
        yield event
      }
    },
  })
  const once: Deduplication = { eventType: 'QuotaCredited' }
  expect(await credit(owner, randomUUID(), once)).toMatchObject({
    events: [{ type: 'QuotaCredited' }],
  })
  expect(oldestRead).toBe(carried.at(-1)?.revision)
  for (const index of [0, 100, 199]) {
    const repeated = await credit(owner, causationIds[index] ?? null, once)
    expect(repeated).toMatchObject({ status: 'done', events: [] })
  }
  expect(oldestRead).toBeLessThan(carried[0]?.revision ?? 0)
  expect(await credits()).toHaveLength(202)
})

test('given a step and 10,000 commands behind it, when it is driven again, then it is not taken twice', async () => {
  const causationId = randomUUID()
  const once: Deduplication = { eventType: 'QuotaCredited' }
  await credit(fixture.ledger, causationId, once)
  for (let sent = 0; sent < 10_000; sent += 1_000) {
    const others = Array.from({ length: 1_000 }, () => credit(fixture.ledger, randomUUID(), null))
    await Promise.all(others)
  }
  for (const owner of [fixture.ledger, anotherOwner()]) {
    expect(await credit(owner, causationId, once)).toMatchObject({ status: 'done', events: [] })
  }
  expect(await credits()).toHaveLength(10_001)
})
