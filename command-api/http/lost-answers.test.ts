import {
  accountStream,
  channelStream,
  redemptionStream,
  userStream,
} from '@tollgate/domain/event.ts'
import { tokenId } from '@tollgate/domain/ids.ts'
import type { ApiReply, ApiRoute } from '../http-contract/api-route.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import {
  type ChannelsUnderTest,
  openChannelsUnderTest,
} from '@tollgate/tests/support/channels-under-test.ts'
import {
  callerWith,
  callRoute,
  type CommandApiFixture,
  type RouteCall,
} from '@tollgate/tests/support/command-api.ts'
import { Life } from '@tollgate/tests/support/crashable.ts'
import {
  as,
  openUsersUnderTest,
  type UsersUnderTest,
} from '@tollgate/tests/support/users-under-test.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { channelRoutes } from '../channels/routes.ts'
import { z } from 'zod'
import { postedRequests, RUN_LEASE_MS } from '../idempotency/posted-requests.ts'
import { redemptionRoutes } from '../redemptions/routes.ts'
import { redemptionSecrets } from '../secrets/redemption-secrets.ts'
import { tokenAddresses } from '../identity/token-addresses.ts'
import { tokenSecrets } from '../secrets/token-secrets.ts'
import { tokenRoutes } from '../tokens/routes.ts'
import { redeemRoute } from '../wallet/redeem-route.ts'

/** Requests with a key whose process dies after all was done and before the answer is kept: the same comes again. */
let under: UsersUnderTest
let fixture: CommandApiFixture
let made = 0

beforeAll(async () => {
  under = await openUsersUnderTest()
  ;({ fixture } = under)
})
afterAll(() => under.close())

/** Calls with one key, twice; `dying` handles the first, whose end is not heard of. */
async function twice(
  routes: readonly ApiRoute[],
  name: Parameters<typeof callRoute>[1],
  call: RouteCall,
  { on = fixture, dying = routes }: { on?: CommandApiFixture; dying?: readonly ApiRoute[] } = {},
): Promise<readonly (ApiReply | null)[]> {
  const requests = postedRequests(on)
  const key = `lost ${++made}`
  const deaf: typeof requests = {
    ...requests,
    async begin(posted) {
      const begun = await requests.begin(posted)
      return begun.status === 'begun' ? { ...begun, end: () => Promise.resolve() } : begun
    },
  }
  const first = callRoute(dying, name, { ...call, idempotency: { key, requests: deaf } })
  const heard = await first.catch(() => null)
  on.pass(RUN_LEASE_MS)
  return [heard, await callRoute(routes, name, { ...call, idempotency: { key, requests } })]
}

const typesOf = async (stream: string) => (await fixture.eventsOf(stream)).map(({ type }) => type)

