import { QUOTA_MAX } from '@tollgate/domain/account/limits.ts'
import { accountStream, redemptionStream } from '@tollgate/domain/event.ts'
import { type UserId, userId } from '@tollgate/domain/ids.ts'
import { type ApiReply, type ApiRoute, UNNAMED_COMMAND } from '../http-contract/api-route.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { type RedemptionCommand, redemptionDecider } from '@tollgate/domain/redemption/decider.ts'
import {
  callerWith,
  callRoute,
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { Life } from '@tollgate/tests/support/crashable.ts'
import {
  beginDriving,
  isAllDriven,
  startManager,
} from '@tollgate/tests/support/workflow-manager.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FailureLimiter, slidingWindowLimiter } from '../identity/rate-limiter.ts'
import { AccountLedger } from '../accounts/account-ledger.ts'
import { executeOn } from '../aggregates/aggregate.ts'
import { issueCodes } from '../redemptions/issue-codes.ts'
import { redemptionWorkflows } from '../workflows/redemption-credit.ts'
import { type RedemptionSecrets, redemptionSecrets } from '../secrets/redemption-secrets.ts'
import { REDEEM_ADDRESS_LIMIT, REDEEM_USER_LIMIT, redeemRoute } from './redeem-route.ts'

let fixture: CommandApiFixture
let secrets: RedemptionSecrets
let route: ApiRoute
let nextUser = 1
const SYSTEM = { actor: 'system', correlationId: 'test', causationId: null } as const
const WORTH = 100_000

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  secrets = redemptionSecrets(fixture.db, fixture.vault, fixture.clock)
  route = routeOn(fixture)
})
afterAll(() => fixture.close())

const UNLIMITED: FailureLimiter = {
  take: () => Promise.resolve({ isAllowed: true }),
  forget: () => Promise.resolve(),
}
const routeOn = (
  parts: Pick<CommandApiFixture, 'store' | 'ledger'>,
  limits: Partial<Record<'userLimit' | 'addressLimit', FailureLimiter>> = {},
): ApiRoute =>
  redeemRoute({
    ...fixture,
    ...parts,
    redemptions: secrets,
    userLimit: UNLIMITED,
    addressLimit: UNLIMITED,
    ...limits,
    log: { warn() {} },
  })

async function openUser(posted = 0): Promise<UserId> {
  const user = userId(nextUser++)
  await fixture.ledger.execute(user, { type: 'OpenAccount' }, SYSTEM)
  if (posted > 0) {
    const credit = { type: 'CreditQuota', source: 'grant', reason: '' } as const
    await fixture.ledger.execute(user, { ...credit, amount: quota(posted) }, SYSTEM)
  }
  return user
}

async function issue(worth = WORTH): Promise<{ readonly id: number; readonly code: string }> {
  const { codes } = await issueCodes(
    { ...fixture, secrets },
    {
      name: 'spring',
      count: 1,
      quota: quota(worth),
      creator: userId(1),
      cause: SYSTEM,
      ...UNNAMED_COMMAND,
    },
  )
  const [code = ''] = codes
  return { id: (await secrets.findByCode(code)) ?? 0, code }
}

const redeem = (user: number, key: unknown, on = route): Promise<ApiReply> =>
  callRoute([on], 'POST /api/user/topup', { body: { key }, caller: callerWith(user) })

const change = (id: number, command: RedemptionCommand) =>
  executeOn(fixture, { stream: redemptionStream(id), decider: redemptionDecider, command }, SYSTEM)

const creditsOf = async (user: UserId) =>
  (await fixture.eventsOf(accountStream(user))).filter(({ type }) => type === 'QuotaCredited')

