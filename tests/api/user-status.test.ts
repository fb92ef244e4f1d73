import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { until } from '../support/processes.ts'
import { PASSWORD } from '../support/whole-tollgate.ts'
import { call, chat, type SeededProduct, seedAccounts, MODEL, tokenOf } from './seeded.ts'
import { addPerson, type Person, signIn } from './people.ts'

/**
 * Tests of the immediate effects of a changed user status, at every door: console, access token, relay (decisions 16,
 * 40).
 */
let seeded: SeededProduct

beforeAll(async () => {
  seeded = await seedAccounts()
}, 60_000)
afterAll(() => seeded.stop(), 30_000)

/** Somebody with a session, an access token, quota and an API token that has just been used. */
interface Equipped extends Person {
  readonly accessToken: Readonly<Record<string, string>>
  readonly token: SeededProduct['token']
}

async function equip(username: string): Promise<Equipped> {
  const { whole, root } = seeded
  const person = await addPerson(whole, username)
  const form = {
    id: person.id,
    username,
    display_name: username,
    group: 'default',
    quota: 5_000_000,
  }
  expect(await call(seeded, root, 'PUT', '/api/user', form)).toMatchObject({ success: true })
  const authorization = await whole.tollgate.identity.accessTokens.renew(person.id)
  const accessToken = { authorization, 'new-api-user': String(person.id) }
  const token = await tokenOf(whole, person)
  const equipped = { ...person, accessToken, token }
  expect((await chatOf(equipped)).status).toBe(200)
  return equipped
}

const chatOf = ({ token }: Equipped): Promise<Response> => chat({ ...seeded, token })

const manage = (id: number, action: string) =>
  call(seeded, seeded.root, 'POST', '/api/user/manage', { id, action })

const selfWith = (headers: Readonly<Record<string, string>>) =>
  call(seeded, { headers }, 'GET', '/api/user/self')

const logIn = (username: string) =>
  call(seeded, null, 'POST', '/api/user/login', { username, password: PASSWORD })

const NOT_SIGNED_IN = { status: 401, success: false }
const REFUSED_LOGIN = { success: false, message: '用户名或密码错误，或用户已被封禁' }

/** The relay follows the log; it has seen the change within moments. */
const untilRelayAnswers = (person: Equipped, status: number): Promise<void> =>
  until(`the relay answers ${status}`, async () => (await chatOf(person)).status === status)

test('given a user at work, when banned and reinstated, then only the old session stays refused', async () => {
  const carl = await equip('carl')
  expect(await manage(carl.id, 'disable')).toMatchObject({
    success: true,
    data: { role: 1, status: 2, id: 0, username: '' },
  })
  expect(await selfWith(carl.headers)).toMatchObject(NOT_SIGNED_IN)
  expect(await selfWith(carl.accessToken)).toMatchObject({ status: 200, message: '用户已被封禁' })
  expect(await logIn('carl')).toMatchObject(REFUSED_LOGIN)
  await untilRelayAnswers(carl, 403)

  expect(await manage(carl.id, 'enable')).toMatchObject({ data: { role: 1, status: 1 } })
  expect(await selfWith(carl.headers)).toMatchObject(NOT_SIGNED_IN)
  expect(await selfWith(carl.accessToken)).toMatchObject({ success: true })
  expect(await logIn('carl')).toMatchObject({ success: true, data: { id: carl.id } })
  await untilRelayAnswers(carl, 200)
})

