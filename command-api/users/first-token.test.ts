import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountStream } from '@tollgate/domain/event.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import {
  callRoute,
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { Life } from '@tollgate/tests/support/crashable.ts'
import { emailCodeRows } from '../identity/email/email-codes.ts'
import { userStore } from '../identity/user-store.ts'
import { AccountLedger } from '../accounts/account-ledger.ts'
import { tokenSecrets } from '../secrets/token-secrets.ts'
import { recoverRows } from '@tollgate/tests/support/recover-rows.ts'
import { tokenRecovery } from '../workflows/token-recovery.ts'
import { registerUser } from './project-user.ts'
import { firstTokenRecovery } from '../workflows/first-token-recovery.ts'
import { userRecovery } from '../workflows/user-recovery.ts'
import { type FirstTokenDeps, giveFirstToken, owedTokens } from './first-token.ts'
import { registerRoute } from './register-route.ts'

let fixture: CommandApiFixture
let deps: FirstTokenDeps
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  deps = {
    users: userStore(fixture.db),
    owed: owedTokens(fixture.db),
    ledger: fixture.ledger,
    secrets: tokenSecrets(fixture.db, fixture.vault, fixture.clock),
    entropy: randomBytes,
  }
})
afterAll(() => fixture.close())

/** Registers in a process that dies at its n-th moment. */
async function registerIn(life: Life, username: string): Promise<void> {
  const store = life.crashable(fixture.store, ['append'])
  const route = registerRoute({
    ...fixture,
    store,
    ledger: new AccountLedger({ ...fixture, store }),
    users: life.crashable(userStore(fixture.db), ['insert', 'project', 'settle']),
    owed: life.crashable(owedTokens(fixture.db), ['settle']),
    secrets: life.crashable(tokenSecrets(fixture.db, fixture.vault, fixture.clock), [
      'insert',
      'remove',
    ]),
    passwords: { hash: () => Promise.resolve('hash') },
    codes: emailCodeRows(fixture),
    options: { current: () => optionsFrom([]) },
    humanCheck: () => Promise.resolve({ status: 'human' }),
    isTokenGiven: true,
  })
  const body = { username, password: 'correct horse' }
  await callRoute([route], 'POST /api/user/register', { body })
}

/** Does the work of the workflow manager with rows. */
async function sweep(): Promise<void> {
  const tokens = tokenSecrets(fixture.db, fixture.vault, fixture.clock)
  const users = userRecovery({ ...fixture, users: userStore(fixture.db) }, 0, 0)
  await recoverRows(fixture, [
    ...users,
    firstTokenRecovery(deps, 0),
    tokenRecovery({ ...fixture, tokens }, 0),
  ])
}

async function issuedTo(user: number): Promise<readonly number[]> {
  const events = await fixture.eventsOf(accountStream(user))
  return events.flatMap(({ type, data }) =>
    type === 'TokenIssued' && 'token' in data ? [Number(data.token)] : [],
  )
}
async function liveTokensOf(user: number): Promise<readonly number[]> {
  const { rows } = await fixture.pool.query<{ readonly id: string | number }>(
    'select id from secrets.tokens where user_id = $1 and deleted_at is null',
    [user],
  )
  return rows.map(({ id }) => Number(id))
}

test('given a registration that dies at any moment, when others go on, then it has one working token', async () => {
  let isThrough = false
  let moment = 0
  let registered = 0
  while (!isThrough) {
    const username = `user${++moment}`
    const life = new Life(moment)
    await registerIn(life, username).catch(() => undefined)
    isThrough = !life.isOver
    await sweep()
    await sweep()
    const user = await userStore(fixture.db).byLogin(username)
    if (user === null) continue
    registered++
    const issued = await issuedTo(user.id)
    expect(issued, `died at moment ${moment}`).toHaveLength(1)
    expect(await liveTokensOf(user.id)).toEqual(issued)
    expect(await deps.owed.isOwed(user.id)).toBe(false)
  }
  expect(moment).toBeGreaterThan(10)
  // Not those that died before the event: at the row's insertion, after it, and at the append.
  expect(registered).toBe(moment - 3)
})

test('given a user who is owed a token, when several processes give it at once, then they have one', async () => {
  const { id } = await userStore(fixture.db).insert({
    username: 'owed',
    passwordHash: null,
    displayName: '',
    role: 1,
    openingQuota: 0,
    openingSource: 'sign-up',
    isTokenOwed: true,
  })
  await registerUser({ ...fixture, users: userStore(fixture.db) }, id, cause)
  expect(await issuedTo(id)).toEqual([])
  const given = Array.from({ length: 5 }, () => giveFirstToken(deps, id, cause))
  expect(await Promise.all(given)).toEqual([true, true, true, true, true])
  expect(await issuedTo(id)).toHaveLength(1)
  expect(await liveTokensOf(id)).toHaveLength(1)
})
