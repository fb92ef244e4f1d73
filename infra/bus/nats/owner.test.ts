import { exampleMark } from '@tollgate/tests/support/example-timelines.ts'
import { AccountBusy } from '@tollgate/command-api/accounts/account-ledger.ts'
import { type HoldId, holdId, type RelayId, userId } from '@tollgate/domain/ids.ts'
import {
  type HoldAsk,
  HoldOwnerUnavailable,
  type RecallListener,
} from '@tollgate/domain/ports/hold-owner.ts'
import { StoreUnavailable } from '@tollgate/domain/ports/event-store.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { systemClock } from '@tollgate/infra/processes/runtime.ts'
import { openCommandApiFixture } from '@tollgate/tests/support/command-api.ts'
import { type NatsServer, startNatsServer } from '@tollgate/tests/support/engines/nats-server.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { askOwners } from './rpc-client.ts'
import {
  ACCOUNT,
  HOLD,
  openLink,
  PARTITION,
  quietLogger,
  RELAY,
} from '@tollgate/tests/support/bus-under-test.ts'
import type { NatsLink } from './connection.ts'
import { natsHoldOwner } from './owner-client.ts'
import { type ServedOwner, serveOwner } from './owner-service.ts'
import { natsRelays, serveRecalls } from './relays.ts'
import { remoteLedger } from './remote-ledger.ts'
import { LedgerUnavailable, OwnerFault } from './reply.ts'
import type { Serving } from './rpc-server.ts'
import { ownerSubject } from './subjects.ts'

let server: NatsServer
let ownerLink: NatsLink
let relayLink: NatsLink
const servings: Serving[] = []

beforeAll(async () => {
  server = await startNatsServer()
  ownerLink = await openLink(server.url)
  relayLink = await openLink(server.url)
})
afterEach(async () => {
  await Promise.all(servings.splice(0).map((serving) => serving.stop()))
})
afterAll(async () => {
  await Promise.all([ownerLink.close(), relayLink.close()])
  await server.dispose()
})

const unexpected = (): Promise<never> => Promise.reject(new Error('not expected in this test'))

async function serveOwnerWith(
  owner: Partial<ServedOwner>,
  { partition = PARTITION, owns = (): boolean => true } = {},
): Promise<Serving> {
  const serving = serveOwner({
    link: ownerLink,
    partition,
    owns,
    owner: {
      placeHold: unexpected,
      extendHold: unexpected,
      claimHolds: unexpected,
      finishHold: unexpected,
      execute: unexpected,
      recallIdleQuota: unexpected,
      ...owner,
    },
  })
  servings.push(serving)
  await ownerLink.client.flush()
  return serving
}

const owners = (answeredWithinMs = 1_000) =>
  natsHoldOwner({ ask: askOwners(relayLink), logger: quietLogger, answeredWithinMs })
const ledgers = () => remoteLedger(askOwners(relayLink), systemClock)

const ask: HoldAsk = {
  account: ACCOUNT,
  token: null,
  relay: RELAY,
  nonce: 'n-1',
  need: quota(10),
  want: quota(500),
}
const cause = { actor: 'user:7', correlationId: 'request', causationId: null } as const
const credit = { type: 'CreditQuota', amount: quota(5), source: 'grant', reason: 'gift' } as const
const rejected = {
  status: 'rejected',
  rejection: { reason: 'insufficient-quota', available: quota(-3), balance: quota(1) },
} as const

describe('given two processes that both believe to own a partition,', () => {
  test('when commands and claims come, then each command is done once and each claim is heard by both', async () => {
    const done: string[] = []
    const heard = [0, 0]
    for (const index of [0, 1]) {
      await serveOwnerWith({
        async execute(_account, _command, { correlationId }) {
          done.push(correlationId)
          return rejected
        },
        async claimHolds(_relay, holds) {
          heard[index] = (heard[index] ?? 0) + 1
          return holds
        },
      })
    }
    const names = Array.from({ length: 20 }, (_, i) => `command ${i}`)
    await Promise.all(
      names.map((correlationId) => ledgers().execute(ACCOUNT, credit, { ...cause, correlationId })),
    )
    expect(done.toSorted()).toEqual(names.toSorted())
    expect(await owners().claimHolds(RELAY, [HOLD])).toEqual([HOLD])
    await until('both have heard', () => heard.every((count) => count === 1))
  })
})

