import { accountStream, topUpStream } from '@tollgate/domain/event.ts'
import { type TradeNo, tradeNo, type UserId, userId } from '@tollgate/domain/ids.ts'
import type { ApiReply, ApiRoute } from '../http-contract/api-route.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { topUpDecider } from '@tollgate/domain/top-up/decider.ts'
import type { TopUpTerms } from '@tollgate/domain/top-up/events.ts'
import {
  callRoute,
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { type Deviation, notificationOf } from '@tollgate/tests/support/providers/epay-gateway.ts'
import { Life } from '@tollgate/tests/support/crashable.ts'
import {
  beginDriving,
  isAllDriven,
  startManager,
} from '@tollgate/tests/support/workflow-manager.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AccountLedger } from '../accounts/account-ledger.ts'
import { executeOn } from '../aggregates/aggregate.ts'
import { changeOption } from '../options/change-option.ts'
import { followOptions, type LiveOptions } from '../options/live-options.ts'
import { optionSecrets } from '../secrets/option-secrets.ts'
import { isSignedWith, withSign } from './epay.ts'
import { notifyRoute } from './notify-route.ts'
import { topUpCredit } from '../workflows/top-up-credit.ts'

let fixture: CommandApiFixture
let options: LiveOptions
let route: ApiRoute
let warnings: object[]
let nextUser = 1
const merchant = { pid: '1000', key: 'k3y' }
const SYSTEM = { actor: 'system', correlationId: 'test', causationId: null } as const
const SUCCESS = { whole: 'success' }
const FAIL = { whole: 'fail' }

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  const secrets = optionSecrets(fixture.db, fixture.vault)
  options = await followOptions({ ...fixture, secrets })
  const texts = {
    ServerAddress: 'https://gate.example.com',
    EpayId: merchant.pid,
    EpayKey: merchant.key,
  }
  for (const [key, text] of Object.entries(texts)) {
    const outcome = await changeOption({ ...fixture, secrets }, { key, text }, SYSTEM)
    if (outcome.status === 'rejected') throw new Error(JSON.stringify(outcome))
    await options.waitFor(outcome.position)
  }
})
beforeEach(() => {
  warnings = []
  route = routeOn(fixture)
})
afterAll(() => fixture.close())

const routeOn = (parts: Pick<CommandApiFixture, 'store' | 'ledger'>, live = options): ApiRoute =>
  notifyRoute({
    ...fixture,
    ...parts,
    options: live,
    log: { warn: (facts) => void warnings.push(facts) },
  })

interface Order {
  readonly number: TradeNo
  readonly user: UserId
}

async function order(): Promise<Order> {
  const user = userId(nextUser++)
  await fixture.ledger.execute(user, { type: 'OpenAccount' }, SYSTEM)
  const number = tradeNo(user, 'a1B2c3', fixture.clock.now())
  const terms: TopUpTerms = {
    user,
    quota: quota(500_000),
    money: '7.30',
    method: 'zfb',
    amount: 1,
    unit: 'usd',
    price: '7.3',
    group: 'default',
    groupRatio: '1',
    quotaPerUnit: '500000',
  }
  await executeOn(
    fixture,
    {
      stream: topUpStream(number),
      decider: topUpDecider,
      command: { type: 'RequestTopUp', terms },
    },
    SYSTEM,
  )
  return { number, user }
}

const formOf = ({ number }: Order) => ({
  out_trade_no: number,
  type: 'alipay',
  money: '7.30',
  name: 'TUC1',
})
const notify = (paid: Order, deviation?: Deviation, on = route): Promise<ApiReply> =>
  callRoute([on], 'GET /api/user/epay/notify', {
    query: notificationOf(formOf(paid), merchant, deviation),
  })
const creditsOf = async ({ user }: Order) =>
  (await fixture.eventsOf(accountStream(user))).filter(({ type }) => type === 'QuotaCredited')
const typesOf = async ({ number }: Order) =>
  (await fixture.eventsOf(topUpStream(number))).map(({ type }) => type)