describe('redeeming a code', () => {
  test('given an unused code, when redeemed, then the account is credited with the code as its cause', async () => {
    const user = await openUser()
    const { id, code } = await issue()
    const answer = await redeem(user, ` ${code} `)
    const [credit] = await creditsOf(user)
    expect(answer).toEqual({ data: WORTH, wrote: credit?.position })
    const [, redeemed] = await fixture.eventsOf(redemptionStream(id))
    expect(redeemed).toMatchObject({ type: 'CodeRedeemed', data: { user, quota: WORTH } })
    expect(credit).toMatchObject({
      data: { amount: WORTH, source: 'redemption', reason: String(id) },
      metadata: { actor: `user:${user}`, causationId: redeemed?.id },
    })
  })

  test.each([
    ['no code', '', '请输入兑换码！'],
    ['blanks', '  ', '请输入兑换码！'],
    ['none at all', undefined, '请输入兑换码！'],
    ['a code that nobody made', 'f'.repeat(32), '兑换失败，无效的兑换码'],
    ['something else', `' or 1=1 --`, '兑换失败，无效的兑换码'],
    ['a number', 7, '无效的参数'],
  ])('given %s, when redeemed, then it is refused', async (_name, key, message) => {
    expect(await redeem(await openUser(), key)).toMatchObject({ success: false, message })
  })

  test('given a used, a disabled and a deleted code, when redeemed, then nothing is credited', async () => {
    const user = await openUser()
    const used = await issue()
    await redeem(await openUser(), used.code)
    const taken = { success: false, message: '兑换失败，该兑换码已被使用' }
    expect(await redeem(user, used.code)).toMatchObject(taken)
    const disabled = await issue()
    await change(disabled.id, { type: 'DisableCode' })
    expect(await redeem(user, disabled.code)).toMatchObject(taken)
    const deleted = await issue()
    await change(deleted.id, { type: 'DeleteCode' })
    expect(await redeem(user, deleted.code)).toMatchObject({
      message: '兑换失败，无效的兑换码',
    })
    expect(await creditsOf(user)).toEqual([])
  })

  test('given an account that cannot take so much, when redeemed, then refused, and the code stays unused', async () => {
    const full = await openUser(QUOTA_MAX)
    const { code } = await issue()
    expect(await redeem(full, code)).toMatchObject({
      success: false,
      message: '兑换失败，额度超出允许的最大值',
    })
    expect(await redeem(await openUser(), code)).toMatchObject({ data: WORTH })
  })

  test('given one code, when posted 50 times at once by 5 users, then one of them is credited once', async () => {
    const users = await Promise.all([0, 0, 0, 0, 0].map(() => openUser()))
    const { code } = await issue()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => redeem(users[index % 5] ?? 0, code)),
    )
    const credited = answers.filter(({ success }) => success !== false)
    expect(credited).toHaveLength(1)
    for (const { success, message } of answers) {
      if (success === false) expect(message).toBe('兑换失败，该兑换码已被使用')
    }
    const credits = await Promise.all(users.map(creditsOf))
    expect(credits.flat()).toHaveLength(1)
  })

  test.each([
    ['user', { userLimit: () => slidingWindowLimiter(REDEEM_USER_LIMIT, fixture.clock) }],
    ['address', { addressLimit: () => slidingWindowLimiter(REDEEM_ADDRESS_LIMIT, fixture.clock) }],
  ] as const)(
    'given too many wrong codes of one %s, when another comes, then 429 says when to try again',
    async (kind, limits) => {
      const limited = routeOn(fixture, {
        ...('userLimit' in limits && { userLimit: limits.userLimit() }),
        ...('addressLimit' in limits && { addressLimit: limits.addressLimit() }),
      })
      const guesser = await openUser()
      // One address has many users; one user has many addresses.
      const next = async () => (kind === 'user' ? guesser : openUser())
      const { attempts } = kind === 'user' ? REDEEM_USER_LIMIT : REDEEM_ADDRESS_LIMIT
      for (let guess = 0; guess < attempts; guess++) {
        expect(await redeem(await next(), `guess ${guess}`, limited)).toMatchObject({
          message: '兑换失败，无效的兑换码',
        })
      }
      const { code } = await issue()
      const user = await next()
      expect(await redeem(user, code, limited)).toEqual({
        success: false,
        message: '请求次数过多，请稍后再试！',
        status: 429,
        headers: { 'Retry-After': '1200' },
      })
      fixture.pass(REDEEM_USER_LIMIT.windowMs)
      expect(await redeem(user, code, limited)).toMatchObject({ data: WORTH })
    },
  )

  test('given a user with many codes, when all are right, then nobody stops them', async () => {
    const limited = routeOn(fixture, {
      userLimit: slidingWindowLimiter(REDEEM_USER_LIMIT, fixture.clock),
      addressLimit: slidingWindowLimiter(REDEEM_ADDRESS_LIMIT, fixture.clock),
    })
    const user = await openUser()
    for (let count = 0; count <= REDEEM_USER_LIMIT.attempts; count++) {
      expect(await redeem(user, (await issue()).code, limited)).toMatchObject({ data: WORTH })
    }
  })
})

/** The decision is appended, the credit is appended: each with a moment before and after, and one more around the ledger. */
const MOMENTS = 6

describe('given a process that dies while it redeems,', () => {
  test('when it dies at any moment, then the code is used and credited once, or neither', async () => {
    for (let moment = 1; moment <= MOMENTS; moment++) {
      const { outcome, isDead } = await redeemAndDie(moment)
      expect(isDead, `death at moment ${moment}`).toBe(true)
      // Only before the decision was appended nothing has happened; the user simply tries again.
      const expected = moment === 1 ? { uses: 0, credits: 0 } : { uses: 1, credits: 1 }
      expect(outcome, `death at moment ${moment}`).toEqual(expected)
    }
    // Nothing is left to die in: the moments above are all there are.
    expect(await redeemAndDie(MOMENTS + 1)).toEqual({
      outcome: { uses: 1, credits: 1 },
      isDead: false,
    })
  })

  test('when the workflow manager is at work meanwhile, then both together credit once', async () => {
    const manager = await managing()
    for (let round = 0; round < 10; round++) {
      const user = await openUser()
      const { code } = await issue()
      expect(await redeem(user, code)).toMatchObject({ data: WORTH })
      await until('the manager is done, too', isAllDone)
      expect(await creditsOf(user)).toHaveLength(1)
    }
    await manager.stop()
  })
})

/** One process redeems and dies; then another one's manager finishes what it left. */
async function redeemAndDie(moments: number) {
  await beginDriving(fixture)
  const user = await openUser()
  const { id, code } = await issue()
  const life = new Life(moments)
  const store = life.crashable(fixture.store, ['append'])
  const ledger = life.crashable(new AccountLedger({ ...fixture, store }), ['execute'])
  const dying = routeOn({ store, ledger })
  // A dead process answers nobody: what the route makes of it does not matter.
  await redeem(user, code, dying).catch(() => null)
  const manager = await managing()
  await until('the manager is done', isAllDone)
  await manager.stop()
  const events = await fixture.eventsOf(redemptionStream(id))
  const uses = events.filter(({ type }) => type === 'CodeRedeemed').length
  const credits = (await creditsOf(user)).length
  return { outcome: { uses, credits }, isDead: life.isOver }
}

// Another process has a memory of its own.
const managing = () =>
  startManager(
    fixture,
    redemptionWorkflows({ ...fixture, secrets, ledger: new AccountLedger(fixture) }),
  )

const isAllDone = () => isAllDriven(fixture, 'CodeRedeemed')