test('given a paused owner, when a deadline passes, then its outcome is unknown, and it is dropped', async () => {
  const fixture = await openCommandApiFixture()
  try {
    await fixture.ledger.execute(ACCOUNT, { type: 'OpenAccount' }, cause)
    const resumed = Promise.withResolvers<undefined>()
    const handled: unknown[] = []
    await serveOwnerWith({
      async execute(...command) {
        await resumed.promise
        const outcome = fixture.ledger.execute(...command)
        handled.push(await outcome.catch((error: unknown) => error))
        return outcome
      },
    })
    const deadline = fixture.clock.now() + 200
    const named = { ...cause, causationId: 'command-1' }
    const once = { deduplicateFrom: {} }
    const remote = remoteLedger(askOwners(relayLink), fixture.clock)
    const late = remote.execute(ACCOUNT, credit, named, { ...once, deadline })
    await expect(late).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE', outcome: 'unknown' })
    fixture.pass(1_000)
    resumed.resolve(undefined)
    await until('the owner has taken it', () => handled.length === 1)
    expect(handled).toEqual([expect.objectContaining({ code: 'COMMAND_OVERDUE', outcome: 'none' })])
    const again = { ...once, deadline: fixture.clock.now() + 60_000 }
    expect(await remote.execute(ACCOUNT, credit, named, again)).toMatchObject({ status: 'done' })
    expect(await fixture.ledger.inspect(ACCOUNT, ({ posted }) => posted)).toBe(credit.amount)
  } finally {
    await fixture.close()
  }
})