describe('given a request whose answer was lost, when it comes again with its key,', () => {
  test('then a token that was issued is answered, and is the only one', async () => {
    const user = await under.register(1, 1000)
    const secrets = tokenSecrets(fixture.db, fixture.vault, fixture.clock)
    const routes = tokenRoutes({
      ...fixture,
      secrets,
      addresses: tokenAddresses(fixture.db),
      users: under.deps.users,
      options: { current: () => optionsFrom([]) },
    })
    const body = { name: 'laptop', remain_quota: 500 }
    const [first, again] = await twice(routes, 'POST /api/token', { body, caller: as(user) })
    expect(again?.data).toEqual(first?.data)
    const ids = await secrets.search(user.id, { name: '', key: '' })
    expect(ids.map((id) => ({ id }))).toEqual([again?.data])

    const [id = tokenId(0)] = ids
    const revised = { ...body, id, remain_quota: 700, remain_quota_before: 500 }
    await twice(routes, 'PUT /api/token', { body: revised, query: {}, caller: as(user) })
    const remain = await fixture.ledger.inspect(user.id, ({ tokens }) => tokens.get(id)?.remain)
    expect(remain).toBe(700)
  })

  test('then codes that were issued are answered, and those that were not are issued', async () => {
    const secrets = redemptionSecrets(fixture.db, fixture.vault, fixture.clock)
    const routesOn = (store: CommandApiFixture['store']) =>
      redemptionRoutes({ ...fixture, store, secrets, log: { warn() {} } })
    const call = { body: { name: 'gift', quota: 5, count: 3 }, caller: callerWith(1, 10) }
    const [first, again] = await twice(routesOn(fixture.store), 'POST /api/redemption', call)
    expect(again?.data).toEqual(first?.data)

    const life = new Life(3)
    const dying = routesOn(life.crashable(fixture.store, ['append']))
    const options = { dying }
    const [, whole] = await twice(routesOn(fixture.store), 'POST /api/redemption', call, options)
    expect(life.isOver).toBe(true)
    const codes = whole?.data as readonly string[]
    const ids = await Promise.all(codes.map((code) => secrets.findByCode(code)))
    expect(new Set(ids).size).toBe(3)
    for (const id of ids)
      expect(await typesOf(redemptionStream(Number(id)))).toEqual(['CodeIssued'])
    expect(await secrets.searchByName('gift')).toHaveLength(6)
  })

  test('then a code that was redeemed is answered as redeemed, and credited once', async () => {
    const user = await under.register()
    const redemptions = redemptionSecrets(fixture.db, fixture.vault, fixture.clock)
    const codes = redemptionRoutes({ ...fixture, secrets: redemptions, log: { warn() {} } })
    const admin = callerWith(1, 10)
    const wanted = { body: { name: 'x', quota: 40, count: 1 }, caller: admin }
    const [key] = (await callRoute(codes, 'POST /api/redemption', wanted)).data as string[]
    const limit = { take: async () => ({ isAllowed: true }) as const, forget: async () => {} }
    const routes = [
      redeemRoute({
        ...fixture,
        redemptions,
        userLimit: limit,
        addressLimit: limit,
        log: { warn() {} },
      }),
    ]
    const call = { body: { key }, caller: as(user) }
    expect(await twice(routes, 'POST /api/user/topup', call)).toMatchObject([
      { data: 40 },
      { data: 40 },
    ])
    expect(await fixture.ledger.inspect(user.id, ({ posted }) => posted)).toBe(40)
    expect((await callRoute(routes, 'POST /api/user/topup', call)).success).toBe(false)
  })

  test('then a user that was added is answered, and a balance that was adjusted stays so', async () => {
    const admin = await under.register(10)
    const body = { username: 'once', password: 'correct horse', display_name: '', role: 1 }
    const [first, again] = await twice(under.routes, 'POST /api/user', { body, caller: as(admin) })
    expect(again).toMatchObject({ data: first?.data })
    const user = await under.register(1, 500)
    const edit = { id: user.id, quota: 400, quota_before: 500 }
    await twice(under.routes, 'PUT /api/user', { body: edit, caller: as(admin) })
    expect(await fixture.ledger.inspect(user.id, ({ posted }) => posted)).toBe(400)
    expect(await typesOf(accountStream(user.id))).toContain('QuotaDebited')
  })

  test('then a user whose role, ban or deletion it was is answered as at first, and once', async () => {
    const root = await under.register(100)
    const user = await under.register(1)
    const manage = (action: string) =>
      twice(under.routes, 'POST /api/user/manage', {
        body: { id: user.id, action },
        caller: as(root),
      })
    for (const action of ['promote', 'demote', 'disable', 'enable']) {
      const [first, again] = await manage(action)
      expect([action, first?.success ?? true]).toEqual([action, true])
      expect([action, again]).toEqual([action, first])
    }
    const [first, again] = await twice(under.routes, 'DELETE /api/user/:id', {
      params: { id: `${user.id}` },
      caller: as(root),
    })
    expect(first?.success ?? true).toBe(true)
    expect(again).toEqual(first)
    const call = { params: { id: `${user.id}` }, caller: as(root) }
    const requests = postedRequests(fixture)
    const anew = { ...call, idempotency: { key: 'another wish', requests } }
    for (const deletion of [call, anew]) {
      expect(await callRoute(under.routes, 'DELETE /api/user/:id', deletion)).toMatchObject({
        success: false,
        message: 'record not found',
      })
    }
    expect(await typesOf(userStream(user.id))).toEqual([
      'UserRegistered',
      'UserRoleChanged',
      'UserRoleChanged',
      'UserBanned',
      'UserReinstated',
      'UserDeleted',
    ])
  })

  test('then a token and a code that were deleted are answered as at first; others’ stay', async () => {
    const user = await under.register(1, 1000)
    const secrets = tokenSecrets(fixture.db, fixture.vault, fixture.clock)
    const tokens = tokenRoutes({
      ...fixture,
      secrets,
      addresses: tokenAddresses(fixture.db),
      users: under.deps.users,
      options: { current: () => optionsFrom([]) },
    })
    const body = { name: 'old', remain_quota: 5 }
    const issue = (caller: ReturnType<typeof as>) =>
      callRoute(tokens, 'POST /api/token', { body, caller })
    const { id } = z.object({ id: z.int() }).parse((await issue(as(user))).data)
    const params = { id: `${id}` }
    const [first, again] = await twice(tokens, 'DELETE /api/token/:id', {
      params,
      caller: as(user),
    })
    expect(first?.success ?? true).toBe(true)
    expect(again?.success ?? true).toBe(true)

    const stranger = await under.register(1)
    const theirs = z.object({ id: z.int() }).parse((await issue(as(user))).data)
    const foreign = { params: { id: `${theirs.id}` }, caller: as(stranger) }
    expect(await twice(tokens, 'DELETE /api/token/:id', foreign)).toMatchObject([
      { success: false, message: 'record not found' },
      { success: false, message: 'record not found' },
    ])
    expect(await secrets.search(user.id, { name: '', key: '' })).toEqual([tokenId(theirs.id)])

    const codes = redemptionSecrets(fixture.db, fixture.vault, fixture.clock)
    const redemptions = redemptionRoutes({ ...fixture, secrets: codes, log: { warn() {} } })
    const admin = callerWith(1, 10)
    const wanted = { body: { name: 'gone', quota: 40, count: 1 }, caller: admin }
    await callRoute(redemptions, 'POST /api/redemption', wanted)
    const [code] = await codes.searchByName('gone')
    const deletion = { params: { id: `${code}` }, caller: admin }
    const [deleted, repeated] = await twice(redemptions, 'DELETE /api/redemption/:id', deletion)
    expect(deleted?.success ?? true).toBe(true)
    expect(repeated).toEqual(deleted)
    expect(await typesOf(redemptionStream(Number(code)))).toEqual(['CodeIssued', 'CodeDeleted'])
  })

  test('then channels that were added are answered, and are the only ones', async () => {
    const channels: ChannelsUnderTest = await openChannelsUnderTest()
    const body = { type: 1, name: 'two', key: 'a\nb', models: 'm', group: 'default', auto_ban: 1 }
    const call = { body, caller: callerWith(1, 100) }
    const on = channels.fixture
    const routes = channelRoutes(channels.deps, channels.tests)
    const [first, again] = await twice(routes, 'POST /api/channel', call, { on })
    expect(again?.data).toEqual(first?.data)
    const { ids } = z.object({ ids: z.array(z.int()) }).parse(again?.data)
    expect(ids).toHaveLength(2)
    for (const id of ids) {
      expect((await on.eventsOf(channelStream(id))).map(({ type }) => type)).toEqual([
        'ChannelAdded',
      ])
    }
    expect(await channels.listed()).toHaveLength(2)
    const deletion = { params: { id: `${ids[0]}` }, caller: callerWith(1, 100) }
    const deleted = await twice(routes, 'DELETE /api/channel/:id', deletion, { on })
    expect(deleted.map((reply) => reply?.success ?? true)).toEqual([true, true])
    expect(await channels.listed()).toHaveLength(1)
    await channels.close()
  })
})
