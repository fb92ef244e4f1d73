import { adjustmentNotes } from '../identity/adjustment-notes.ts'
import { accountStream } from '@tollgate/domain/event.ts'
import { type UserId, userId } from '@tollgate/domain/ids.ts'
import { quota } from '@tollgate/domain/quota.ts'
import {
  callerWith,
  callRoute,
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { Life } from '@tollgate/tests/support/crashable.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessTokens } from '../identity/access-tokens.ts'
import { argon2Passwords } from '../identity/passwords.ts'
import { OWN_PASSWORD_LIMIT, slidingWindowLimiter } from '../identity/rate-limiter.ts'
import { sessionRows } from '../identity/sessions.ts'
import { userStore } from '../identity/user-store.ts'
import { AccountLedger } from '../accounts/account-ledger.ts'
import {
  type PostedRequests,
  postedRequests,
  REQUEST_KEY_LIFE_MS,
  RUN_LEASE_MS,
} from '../idempotency/posted-requests.ts'
import { followOptions, type LiveOptions } from '../options/live-options.ts'
import { optionSecrets } from '../secrets/option-secrets.ts'
import { selfRoutes } from './self-routes.ts'

const ONE = 500_000
const EARNED = 3 * ONE
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const

let fixture: CommandApiFixture
let options: LiveOptions
let made = 0

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  options = await followOptions({ ...fixture, secrets: optionSecrets(fixture.db, fixture.vault) })
})
afterAll(() => fixture.close())

/** Somebody who could move the same amount three times. */
async function inviter(): Promise<UserId> {
  const user = userId(++made)
  await fixture.ledger.execute(user, { type: 'OpenAccount' }, cause)
  const reward = {
    type: 'EarnAffiliateReward',
    amount: quota(EARNED),
    invitee: userId(999),
  } as const
  await fixture.ledger.execute(user, reward, cause)
  return user
}

const routesOn = (ledger = fixture.ledger) =>
  selfRoutes({
    ...fixture,
    ledger,
    options,
    users: userStore(fixture.db),
    sessions: sessionRows(fixture),
    passwords: argon2Passwords(fixture.entropy),
    ownPasswordFailures: slidingWindowLimiter(OWN_PASSWORD_LIMIT, fixture.clock),
    accessTokens: accessTokens(fixture.db, fixture.vault, fixture.entropy),
    figures: () => Promise.resolve(new Map()),
    recallIdleQuota: () => Promise.resolve(),
    mayReach: () => true,
    notes: adjustmentNotes(fixture.db),
    usersWithAtLeast: () => Promise.resolve([]),
  })

const move = (
  user: UserId,
  key?: string,
  amount = ONE,
  routes = routesOn(),
  requests: Pick<PostedRequests, 'begin'> = postedRequests(fixture),
) =>
  callRoute(routes, 'POST /api/user/aff_transfer', {
    body: { quota: amount },
    caller: callerWith(user),
    ...(key !== undefined && { idempotency: { key, requests } }),
  })

const figuresOf = (user: UserId) =>
  new AccountLedger(fixture).inspect(user, ({ posted, affiliate }) => [posted, affiliate])
const MOVED_ONCE = [ONE, EARNED - ONE]

test('given quota for three transfers, when one is posted 50 times without a key, then three are made', async () => {
  const user = await inviter()
  const answers = await Promise.all(Array.from({ length: 50 }, () => move(user)))
  expect(answers.filter(({ message }) => message === '划转成功')).toHaveLength(3)
  expect(answers.filter(({ message }) => message === '划转失败 邀请额度不足！')).toHaveLength(47)
  expect(await figuresOf(user)).toEqual([EARNED, 0])
})

test('given a transfer, when repeated with its key, then it is done once; another key is another transfer', async () => {
  const user = await inviter()
  expect((await move(user, 'a')).message).toBe('划转成功')
  fixture.pass(REQUEST_KEY_LIFE_MS - 1)
  expect((await move(user, 'a')).message).toBe('划转成功')
  expect(await figuresOf(user)).toEqual(MOVED_ONCE)
  expect((await move(user, 'a', ONE + 1)).status).toBe(422)
  expect(await figuresOf(user)).toEqual(MOVED_ONCE)
  expect((await move(user, 'b')).message).toBe('划转成功')
  expect(await figuresOf(user)).toEqual([2 * ONE, ONE])
})

test('given a refused transfer, when repeated later with its key, then it is refused as at first', async () => {
  const user = await inviter()
  const refused = { success: false, message: '划转失败 邀请额度不足！' }
  expect(await move(user, 'a', EARNED + ONE)).toMatchObject(refused)
  const reward = { type: 'EarnAffiliateReward', amount: quota(ONE), invitee: userId(998) } as const
  await fixture.ledger.execute(user, reward, cause)
  expect(await move(user, 'a', EARNED + ONE)).toMatchObject(refused)
  expect((await move(user, 'b', EARNED + ONE)).message).toBe('划转成功')
})

test('given a transfer without a key, when the same amount or another follows at once, then each is moved', async () => {
  const user = await inviter()
  for (const amount of [ONE, ONE, ONE]) {
    expect((await move(user, undefined, amount)).message).toBe('划转成功')
  }
  expect((await move(user, undefined, ONE - 1)).success).toBe(false)
  expect(await figuresOf(user)).toEqual([EARNED, 0])
})

test('given a refused transfer, when it is posted again after the quota has come, then it is moved', async () => {
  const user = await inviter()
  expect((await move(user, undefined, EARNED + ONE)).message).toBe('划转失败 邀请额度不足！')
  const reward = { type: 'EarnAffiliateReward', amount: quota(ONE), invitee: userId(998) } as const
  await fixture.ledger.execute(user, reward, cause)
  expect((await move(user, undefined, EARNED + ONE)).message).toBe('划转成功')
})

/** The transfer is appended, the ledger answers, the answer is kept: each with a moment before and after. */
const MOMENTS = 6

test('given a transfer with a key whose process dies at any moment, when repeated, then it is moved once', async () => {
  for (let moment = 1; moment <= MOMENTS; moment++) {
    const user = await inviter()
    const life = new Life(moment)
    const dying = new AccountLedger({
      ...fixture,
      store: life.crashable(fixture.store, ['append']),
    })
    const db = life.crashable(fixture.db, [])
    const requests = life.crashable(postedRequests({ ...fixture, db }), ['begin'])
    const routes = routesOn(life.crashable(dying, ['execute']))
    expect(await move(user, 'a key', ONE, routes, requests).catch(() => null)).toBeNull()
    expect(life.isOver).toBe(true)
    dying.stop()
    fixture.pass(RUN_LEASE_MS)
    const next = new AccountLedger(fixture)
    const again = await move(user, 'a key', ONE, routesOn(next))
    expect([moment, again.message]).toEqual([moment, '划转成功'])
    expect([moment, await figuresOf(user)]).toEqual([moment, MOVED_ONCE])
    expect(await eventsOf(user)).toHaveLength(1)
    next.stop()
  }
})

const eventsOf = async (user: UserId) =>
  (await fixture.eventsOf(accountStream(user))).filter(
    ({ type }) => type === 'AffiliateQuotaTransferred',
  )