describe('given an owner in another process, when it is asked,', () => {
  test('then questions about holds and their answers arrive as they are', async () => {
    const asked: unknown[] = []
    await serveOwnerWith({
      async placeHold(question) {
        asked.push(question)
        return { status: 'held', hold: HOLD, amount: quota(500), seen: exampleMark(9) }
      },
      async extendHold(question) {
        asked.push(question)
        return {
          status: 'refused',
          reason: 'insufficient-quota',
          available: quota(-20),
          balance: quota(7),
        }
      },
      async finishHold(...question) {
        asked.push(question)
      },
    })
    const seen = exampleMark(7)
    const extension = { relay: RELAY, hold: HOLD, number: 2, need: quota(1), want: quota(2), seen }
    const owner = owners()
    expect(await owner.placeHold({ ...ask, seen })).toEqual({
      status: 'held',
      hold: HOLD,
      amount: 500,
      seen: exampleMark(9),
    })
    expect(await owner.extendHold(extension)).toEqual({
      status: 'refused',
      reason: 'insufficient-quota',
      available: -20,
      balance: 7,
    })
    expect(await owner.finishHold(HOLD, 4)).toBeUndefined()
    expect(asked).toEqual([{ ...ask, seen }, extension, [HOLD, 4]])
  })

  test('then commands come back as outcomes, rejections too', async () => {
    const asked: unknown[] = []
    const done = {
      status: 'done',
      position: 12,
      events: [{ type: 'AccountOpened', data: { at: 1 } }],
    } as const
    await serveOwnerWith({
      async execute(...question) {
        asked.push(question)
        return question[1].type === 'CreditQuota' ? done : rejected
      },
    })
    const deduplicateFrom = { eventType: 'QuotaCredited', position: 3 } as const
    const once = { deduplicateFrom, deadline: systemClock.now() + 60_000 }
    expect(await ledgers().execute(ACCOUNT, credit, cause, once)).toEqual(done)
    const debit = { type: 'DebitQuota', amount: quota(9), reason: 'error' } as const
    expect(await ledgers().execute(ACCOUNT, debit, cause)).toEqual(rejected)
    expect(asked).toEqual([
      [ACCOUNT, credit, cause, once],
      [ACCOUNT, debit, cause, { deduplicateFrom: null, deadline: null }],
    ])
  })

  test('then a command past its deadline is not sent', async () => {
    await serveOwnerWith({})
    const late = { deadline: systemClock.now() - 1 }
    await expect(ledgers().execute(ACCOUNT, credit, cause, late)).rejects.toMatchObject({
      code: 'COMMAND_OVERDUE',
      outcome: 'none',
    })
  })

  test('then errors keep their kind', async () => {
    const failures = [
      new AccountBusy(ACCOUNT),
      new StoreUnavailable('the log is away', 'unknown'),
      new TypeError('a bug'),
    ]
    await serveOwnerWith({ execute: () => Promise.reject(failures.shift()) })
    const failing = () => ledgers().execute(ACCOUNT, credit, cause)
    await expect(failing()).rejects.toBeInstanceOf(AccountBusy)
    await expect(failing()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', outcome: 'unknown' })
    await expect(failing()).rejects.toBeInstanceOf(OwnerFault)
  })

  test('then a request for an account of another partition is refused', async () => {
    await serveOwnerWith({})
    const request = { type: 'place-hold', ask: { ...ask, account: 8 } }
    const reply = await relayLink.client.request(ownerSubject(PARTITION), JSON.stringify(request))
    expect(reply.json()).toMatchObject({ status: 'failed', code: 'WIRE_INVALID', retryable: false })
  })

  test('then its stop lets the answers under way out and takes no further question', async () => {
    const held = Promise.withResolvers<void>()
    let asked = 0
    const serving = await serveOwnerWith({
      async placeHold() {
        asked += 1
        await held.promise
        return { status: 'held', hold: HOLD, amount: quota(1) }
      },
    })
    const answer = owners(10_000).placeHold(ask)
    await until('it was asked', () => asked === 1)
    const stopping = serving.stop()
    await until('it listens no more', async () => {
      const askedBefore = asked
      const second = await owners(200)
        .placeHold(ask)
        .catch((error: unknown) => error)
      return second instanceof HoldOwnerUnavailable && asked === askedBefore
    })
    held.resolve()
    await stopping
    expect(await answer).toMatchObject({ status: 'held' })
  })
})

describe('given an owner that is away,', () => {
  test('when nobody listens, then that is known at once', async () => {
    const before = performance.now()
    await expect(owners(5_000).placeHold(ask)).rejects.toBeInstanceOf(HoldOwnerUnavailable)
    const executing = ledgers().execute(ACCOUNT, credit, cause)
    await expect(executing).rejects.toBeInstanceOf(LedgerUnavailable)
    await expect(executing).rejects.toMatchObject({ outcome: 'none', retryable: true })
    expect(performance.now() - before).toBeLessThan(1_000)
  })

  test('when who listens does not own the account, then no answer counts as unavailable in time', async () => {
    await serveOwnerWith({}, { owns: () => false })
    const before = performance.now()
    await expect(owners(300).placeHold(ask)).rejects.toBeInstanceOf(HoldOwnerUnavailable)
    expect(performance.now() - before).toBeLessThan(1_000)
  })

  test('when two listen and one owns it, then that one answers', async () => {
    await serveOwnerWith({}, { owns: () => false })
    await serveOwnerWith({
      placeHold: () => Promise.resolve({ status: 'held', hold: HOLD, amount: quota(1) }),
    })
    expect(await owners().placeHold(ask)).toMatchObject({ status: 'held' })
  })
})

describe('given holds of several partitions, when they are claimed,', () => {
  const other = holdId(userId(8), 1, null)

  test('then each owner hears of its own in one message, and what it acknowledges is answered', async () => {
    const heard: [RelayId, readonly HoldId[]][] = []
    const unknown = holdId(ACCOUNT, 99, null)
    const claimHolds: ServedOwner['claimHolds'] = async (relay, holds) => {
      heard.push([relay, holds])
      return holds.filter((hold) => hold !== unknown)
    }
    await serveOwnerWith({ claimHolds })
    await serveOwnerWith({ claimHolds }, { partition: 8 })
    const answer = await owners().claimHolds(RELAY, [HOLD, other, unknown])
    expect(answer.toSorted()).toEqual([HOLD, other].toSorted())
    expect(heard).toHaveLength(2)
    expect(heard).toContainEqual([RELAY, [HOLD, unknown]])
  })

  test('then an owner that is away leaves out its own, and nothing fails', async () => {
    await serveOwnerWith({ claimHolds: (_relay, holds) => Promise.resolve(holds) })
    expect(await owners().claimHolds(RELAY, [HOLD, other])).toEqual([HOLD])
    expect(await owners().claimHolds(RELAY, [])).toEqual([])
  })
})

describe('given a relay in another process, when idle quota is called back,', () => {
  const recall = { account: ACCOUNT, except: HOLD }
  const listen = async (listener: RecallListener): Promise<void> => {
    servings.push(serveRecalls({ link: relayLink, relay: RELAY, listener }))
    await relayLink.client.flush()
  }

  test('then it hears which, and what it gave back is answered', async () => {
    const heard: unknown[] = []
    await listen({
      async returnIdleQuota(...asked) {
        heard.push(asked)
        return quota(70)
      },
    })
    expect(await natsRelays(ownerLink).recall(RELAY, recall, 100)).toBe(70)
    expect(heard).toEqual([[ACCOUNT, HOLD]])
  })

  test('then one that is gone, fails or takes too long gave nothing', async () => {
    const relays = natsRelays(ownerLink)
    expect(await relays.recall(RELAY, recall, 5_000)).toBe(0)
    const answers = [
      () => Promise.reject(new Error('a bug')),
      () => new Promise<never>(() => undefined),
    ]
    await listen({ returnIdleQuota: () => answers.shift()?.() ?? Promise.resolve(quota(1)) })
    expect(await relays.recall(RELAY, recall, 1_000)).toBe(0)
    const before = performance.now()
    expect(await relays.recall(RELAY, recall, 100)).toBe(0)
    expect(performance.now() - before).toBeLessThan(500)
  })
})

test('given a broker that goes away, when an owner is asked, then that fails at once and recovers later', async () => {
  await serveOwnerWith({
    placeHold: () => Promise.resolve({ status: 'held', hold: HOLD, amount: quota(1) }),
  })
  await server.kill()
  await until('the loss is noticed', () => !relayLink.isConnected() && !ownerLink.isConnected())
  const before = performance.now()
  await expect(owners(5_000).placeHold(ask)).rejects.toBeInstanceOf(HoldOwnerUnavailable)
  expect(performance.now() - before).toBeLessThan(100)
  await server.start()
  await until('the owner answers again', async () => {
    const answer = await owners()
      .placeHold(ask)
      .catch((error: unknown) => error)
    return !(answer instanceof HoldOwnerUnavailable)
  })
})
