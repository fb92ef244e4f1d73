import cookie from '@fastify/cookie'
import { DENIALS } from '@tollgate/command-api/identity/authenticate.ts'
import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import { mountApi } from '@tollgate/infra/http/api.ts'
import { bodyBudgetLimits } from '@tollgate/relay/uploads/body-budget.ts'
import { Uploads } from '@tollgate/relay/uploads/uploads.ts'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'
import { CONTRACT_ROUTES, OWN_ROUTES } from './contract-routes.ts'
import { NO_REQUEST_HAS_A_KEY } from '../support/no-request-has-a-key.ts'
import { addPerson, signIn } from './people.ts'

/**
 * Every route of the product as it is composed, behind its own authentication and real sessions; only what the routes
 * do is left out, so that walking all of them deletes nobody.
 */
let whole: WholeTollgate
let walked: FastifyInstance
let routes: readonly ApiRoute[]
let callers: readonly Caller[]

/** Somebody at the door: what they carry, and what they hear at a route that is not open to everybody. */
interface Caller {
  readonly who: string
  readonly headers: Readonly<Record<string, string>>
  readonly is: { readonly role: number } | Denial
}

interface Denial {
  readonly status: number
  readonly message: string
}

const NEEDED = { public: 0, visitor: 0, user: 1, admin: 10, root: 100 } as const

beforeAll(async () => {
  whole = await startWholeTollgate()
  routes = whole.tollgate.routes
  callers = await callersOf(whole)
  walked = Fastify()
  await walked.register(cookie)
  mountApi(walked, {
    routes: routes.map(withoutDoing),
    authenticate: whole.tollgate.identity.authenticate,
    rememberWrite: () => Promise.resolve(),
    uploads: new Uploads({ limits: bodyBudgetLimits(1), addressKey: (ip) => ip }),
    waitForReadModels: () => Promise.resolve(),
    isReadModelOutdated: () => false,
    postedRequests: NO_REQUEST_HAS_A_KEY,
    criticalLimit: { take: () => Promise.resolve({ isAllowed: true }) },
    serverAddress: () => '',
    isDemoSite: () => false,
  })
}, 60_000)
afterAll(async () => {
  await walked.close()
  await whole.stop()
}, 30_000)

const withoutDoing = ({ method, path, access, summary }: ApiRoute): ApiRoute => ({
  method,
  path,
  access,
  summary,
  handle: () => Promise.resolve({ data: 'let in' }),
})

/** All who may come: by session and by access token, with and without the header of their id, banned and gone. */
async function callersOf(tollgate: WholeTollgate): Promise<readonly Caller[]> {
  const user = await addPerson(tollgate, 'user')
  const admin = await addPerson(tollgate, 'admin', 10)
  const root = await signIn(tollgate, 'root')
  const people = [
    { ...user, role: 1 },
    { ...admin, role: 10 },
    { ...root, role: 100 },
  ]
  const { cookie: ofUser = '' } = user.headers
  const ofUserId = { 'new-api-user': String(user.id) }
  const token = await accessTokenOf(user.id)
  const denied = (status: number, message: string): Denial => ({ status, message })
  return [
    { who: 'nobody', headers: {}, is: denied(401, DENIALS.notSignedIn) },
    {
      who: 'an unknown session',
      headers: { cookie: 'session=made-up', ...ofUserId },
      is: denied(401, DENIALS.notSignedIn),
    },
    {
      who: 'an unknown access token',
      headers: { authorization: 'made-up', ...ofUserId },
      is: denied(200, DENIALS.accessTokenUnknown),
    },
    ...[{ cookie: ofUser }, { authorization: token }].flatMap((credential) => [
      { who: 'no id', headers: credential, is: denied(401, DENIALS.userHeaderMissing) },
      {
        who: 'an id that is none',
        headers: { ...credential, 'new-api-user': '1e0' },
        is: denied(401, DENIALS.userHeaderMalformed),
      },
      {
        who: 'the id of another',
        headers: { ...credential, 'new-api-user': String(root.id) },
        is: denied(401, DENIALS.userHeaderDiffers),
      },
    ]),
    ...people.map(({ username, headers, role }) => ({ who: username, headers, is: { role } })),
    ...(await Promise.all(
      people.map(async ({ id, role }, index) => {
        const written = index === 0 ? token : await accessTokenOf(id)
        const authorization = index === 1 ? `Bearer ${written}` : written
        const headers = { authorization, 'new-api-user': String(id) }
        return { who: `the access token of role ${role}`, headers, is: { role } }
      }),
    )),
    ...(await goneCallers('disable', 'banned', denied(200, DENIALS.banned))),
    ...(await goneCallers('delete', 'deleted', denied(200, DENIALS.accessTokenUnknown))),
  ]
}

