import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { PASSWORD, startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'
import { call } from './seeded.ts'
import { addPerson, type Person, signIn } from './people.ts'

/** Where people are signed in: seen and ended by themselves, and by those above them. */
let whole: WholeTollgate
let root: Person
let admin: Person

beforeAll(async () => {
  whole = await startWholeTollgate()
  root = await signIn(whole, 'root')
  admin = await addPerson(whole, 'admin', 10)
}, 60_000)
afterAll(() => whole.stop(), 30_000)

const sessionsOf = z.array(
  z.object({
    id: z.string(),
    created_at: z.number(),
    last_seen_at: z.number(),
    ip: z.string(),
    user_agent: z.string(),
    is_current: z.boolean(),
  }),
)

const list = async (person: Person, path = '/api/user/sessions') =>
  sessionsOf.parse((await call({ whole }, person, 'GET', path)).data)

const isSignedIn = async (person: Person): Promise<boolean> =>
  (await call({ whole }, person, 'GET', '/api/user/self')).success === true

/** By password, from a browser that names itself. */
async function logIn(username: string, userAgent: string): Promise<Person> {
  const answer = await fetch(`${whole.tollgate.url}/api/user/login`, {
    method: 'POST',
    headers: { 'user-agent': userAgent },
    body: JSON.stringify({ username, password: PASSWORD }),
  })
  const { data } = z.object({ data: z.object({ id: z.number() }) }).parse(await answer.json())
  const cookie = answer.headers.getSetCookie().find((text) => text.startsWith('session='))
  const headers = { cookie: cookie?.split(';', 1)[0] ?? '', 'new-api-user': String(data.id) }
  return { id: data.id, username, headers }
}

test('given somebody signed in twice, when they look, then they see both and which is the present one', async () => {
  await addPerson(whole, 'ann')
  const holdService = await logIn('ann', 'Desk/1.0')
  const phone = await logIn('ann', 'Phone/2.0')
  const [ofHoldService, ofPhone] = await Promise.all([list(holdService), list(phone)])
  const browsers = (sessions: typeof ofHoldService) =>
    sessions.filter((session) => session.is_current).map((session) => session.user_agent)
  expect(ofHoldService.map((session) => session.user_agent)).toEqual(
    expect.arrayContaining(['Desk/1.0', 'Phone/2.0']),
  )
  expect([browsers(ofHoldService), browsers(ofPhone)]).toEqual([['Desk/1.0'], ['Phone/2.0']])
  const current = ofPhone.find((session) => session.is_current)
  expect(current?.ip).toMatch(/^(?:127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/)
  expect(current?.last_seen_at).toBeGreaterThanOrEqual(current?.created_at ?? Infinity)
  expect(Object.keys(current ?? {})).not.toContain('token_hash')
})

test('given several sessions, when one, all others or the present one is ended, then just these end', async () => {
  await addPerson(whole, 'bob')
  const [holdService, phone, tablet] = [
    await logIn('bob', 'Desk/1.0'),
    await logIn('bob', 'Phone/2.0'),
    await logIn('bob', 'Tablet/3.0'),
  ]
  const phoneId = (await list(phone)).find((session) => session.is_current)?.id ?? ''
  expect(
    await call({ whole }, holdService, 'DELETE', `/api/user/sessions/${phoneId}`),
  ).toMatchObject({
    success: true,
  })
  expect([
    await isSignedIn(holdService),
    await isSignedIn(phone),
    await isSignedIn(tablet),
  ]).toEqual([true, false, true])
  expect(
    await call({ whole }, holdService, 'DELETE', `/api/user/sessions/${phoneId}`),
  ).toMatchObject({
    success: false,
    code: 'session_not_found',
  })
  // The tablet's and that of addPerson.
  expect(await call({ whole }, holdService, 'DELETE', '/api/user/sessions')).toMatchObject({
    data: 2,
  })
  expect([await isSignedIn(holdService), await isSignedIn(tablet)]).toEqual([true, false])
  const own = (await list(holdService)).map(({ id }) => id)
  expect(own).toHaveLength(1)
  expect(
    await call({ whole }, holdService, 'DELETE', `/api/user/sessions/${own[0]}`),
  ).toMatchObject({
    success: true,
  })
  expect(await isSignedIn(holdService)).toBe(false)
})

test('given an administrator, when they open sessions, then they see and end only those of users below', async () => {
  const carl = await addPerson(whole, 'carl')
  const otherAdmin = await addPerson(whole, 'admin2', 10)
  const ofCarl = await list(admin, `/api/user/${carl.id}/sessions`)
  expect(ofCarl).toMatchObject([{ is_current: false }])
  const path = (person: Person, session = '') =>
    `/api/user/${person.id}/sessions${session === '' ? '' : `/${session}`}`
  const ofOther = await list(root, path(otherAdmin))
  for (const [person, method, address] of [
    [carl, 'GET', path(carl)],
    [admin, 'GET', path(otherAdmin)],
    [admin, 'GET', path(root)],
    [admin, 'DELETE', path(otherAdmin)],
    [admin, 'DELETE', path(otherAdmin, ofOther[0]?.id)],
    // A session of somebody else than the address says.
    [admin, 'DELETE', path(carl, ofOther[0]?.id)],
    [carl, 'DELETE', `/api/user/sessions/${ofOther[0]?.id}`],
    [admin, 'DELETE', '/api/user/999999/sessions'],
  ] as const) {
    const answered = await call({ whole }, person, method, address)
    expect([address, answered.success]).toEqual([address, false])
  }
  expect(await isSignedIn(otherAdmin)).toBe(true)
  expect(await call({ whole }, admin, 'DELETE', path(carl, ofCarl[0]?.id))).toMatchObject({
    success: true,
  })
  expect(await isSignedIn(carl)).toBe(false)
  const again = await signIn(whole, 'carl')
  expect(await call({ whole }, admin, 'DELETE', path(carl))).toMatchObject({ data: 1 })
  expect(await isSignedIn(again)).toBe(false)
})