describe('given an order,', () => {
  test('when it is paid twice, then both payments are recorded, one is credited and the log says so', async () => {
    const paid = await order()
    expect(await notify(paid)).toEqual(SUCCESS)
    for (let time = 0; time < 2; time++) {
      expect(await notify(paid, { signed: { trade_no: 'G-second' } })).toEqual(SUCCESS)
    }
    expect(await typesOf(paid)).toEqual(['TopUpRequested', 'TopUpPaid', 'TopUpPaidAgain'])
    expect(await creditsOf(paid)).toHaveLength(1)
    expect(warnings).toEqual([{ order: paid.number, gatewayTradeNo: 'G-second' }])
  })

  test('when the gateway says that it was paid, then the account is credited before it hears success', async () => {
    const paid = await order()
    const answer = await notify(paid)
    const [credit, ...more] = await creditsOf(paid)
    expect(answer).toEqual(SUCCESS)
    expect(more).toEqual([])
    const [, decision] = await fixture.eventsOf(topUpStream(paid.number))
    expect(decision).toMatchObject({
      type: 'TopUpPaid',
      data: { money: '7.30', gatewayTradeNo: `G${paid.number}` },
      metadata: { actor: 'system' },
    })
    expect(credit).toMatchObject({
      data: { amount: 500_000, source: 'top-up', reason: `${paid.number} 7.30` },
      metadata: { causationId: decision?.id },
    })
    expect(warnings).toEqual([])
  })

  test('when the same notification comes 51 times, then all hear success and one credit is made', async () => {
    const paid = await order()
    const answers = await Promise.all(Array.from({ length: 50 }, () => notify(paid)))
    fixture.pass(1_000)
    answers.push(await notify(paid), await notify(paid, {}, routeOn(fixture)))
    expect(answers).toEqual(answers.map(() => SUCCESS))
    expect(await creditsOf(paid)).toHaveLength(1)
    expect(await typesOf(paid)).toEqual(['TopUpRequested', 'TopUpPaid'])
  })

  test('when a form signed with a Host that holds a field comes as a notification, then it hears fail', async () => {
    const unpaid = await order()
    const own = 'http://x&trade_status=TRADE_SUCCESS&ts='
    const urls = { notify_url: `${own}/api/user/epay/notify`, return_url: `${own}/log` }
    const form = { ...formOf(unpaid), ...urls, pid: merchant.pid, device: 'pc' }
    const split = { return_url: 'http://x', trade_status: 'TRADE_SUCCESS', ts: '/log' }
    const forged = { ...withSign(form, merchant.key), ...split }
    expect(isSignedWith(forged, merchant.key)).toBe(true)
    const send = (query: Readonly<Record<string, string>>) =>
      callRoute([route], 'GET /api/user/epay/notify', { query })
    expect(await send(forged)).toEqual(FAIL)
    // Nor would a form without the ambiguity do.
    const plain = { ...form, notify_url: 'http://x', ...split }
    expect(await send(withSign(plain, merchant.key))).toEqual(FAIL)
    expect(await creditsOf(unpaid)).toEqual([])
    expect(warnings).toEqual([
      expect.objectContaining({ reason: 'a field holds what separates fields' }),
      expect.objectContaining({ reason: 'no words of a gateway' }),
    ])
  })

  test('when it was given up before, then a late payment is credited all the same', async () => {
    const late = await order()
    const command = { type: 'AbandonTopUp' } as const
    await executeOn(
      fixture,
      { stream: topUpStream(late.number), decider: topUpDecider, command },
      SYSTEM,
    )
    expect(await notify(late)).toEqual(SUCCESS)
    expect(await typesOf(late)).toEqual(['TopUpRequested', 'TopUpAbandoned', 'TopUpPaid'])
    expect(await creditsOf(late)).toHaveLength(1)
  })

  test.each<readonly [string, Deviation, string]>([
    ['another signature', { altered: { sign: 'f'.repeat(32) } }, 'the signature does not fit'],
    ['no signature', { altered: { sign: '' } }, 'the signature does not fit'],
    [
      'less money, altered on the way',
      { altered: { money: '0.01' } },
      'the signature does not fit',
    ],
    ['a field more', { altered: { extra: '1' } }, 'the signature does not fit'],
    ['less money', { signed: { money: '7.29' } }, 'money-differs'],
    ['more money', { signed: { money: '73.00' } }, 'money-differs'],
    ['no money', { signed: { money: '' } }, 'money-differs'],
    ['another merchant', { signed: { pid: '1001' } }, 'another merchant'],
    ['no number of the gateway', { signed: { trade_no: '' } }, 'no words of a gateway'],
    ['an address of our form', { signed: { notify_url: 'http://x' } }, 'no words of a gateway'],
    ['a return address', { signed: { return_url: 'http://x' } }, 'no words of a gateway'],
    ['a device', { signed: { device: 'pc' } }, 'no words of a gateway'],
    ['two fields in one', { signed: { param: 'a&b=c' } }, 'a field holds what separates fields'],
    ['no merchant', { signed: { pid: '' } }, 'another merchant'],
    ['an unknown order', { signed: { out_trade_no: 'USR7NOzzzzzz1' } }, 'order-unknown'],
    ['no order', { signed: { out_trade_no: '' } }, 'no order number of ours'],
    [
      'a stream of another kind',
      { signed: { out_trade_no: '../account-1' } },
      'no order number of ours',
    ],
  ])(
    'when a notification has %s, then it hears fail, nothing is credited and the log says why',
    async (_name, deviation, reason) => {
      const unpaid = await order()
      expect(await notify(unpaid, deviation)).toEqual(FAIL)
      expect(await creditsOf(unpaid)).toEqual([])
      expect(await typesOf(unpaid)).toEqual(['TopUpRequested'])
      expect(warnings).toEqual([expect.objectContaining({ reason })])
      expect(await notify(unpaid)).toEqual(SUCCESS)
    },
  )

  test.each(['TRADE_CLOSED', 'WAIT_BUYER_PAY', ''])(
    'when a genuine notification has the status %j, then it hears success and nothing is credited',
    async (trade_status) => {
      const unpaid = await order()
      expect(await notify(unpaid, { signed: { trade_status } })).toEqual(SUCCESS)
      expect(await typesOf(unpaid)).toEqual(['TopUpRequested'])
    },
  )

  test('when a name comes twice, then nobody guesses which is meant', async () => {
    const unpaid = await order()
    const query = notificationOf(formOf(unpaid), merchant)
    const twice = { ...query, money: ['7.30', '0.01'] } as unknown as Record<string, string>
    expect(await callRoute([route], 'GET /api/user/epay/notify', { query: twice })).toEqual(FAIL)
  })

  test('when payment is not configured any more, then it hears fail', async () => {
    const unpaid = await order()
    const without: LiveOptions = { ...options, secret: () => '' }
    expect(await notify(unpaid, {}, routeOn(fixture, without))).toEqual(FAIL)
    expect(await creditsOf(unpaid)).toEqual([])
  })

  test('when the account cannot be reached, then it hears fail, and success once it is credited', async () => {
    const paid = await order()
    const execute = () => Promise.reject(new Error('the owner is away'))
    const ledger = Object.assign(Object.create(fixture.ledger) as AccountLedger, { execute })
    expect(await notify(paid, {}, routeOn({ ...fixture, ledger }))).toEqual(FAIL)
    expect(await creditsOf(paid)).toEqual([])
    expect(await notify(paid)).toEqual(SUCCESS)
    expect(await creditsOf(paid)).toHaveLength(1)
  })
})

