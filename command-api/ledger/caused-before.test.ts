import { randomUUID } from 'node:crypto'
import { accountStream } from '@tollgate/domain/event.ts'
import { type UserId, userId } from '@tollgate/domain/ids.ts'
import { type EventStore, StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { type CommandApiGround, openCommandApiGround } from '@tollgate/tests/support/command-api.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { AccountLedger } from './account-ledger.ts'
import { hasCaused, type OnlyOnce } from './caused-before.ts'

let ground: CommandApiGround
let account = userId(1)
let next = 1

beforeAll(async () => {
  ground = await openCommandApiGround()
})
afterAll(() => ground.close())
beforeEach(async () => {
  account = userId(next++)
  await ground.ledger.execute(account, { type: 'OpenAccount' }, causedBy(null))
})

const causedBy = (causationId: string | null) =>
  ({ actor: 'system', correlationId: 'test', causationId }) as const
const ONCE: OnlyOnce = { eventType: 'QuotaCredited', revision: 0 }

const credit = (
  ledger: AccountLedger,
  causationId: string | null,
  onlyOnceFrom = ONCE,
  to: UserId = account,
) =>
  ledger.execute(
    to,
    { type: 'CreditQuota', amount: quota(5), source: 'grant', reason: '' },
    causedBy(causationId),
    { onlyOnceFrom },
  )
const credits = async () =>
  (await ground.eventsOf(accountStream(account))).filter(({ type }) => type === 'QuotaCredited')
const anotherOwner = (store: EventStore = ground.store) => new AccountLedger({ ...ground, store })

test('given a step, when it is repeated one after the other and by a new owner, then it is taken once and the repetition is done without events', async () => {
  const causationId = randomUUID()
  expect(await credit(ground.ledger, causationId)).toMatchObject({
    events: [{ type: 'QuotaCredited' }],
  })
  expect(await credit(ground.ledger, causationId)).toMatchObject({ status: 'done', events: [] })
  expect(await credit(anotherOwner(), causationId)).toMatchObject({ status: 'done', events: [] })
  expect(await credits()).toHaveLength(1)
  expect((await credits())[0]?.metadata.causationId).toBe(causationId)
})

test.each([ONCE, { revision: 0 }])(
  'given a step that is known by %j, when it is asked for many times in one moment by two owners, then it is taken once',
  async (once) => {
    const causationId = randomUUID()
    const ask = (owner: AccountLedger) => credit(owner, causationId, once)
    const owners = [ground.ledger, anotherOwner()]
    await Promise.all(owners.flatMap((owner) => [1, 2, 3].map(() => ask(owner))))
    await ask(anotherOwner())
    expect(await credits()).toHaveLength(1)
  },
)

test('given an append whose answer was lost with the process, when the step comes again, then it is not taken twice', async () => {
  const causationId = randomUUID()
  const dying = anotherOwner({
    ...ground.store,
    readStream: ground.store.readStream.bind(ground.store),
    append: async (...call) => {
      await ground.store.append(...call)
      dying.stop()
      throw new StoreUnavailable('died', 'unknown')
    },
  })
  await expect(credit(dying, causationId)).rejects.toThrow('died')
  expect(await credit(anotherOwner(), causationId)).toMatchObject({ events: [] })
  expect(await credits()).toHaveLength(1)
})

test('given one decision that causes events of two types, when the second step comes, then the first does not stand for it', async () => {
  const causationId = randomUUID()
  const { ledger } = ground
  await ledger.execute(account, { type: 'SuspendAccount' }, causedBy(causationId))
  expect(await credit(ledger, causationId)).toMatchObject({ events: [{ type: 'QuotaCredited' }] })
  const stream = accountStream(account)
  const sought = { causationId, eventType: 'AccountResumed' }
  expect(await hasCaused(ground.store, stream, sought)).toBe(false)
  expect(await hasCaused(ground.store, stream, { causationId })).toBe(true)
})

test('given a long stream, when a step is looked for within its bounds, then nothing older is read', async () => {
  for (let i = 0; i < 8; i++) await credit(ground.ledger, randomUUID())
  const all = await ground.eventsOf(accountStream(account))
  const fifth = all[5]
  if (fifth === undefined) throw new Error('too few events')
  let read = 0
  const counting = {
    async *readStream(...call: Parameters<EventStore['readStream']>) {
      for await (const event of ground.store.readStream(...call)) {
        read++
        yield event
      }
    },
  }
  const sought = { causationId: String(all[2]?.metadata.causationId) }
  const stream = accountStream(account)
  for (const bound of [{ revision: 5 }, { position: fifth.position }]) {
    read = 0
    expect(await hasCaused(counting, stream, { ...sought, ...bound })).toBe(false)
    expect(read).toBeLessThanOrEqual(all.length - 4)
  }
  expect(await hasCaused(counting, stream, sought)).toBe(true)
})

test('given a step without a causation id, when it is asked for, then it is refused as a mistake', async () => {
  await expect(credit(ground.ledger, null)).rejects.toThrow(TypeError)
})
