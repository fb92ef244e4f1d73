import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountStream } from '@tollgate/domain/event.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import {
  callRoute,
  type CommandApiGround,
  openCommandApiGround,
} from '@tollgate/tests/support/command-api.ts'
import { Life } from '@tollgate/tests/support/mortal.ts'
import { emailCodeRows } from '../identity/email/email-codes.ts'
import { userStore } from '../identity/user-store.ts'
import { AccountLedger } from '../accounts/account-ledger.ts'
import { tokenSecrets } from '../secrets/token-secrets.ts'
import { recoverRows } from '@tollgate/tests/support/recover-rows.ts'
import { tokenOrphans } from '../workflows/token-recovery.ts'
import { registerUser } from './project-user.ts'
import { userRecovery } from '../workflows/user-recovery.ts'
import { type FirstTokenDeps, firstTokens, giveFirstToken, owedTokens } from './first-token.ts'
import { registerRoute } from './register-route.ts'

let ground: CommandApiGround
let deps: FirstTokenDeps
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const

beforeAll(async () => {
  ground = await openCommandApiGround()
  deps = {
    users: userStore(ground.pool),
    owed: owedTokens(ground.pool),
    ledger: ground.ledger,
    secrets: tokenSecrets(ground.pool, ground.vault, ground.clock),
    entropy: randomBytes,
  }
})
afterAll(() => ground.close())

/** Registers in a process that dies at its n-th moment. */
async function registerIn(life: Life, username: string): Promise<void> {
  const store = life.mortal(ground.store, ['append'])
  const route = registerRoute({
    ...ground,
    store,
    ledger: new AccountLedger({ ...ground, store }),
    users: life.mortal(userStore(ground.pool), ['insert', 'project', 'settle']),
    owed: life.mortal(owedTokens(ground.pool), ['settle']),
    secrets: life.mortal(tokenSecrets(ground.pool, ground.vault, ground.clock), [
      'insert',
      'remove',
    ]),
    passwords: { hash: () => Promise.resolve('hash') },
    codes: emailCodeRows(ground),
    options: { current: () => optionsFrom([]) },
    humanCheck: () => Promise.resolve({ status: 'human' }),
    isTokenGiven: true,
  })
  const body = { username, password: 'correct horse' }
  await callRoute([route], 'POST /api/user/register', { body })
}

/** What the process manager does with rows. */
async function sweep(): Promise<void> {
  const tokens = tokenSecrets(ground.pool, ground.vault, ground.clock)
  const users = userRecovery({ ...ground, users: userStore(ground.pool) }, 0, 0)
  await recoverRows(ground, [
    ...users,
    firstTokens(deps, 0),
    tokenOrphans({ ...ground, tokens }, 0),
  ])
}

async function issuedTo(user: number): Promise<readonly number[]> {
  const events = await ground.eventsOf(accountStream(user))
  return events.flatMap(({ type, data }) =>
    type === 'TokenIssued' && 'token' in data ? [Number(data.token)] : [],
  )
}
async function liveTokensOf(user: number): Promise<readonly number[]> {
  const { rows } = await ground.pool.query<{ readonly id: string | number }>(
    'select id from secrets.tokens where user_id = $1 and deleted_at is null',
    [user],
  )
  return rows.map(({ id }) => Number(id))
}

test('given a registration that dies at any moment, when others go on, then whoever is registered has one token that works', async () => {
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
    const user = await userStore(ground.pool).byLogin(username)
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
  const { id } = await userStore(ground.pool).insert({
    username: 'owed',
    passwordHash: null,
    displayName: '',
    role: 1,
    openingQuota: 0,
    openingSource: 'sign-up',
    isTokenOwed: true,
  })
  await registerUser({ ...ground, users: userStore(ground.pool) }, id, cause)
  expect(await issuedTo(id)).toEqual([])
  const given = Array.from({ length: 5 }, () => giveFirstToken(deps, id, cause))
  expect(await Promise.all(given)).toEqual([true, true, true, true, true])
  expect(await issuedTo(id)).toHaveLength(1)
  expect(await liveTokensOf(id)).toHaveLength(1)
})
