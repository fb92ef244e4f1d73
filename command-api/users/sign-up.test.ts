import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountStream, userStream } from '@tollgate/domain/event.ts'
import { userId } from '@tollgate/domain/ids.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { setUserStatus } from '@tollgate/tests/support/user-status.ts'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { EmailTaken, UsernameTaken } from '../identity/name-conflicts.ts'
import { userStore } from '../identity/user-store.ts'
import type { User } from '../identity/users.ts'
import { AccountLedger } from '../accounts/account-ledger.ts'
import { runSteps } from '../workflows/manager/run-steps.ts'
import { recoverRows } from '@tollgate/tests/support/recover-rows.ts'
import { invitationReward } from '../workflows/invitation-reward.ts'
import { signUp, type SignUpDeps } from './sign-up.ts'
import { userRecovery } from '../workflows/user-recovery.ts'

let fixture: CommandApiFixture
let made = 0
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const
const SETTINGS = { QuotaForNewUser: '500', QuotaForInvitee: '30', QuotaForInviter: '20' }

beforeAll(async () => {
  fixture = await openCommandApiFixture()
})
afterAll(() => fixture.close())

const depsWith = (settings: Readonly<Record<string, string>> = SETTINGS): SignUpDeps => ({
  ...fixture,
  users: userStore(fixture.db),
  options: { current: () => optionsFrom(Object.entries(settings)) },
})

async function signUpDetails(
  deps: SignUpDeps,
  inviterCode = '',
  name = `user${++made}`,
): Promise<User> {
  const wanted = { username: name, displayName: name, passwordHash: null, inviterCode }
  return (await signUp(deps, wanted, cause)).user
}

const sourcesOf = async (user: User) =>
  (await fixture.eventsOf(accountStream(user.id))).map(({ type, data }) => {
    const { source, amount } = data as { source?: string; amount?: number }
    return [type, source, amount].filter((part) => part !== undefined).join(' ')
  })
const registrationOf = async (user: User) => (await fixture.eventsOf(userStream(user.id)))[0]?.data

const OPENED = ['AccountOpened', 'QuotaCredited sign-up 500']
const REWARDED = [...OPENED, 'AffiliateRewardEarned 20']
const INVITED = [...OPENED, 'QuotaCredited invitation 30']

test('given an inviter, when somebody signs up with their code, then both are rewarded at once', async () => {
  const inviter = await signUpDetails(depsWith())
  expect(inviter.affCode).toMatch(/^[0-9A-Za-z]{4}$/)
  const invited = await signUpDetails(depsWith(), inviter.affCode ?? '')
  expect(invited).toMatchObject({ inviterId: inviter.id })
  expect(await registrationOf(invited)).toMatchObject({
    inviter: inviter.id,
    invitation: { inviteeReward: 30, inviterReward: 20 },
  })
  expect(await sourcesOf(invited)).toEqual(INVITED)
  expect(await sourcesOf(inviter)).toEqual(REWARDED)
})

test('given rewards of 0, when somebody is invited, then the inviter is noted and nothing is paid', async () => {
  const inviter = await signUpDetails(depsWith({}))
  const invited = await signUpDetails(depsWith({}), inviter.affCode ?? '')
  expect(await registrationOf(invited)).toMatchObject({
    inviter: inviter.id,
    invitation: { inviteeReward: 0, inviterReward: 0 },
  })
  expect(await sourcesOf(invited)).toEqual(['AccountOpened'])
  expect(await sourcesOf(inviter)).toEqual(['AccountOpened'])
})

test('given a code of no active user, when somebody signs up with it, then nobody invited them', async () => {
  const users = userStore(fixture.db)
  const [banned, gone] = [await signUpDetails(depsWith()), await signUpDetails(depsWith())]
  await setUserStatus(users, banned.id, { isBanned: true })
  await setUserStatus(users, gone.id, { deletedAt: new Date() })
  for (const code of ['????', banned.affCode ?? '', gone.affCode ?? '']) {
    const user = await signUpDetails(depsWith(), code)
    expect(user).toMatchObject({ inviterId: null, invitation: null })
    expect(await sourcesOf(user)).toEqual(OPENED)
  }
})

test('given codes that are drawn twice, when people sign up, then each has a code of their own', async () => {
  const bytes = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]
  const deps = { ...depsWith(), entropy: (n: number) => Buffer.from(bytes.splice(0, n)) }
  expect((await signUpDetails(deps)).affCode).toBe('0000')
  expect((await signUpDetails(deps)).affCode).toBe('1111')
})