const accessTokenOf = (userId: number): Promise<string> =>
  whole.tollgate.identity.accessTokens.renew(userId)

/** The credentials of a person from before they were banned or deleted: their sessions have ended with it. */
async function goneCallers(
  action: string,
  username: string,
  ofToken: Denial,
): Promise<readonly Caller[]> {
  const person = await addPerson(whole, username)
  const authorization = await accessTokenOf(person.id)
  await whole.root.ask('POST', '/api/user/manage', z.unknown(), { id: person.id, action })
  const ofSession = { status: 401, message: DENIALS.notSignedIn }
  return [
    { who: `${username}, by session`, headers: person.headers, is: ofSession },
    {
      who: `${username}, by access token`,
      headers: { authorization, 'new-api-user': String(person.id) },
      is: ofToken,
    },
  ]
}

interface Heard {
  readonly status: number
  readonly message: string
  readonly isIn: boolean
}

async function call({ method, path }: ApiRoute, { headers }: Caller): Promise<Heard> {
  const url = path.replaceAll(':id', '1').replaceAll(/:\w+/g, 'x')
  const answer = await walked.inject({ method, url, headers })
  const { message, data } = answer.json<{ message: string; data?: unknown }>()
  return { status: answer.statusCode, message, isIn: data === 'let in' }
}

function expected({ access }: ApiRoute, { is }: Caller): Heard {
  const letIn = { status: 200, message: '', isIn: true }
  if (NEEDED[access] === 0) return letIn
  if ('message' in is) return { ...is, isIn: false }
  return is.role >= NEEDED[access]
    ? letIn
    : { status: 200, message: DENIALS.roleTooLow, isIn: false }
}

const nameOf = ({ method, path }: ApiRoute): string => `${method} ${path}`

test('given every route, when called by all roles, then each hears what the contract says', async () => {
  expect(routes.length).toBeGreaterThan(80)
  const wrong: unknown[] = []
  for (const route of routes) {
    for (const caller of callers) {
      const heard = await call(route, caller)
      const due = expected(route, caller)
      if (JSON.stringify(heard) !== JSON.stringify(due)) {
        wrong.push({ route: nameOf(route), who: caller.who, heard, due })
      }
    }
  }
  expect(wrong).toEqual([])
}, 60_000)

const LETTERS = { public: 'P', visitor: 'T', user: 'U', admin: 'A', root: 'R' } as const

test('given every route, when its access is looked at, then it is the contract’s, and each is listed', () => {
  const served = routes.map(
    ({ method, path, access }) => `${LETTERS[access]} ${method} ${path.replace(/\/$/, '')}`,
  )
  const known = new Set([...Object.values(CONTRACT_ROUTES).flat(), ...OWN_ROUTES])
  expect(served.filter((route) => !known.has(route))).toEqual([])
})

test('given a demo site, when routes are asked what they change, then only reading and sign-in are open', () => {
  const changes = ({ method, changesState }: ApiRoute) => changesState ?? method !== 'GET'
  const named = (wanted: (route: ApiRoute) => boolean) =>
    routes.filter(wanted).map(nameOf).toSorted()
  expect(named((route) => route.method !== 'GET' && !changes(route))).toEqual([
    // Says what a draft of prices would have earned, and keeps nothing.
    'POST /api/ledger/prices/preview',
    'POST /api/user/amount',
    'POST /api/user/login',
  ])
  // The option that ends the demo; tests/api/transport.test.ts has the others refused.
  expect(named(({ isOpenOnDemoSite }) => isOpenOnDemoSite === true)).toEqual(['PUT /api/option'])
  expect(named((route) => route.method === 'GET' && changes(route))).toEqual([
    'GET /api/channel/test',
    'GET /api/channel/test/:id',
    'GET /api/channel/update_balance',
    'GET /api/channel/update_balance/:id',
    'GET /api/oauth/email/bind',
    'GET /api/oauth/telegram/bind',
    'GET /api/oauth/wechat/bind',
    'GET /api/reset_password',
    'GET /api/user/aff',
    'GET /api/user/epay/notify',
    'GET /api/user/token',
    'GET /api/verification',
  ])
})