test('given a user at work, when deleted, then nothing lets them in and their past stays in the books', async () => {
  const { root } = seeded
  const dora = await equip('dora')
  expect(await call(seeded, root, 'DELETE', `/api/user/${dora.id}`)).toMatchObject({
    success: true,
  })
  expect(await selfWith(dora.headers)).toMatchObject(NOT_SIGNED_IN)
  expect(await selfWith(dora.accessToken)).toMatchObject({ success: false })
  expect(await logIn('dora')).toMatchObject(REFUSED_LOGIN)
  await untilRelayAnswers(dora, 403)

  expect(await call(seeded, root, 'GET', `/api/user/${dora.id}`)).toMatchObject({
    success: false,
    message: 'record not found',
  })
  const again = { username: 'dora', password: PASSWORD }
  const taken = { success: false, message: '用户名已存在，或已注销' }
  expect(await call(seeded, root, 'POST', '/api/user', again)).toMatchObject(taken)
  expect(await call(seeded, null, 'POST', '/api/user/register', again)).toMatchObject(taken)

  const listed = await call(seeded, root, 'GET', '/api/user/search?keyword=dora')
  const page = z.object({
    items: z.array(z.object({ id: z.number(), DeletedAt: z.string(), quota: z.number() })),
  })
  expect(page.parse(listed.data).items).toEqual([
    { id: dora.id, DeletedAt: expect.any(String) as unknown, quota: expect.any(Number) as unknown },
  ])
  const logged = await call(seeded, root, 'GET', '/api/log?username=dora&type=2')
  expect(logged.data).toMatchObject({ total: 1, items: [{ model_name: MODEL, user_id: dora.id }] })
  const balance = await call(seeded, root, 'GET', '/api/audit/trial-balance')
  expect(balance.data).toMatchObject({ total: { balance: '0' } })
})

test('given a user who leaves by themselves, when they have, then it is the same for them', async () => {
  const eve = await equip('eve')
  const headers = { ...eve.headers, 'idempotency-key': 'eve-leaves' }
  const leave = () => call(seeded, { headers }, 'DELETE', '/api/user/self')
  expect(await leave()).toMatchObject({ success: true })
  // The reference says so: with the account went the session by which the caller of the repetition would be known.
  expect(await leave()).toMatchObject(NOT_SIGNED_IN)
  expect(await selfWith(eve.headers)).toMatchObject(NOT_SIGNED_IN)
  expect(await selfWith(eve.accessToken)).toMatchObject({ success: false })
  await untilRelayAnswers(eve, 403)
})

test('given an administrator, when demoted, then session and rights end at once', async () => {
  const { whole, root } = seeded
  const fred = await addPerson(whole, 'fred', 10)
  const authorization = await whole.tollgate.identity.accessTokens.renew(fred.id)
  const headers = { authorization, 'new-api-user': String(fred.id) }
  expect(await call(seeded, { headers }, 'GET', '/api/user')).toMatchObject({ success: true })
  expect(await manage(fred.id, 'demote')).toMatchObject({ data: { role: 1, status: 1 } })
  expect(await selfWith(fred.headers)).toMatchObject(NOT_SIGNED_IN)
  expect(await call(seeded, { headers }, 'GET', '/api/user')).toMatchObject({
    success: false,
    message: '无权进行此操作，权限不足',
  })
  expect(await call(seeded, root, 'GET', `/api/user/${fred.id}`)).toMatchObject({
    data: { role: 1 },
  })
})

test('given a user at work, when moved to an unserved group and back, then the relay follows at once', async () => {
  const { root } = seeded
  const gina = await equip('gina')
  const form = { id: gina.id, username: 'gina', display_name: 'gina' }
  await call(seeded, root, 'PUT', '/api/user', { ...form, group: 'vip' })
  await untilRelayAnswers(gina, 503)
  expect(await selfWith(gina.headers)).toMatchObject({ data: { group: 'vip' } })
  await call(seeded, root, 'PUT', '/api/user', { ...form, group: 'default' })
  await untilRelayAnswers(gina, 200)
})

test('given a password that an administrator sets, when set, then sessions end and it signs in', async () => {
  const { whole, root } = seeded
  const hans = await addPerson(whole, 'hans')
  const other = await signIn(whole, 'hans')
  const form = { id: hans.id, username: 'hans', display_name: 'hans', group: 'default' }
  const changed = { ...form, password: 'another-one-2' }
  expect(await call(seeded, root, 'PUT', '/api/user', changed)).toMatchObject({ success: true })
  expect(await selfWith(hans.headers)).toMatchObject(NOT_SIGNED_IN)
  expect(await selfWith(other.headers)).toMatchObject(NOT_SIGNED_IN)
  expect(await logIn('hans')).toMatchObject(REFUSED_LOGIN)
  const login = { username: 'hans', password: 'another-one-2' }
  expect(await call(seeded, null, 'POST', '/api/user/login', login)).toMatchObject({
    success: true,
  })
})