test('given one name or one own e-mail wanted by ten at once, when they sign up, then one has it', async () => {
  const at = (username: string, email: string) =>
    signUp(
      depsWith(),
      { username, displayName: '', passwordHash: null, email, isEmailOwn: true },
      cause,
    ).then(
      () => 'in',
      (error: unknown) => error,
    )
  const ten = Array.from({ length: 10 }, (_, index) => index)
  const byName = await Promise.all(ten.map((n) => at('the-one', `one${n}@example.com`)))
  expect(byName.filter((outcome) => outcome === 'in')).toHaveLength(1)
  expect(byName.filter((outcome) => outcome instanceof UsernameTaken)).toHaveLength(9)
  const byEmail = await Promise.all(
    ten.map((n) => at(`many${n}`, n % 2 === 0 ? 'Ann@Example.com' : 'ann@example.com')),
  )
  expect(byEmail.filter((outcome) => outcome === 'in')).toHaveLength(1)
  expect(byEmail.filter((outcome) => outcome instanceof EmailTaken)).toHaveLength(9)
})

test('given an e-mail that a provider vouched for, when another user proves it, then it passes to them', async () => {
  const wanted = { displayName: '', passwordHash: null, email: 'Bea@example.com' }
  await signUp(depsWith(), { ...wanted, username: 'bea' }, cause)
  await signUp(depsWith(), { ...wanted, username: 'bea-again' }, cause)
  const own = { ...wanted, username: 'bea-own', email: 'bea@example.com', isEmailOwn: true }
  await expect(signUp(depsWith(), own, cause)).rejects.toThrow(EmailTaken)
})

/** The process dies at its n-th write to the log: before it, or after it and before it hears of it. */
const MOMENTS = [1, 2, 3, 4, 5].flatMap((write) => [
  [write, 'before'] as const,
  [write, 'after'] as const,
])

test.each(MOMENTS)(
  'given a sign-up that died at write %i, %s it, when others go on, then all or nothing is there, once',
  async (write, when) => {
    const inviter = await signUpDetails(depsWith())
    let writes = 0
    const store = {
      ...fixture.store,
      append: async (...call: Parameters<typeof fixture.store.append>) => {
        if (++writes > write || (writes === write && when === 'before')) throw new Error('died')
        const appended = await fixture.store.append(...call)
        if (writes === write) throw new Error('died')
        return appended
      },
    }
    const name = `user${++made}`
    const ledger = new AccountLedger({ ...fixture, store })
    const dying = { ...depsWith(), store, ledger }
    await signUpDetails(dying, inviter.affCode ?? '', name).catch(() => undefined)
    expect(writes).toBeGreaterThanOrEqual(write)

    const users = userStore(fixture.db)
    await recoverRows(fixture, userRecovery({ ...fixture, users }, 0, 0))
    const user = await users.byLogin(name)
    if (write === 1 && when === 'before') {
      expect(user).toBeNull()
      expect(await users.isNameTaken(name, 0)).toBe(false)
      return
    }
    if (user === null) throw new Error('the row is gone')
    expect(user).toMatchObject({ isOpened: true })
    const rewards = invitationReward({ ledger: new AccountLedger(fixture) })
    for (const event of await fixture.eventsOf(userStream(user.id))) {
      expect(rewards.isDecidedBy(event)).toBe(true)
      // The manager may take a step again whose end it did not note.
      for (let again = 0; again < 2; again++) {
        expect(
          await runSteps(rewards.steps(event), '', {
            clock: fixture.clock,
            signal: fixture.signal,
          }),
        ).toEqual({
          status: 'done',
        })
      }
    }
    expect(await sourcesOf(user)).toEqual(INVITED)
    expect(await sourcesOf(inviter)).toEqual(REWARDED)
  },
)

test('given an inviter whose balance is full, when somebody is invited, then only the inviter waits', async () => {
  const inviter = await signUpDetails(depsWith())
  const invited = await signUpDetails(
    depsWith({ ...SETTINGS, QuotaForInviter: String(2 ** 53 - 1) }),
    inviter.affCode ?? '',
  )
  expect(await sourcesOf(invited)).toEqual(INVITED)
  const [event] = await fixture.eventsOf(userStream(userId(invited.id)))
  if (event === undefined) throw new Error('not registered')
  expect(
    await runSteps(invitationReward(fixture).steps(event), '', {
      clock: fixture.clock,
      signal: fixture.signal,
    }),
  ).toMatchObject({ status: 'failed', step: 'reward the inviter' })
})