/** The payment is appended, the credit is appended, the ledger answers: each with a moment before and after. */
const MOMENTS = 6

describe('given a process that dies while it takes a notification,', () => {
  test.each(['by the workflow manager', 'by the gateway, which says it again'] as const)(
    'when it dies at any moment and is finished %s, then it is paid and credited once',
    async (finisher) => {
      for (let moment = 1; moment <= MOMENTS; moment++) {
        const outcome = await payAndDie(moment, finisher)
        // Before the payment is in the log there is nothing that a workflow manager could finish.
        const isLost = moment === 1 && finisher === 'by the workflow manager'
        expect({ moment, ...outcome }).toEqual({
          moment,
          credits: isLost ? 0 : 1,
          isDead: true,
          wasBelieved: false,
        })
      }
      // Nothing is left to die in: the moments above are all there are.
      const alive = await payAndDie(MOMENTS + 1, finisher)
      expect(alive).toEqual({ credits: 1, isDead: false, wasBelieved: true })
    },
  )
})

async function payAndDie(moments: number, finisher: string) {
  await beginDriving(fixture)
  const paid = await order()
  const life = new Life(moments)
  const store = life.crashable(fixture.store, ['append'])
  const ledger = life.crashable(new AccountLedger({ ...fixture, store }), ['execute'])
  const answer = await notify(paid, {}, routeOn({ store, ledger })).catch(() => null)
  // Another process has a memory of its own.
  const next = new AccountLedger(fixture)
  if (finisher === 'by the workflow manager') {
    const manager = await startManager(fixture, [topUpCredit(next)])
    await until('the manager is done', isAllDone)
    await manager.stop()
  } else {
    expect(await notify(paid, {}, routeOn({ ...fixture, ledger: next }))).toEqual(SUCCESS)
  }
  const credits = (await creditsOf(paid)).length
  return { credits, isDead: life.isOver, wasBelieved: answer?.whole === 'success' }
}

const isAllDone = () => isAllDriven(fixture, 'TopUpPaid')
