import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { insertRegistered, setUserStatus } from '@tollgate/tests/support/user-status.ts'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import type { Access } from '../http-contract/api-route.ts'
import type { Role } from '@tollgate/domain/user/events.ts'
import { type AccessTokens, accessTokens } from './access-tokens.ts'
import { type Authenticate, authenticator, DENIALS, rememberWrite } from './authenticate.ts'
import { SESSION_SECONDS, type Sessions, sessionRows } from './sessions.ts'
import { userStore } from './user-store.ts'
import type { UserStore } from './users.ts'

let fixture: CommandApiFixture
let users: UserStore
let sessions: Sessions
let tokens: AccessTokens
let authenticate: Authenticate
let made = 0

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  users = userStore(fixture.db)
  sessions = sessionRows(fixture)
  tokens = accessTokens(fixture.db, fixture.vault, fixture.entropy)
  authenticate = authenticator({ sessions, accessTokens: tokens })
})
afterAll(() => fixture.close())

let id = 0
let sessionToken = ''
let accessToken = ''
beforeEach(async () => {
  await signUp(1)
})

async function signUp(role: Role): Promise<void> {
  const user = await insertRegistered(users, {
    username: `user${++made}`,
    passwordHash: null,
    displayName: '',
    role,
    openingQuota: 0,
    openingSource: 'sign-up',
  })
  id = user.id
  sessionToken = (await sessions.open(id)).token
  accessToken = await tokens.renew(id)
}

const ask = (
  credentials: Partial<Parameters<Authenticate>[0]>,
  access: Access = 'user',
): ReturnType<Authenticate> =>
  authenticate(
    { sessionToken: null, authorization: null, newApiUser: null, ...credentials },
    access,
  )
const denied = (http: 200 | 401, message: string) => ({ status: 'denied', http, message })

test('given a session or an access token with its user header, when asked, then the caller is signed in', async () => {
  const newApiUser = String(id)
  expect(await ask({ sessionToken, newApiUser })).toMatchObject({
    status: 'signed-in',
    caller: { userId: id, role: 1, group: 'default', sessionId: expect.any(String) },
    lastPosition: -1,
  })
  for (const authorization of [accessToken, `Bearer ${accessToken}`]) {
    expect(await ask({ authorization, newApiUser })).toMatchObject({
      status: 'signed-in',
      caller: { userId: id, sessionId: null },
    })
  }
})

test('given what is wrong, when asked, then each case has its status and text, in order', async () => {
  expect(await ask({})).toEqual(denied(401, DENIALS.notSignedIn))
  expect(await ask({ sessionToken: 'stale' })).toEqual(denied(401, DENIALS.notSignedIn))
  expect(await ask({ authorization: 'x' })).toEqual(denied(200, DENIALS.accessTokenUnknown))
  expect(await ask({ sessionToken })).toEqual(denied(401, DENIALS.userHeaderMissing))
  expect(await ask({ sessionToken, newApiUser: 'x' })).toEqual(
    denied(401, DENIALS.userHeaderMalformed),
  )
  expect(await ask({ sessionToken, newApiUser: '-1' })).toEqual(
    denied(401, DENIALS.userHeaderDiffers),
  )
  await setUserStatus(users, id, { isBanned: true })
  const newApiUser = String(id)
  expect(await ask({ sessionToken, newApiUser }, 'admin')).toEqual(denied(200, DENIALS.banned))
  await setUserStatus(users, id, { deletedAt: new Date() })
  expect(await ask({ sessionToken, newApiUser })).toEqual(denied(401, DENIALS.notSignedIn))
  expect(await ask({ authorization: accessToken, newApiUser })).toEqual(
    denied(200, DENIALS.accessTokenUnknown),
  )
})

test.each([
  [1, 'user', true],
  [1, 'admin', false],
  [10, 'admin', true],
  [10, 'root', false],
  [100, 'root', true],
] as const)(
  'given role %d, when a route of level %s is asked for, then %s',
  async (role, access, isLetIn) => {
    await signUp(role)
    const answer = await ask({ sessionToken, newApiUser: String(id) }, access)
    if (isLetIn) expect(answer.status).toBe('signed-in')
    else expect(answer).toEqual(denied(200, DENIALS.roleTooLow))
  },
)

test('given a visitor route, when asked with or without a session, then it answers and needs no header', async () => {
  expect(await ask({}, 'visitor')).toEqual({ status: 'anonymous' })
  expect(await ask({ sessionToken }, 'visitor')).toMatchObject({ caller: { userId: id } })
  await setUserStatus(users, id, { isBanned: true })
  expect(await ask({ sessionToken }, 'visitor')).toEqual({ status: 'anonymous' })
})

test('given a write, when remembered, then the session and the access token each know the latest', async () => {
  const newApiUser = String(id)
  const bySession = await ask({ sessionToken, newApiUser })
  const byToken = await ask({ authorization: accessToken, newApiUser })
  if (bySession.status !== 'signed-in' || byToken.status !== 'signed-in') throw new Error('denied')
  const deps = { sessions, accessTokens: tokens }
  await rememberWrite(deps, bySession.caller, 7)
  await rememberWrite(deps, bySession.caller, 5)
  await rememberWrite(deps, byToken.caller, 9)
  expect(await ask({ sessionToken, newApiUser })).toMatchObject({ lastPosition: 7 })
  expect(await ask({ authorization: accessToken, newApiUser })).toMatchObject({ lastPosition: 9 })
})

test('given 30 days, when they have passed, then the session is over and can be removed', async () => {
  fixture.pass(SESSION_SECONDS * 1000 - 1)
  expect(await sessions.find(sessionToken)).not.toBeNull()
  fixture.pass(1)
  expect(await sessions.find(sessionToken)).toBeNull()
  expect(await sessions.removeExpired()).toBeGreaterThan(0)
})
