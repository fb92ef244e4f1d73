import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ApiReply } from '../http-contract/api-route.ts'
import {
  type OAuthFixture,
  openOAuthFixture,
  ORIGIN,
} from '@tollgate/tests/support/oauth-fixture.ts'
import {
  type Forgery,
  OIDC_CLIENT,
  type OidcPerson,
  type OidcStandIn,
  startOidc,
} from '@tollgate/tests/support/providers/oidc.ts'

let fixture: OAuthFixture
let provider: OidcStandIn
let people = 0

beforeAll(async () => {
  provider = await startOidc()
  fixture = await openOAuthFixture()
  await fixture.set({
    'oidc.client_id': OIDC_CLIENT.id,
    'oidc.client_secret': OIDC_CLIENT.secret,
    'oidc.enabled': 'true',
  })
})
beforeEach(async () => {
  provider.behave('well')
  provider.forge(null)
  provider.refusals.length = 0
  await fixture.set({
    'oidc.well_known': provider.wellKnown,
    'oidc.token_endpoint': '',
    'oidc.user_info_endpoint': '',
    ServerAddress: '',
  })
})
afterAll(async () => {
  await fixture.close()
  await provider.stop()
})

const PATH = 'GET /api/oauth/oidc'
const TOKEN_FAILED = 'OIDC 获取 Token 失败，请检查设置！'
const UNAVAILABLE = '无法连接至 OIDC 服务器，请稍后重试！'
const USER_FAILED = 'OIDC 获取用户信息失败！请检查设置！'
const EMPTY = 'OIDC 获取用户信息为空！请检查设置！'

const somebody = (): OidcPerson => ({
  sub: `sub-${++people}`,
  email: `person-${people}@example.com`,
  name: 'Olive',
  preferred_username: `olive-${people}`,
})

/** As our console goes there and back: with nonce and challenge; `isOld` as a console does that knows of neither. */
const comeBack = (
  person: OidcPerson,
  {
    isOld = false,
    serverAddress = ORIGIN,
    ...as
  }: Parameters<OAuthFixture['comeBack']>[2] & {
    readonly isOld?: boolean
    readonly serverAddress?: string
  } = {},
): Promise<ApiReply> =>
  fixture.comeBack(
    PATH,
    ({ extra }) =>
      provider.authorize(person, {
        redirectUri: `${serverAddress}/oauth/oidc`,
        ...(!isOld && {
          nonce: String(extra?.['nonce']),
          codeChallenge: String(extra?.['code_challenge']),
        }),
      }),
    { ...as, isProving: !isOld },
  )

test.each([false, true])(
  'given a console that is old (%s), when somebody new returns, then they are signed up and in',
  async (isOld) => {
    const person = somebody()
    const inviter = await fixture.user()
    const first = await comeBack(person, { isOld, aff: inviter.affCode ?? '' })
    const user = await fixture.signedIn(first)
    expect(user).toMatchObject({
      oidcId: person.sub,
      username: person.preferred_username,
      displayName: 'Olive',
      email: person.email,
      inviterId: null,
    })
    expect((await fixture.signedIn(await comeBack(person, { isOld })))?.id).toBe(user?.id)
    expect(provider.refusals).toEqual([])
  },
)

test('given an old console, when the sign-in begins, then nothing but the state is answered', async () => {
  const old = await fixture.call('GET /api/oauth/state', {})
  expect(old.extra).toBeUndefined()
  const own = await fixture.call('GET /api/oauth/state', { query: { provider: 'oidc' } })
  const { authorize_url: address, ...proof } = own.extra ?? {}
  expect(proof).toEqual({
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
  })
  const { origin, pathname, searchParams } = new URL(String(address))
  expect(origin + pathname).toBe(`${provider.url}/authorize`)
  expect(Object.fromEntries(searchParams)).toEqual({
    ...proof,
    client_id: OIDC_CLIENT.id,
    redirect_uri: `${ORIGIN}/oauth/oidc`,
    response_type: 'code',
    scope: 'openid profile email',
    state: own.data,
    code_challenge_method: 'S256',
  })
})

test('given a signed-in user, when they come back, then the id is bound; another’s is not', async () => {
  const caller = await fixture.user()
  const person = somebody()
  expect(await comeBack(person, { caller })).toEqual({ message: 'bind', visitor: null })
  expect(await fixture.users.byId(caller.id)).toMatchObject({ oidcId: person.sub })
  expect(await comeBack(person, { caller: await fixture.user() })).toMatchObject({
    success: false,
    message: '该 OIDC 账户已被绑定',
  })
})

test('given it is switched off, when somebody comes back, then refused', async () => {
  await fixture.set({ 'oidc.enabled': 'false' })
  expect(await comeBack(somebody())).toMatchObject({
    success: false,
    message: '管理员未开启通过 OIDC 登录以及注册',
  })
  await fixture.set({ 'oidc.enabled': 'true' })
})

test('given a server address, when somebody comes back, then redirect_uri is of it', async () => {
  await fixture.set({ ServerAddress: 'https://gate.example.com' })
  expect(
    (await comeBack(somebody(), { serverAddress: 'https://gate.example.com' })).session,
  ).toBeDefined()
  expect(await comeBack(somebody())).toMatchObject({ message: TOKEN_FAILED })
  expect(provider.refusals.join()).toContain('redirect_uri is https://gate.example.com/oauth/oidc')
})

test('given endpoints without discovery, when somebody returns, then the user info signs them in', async () => {
  await fixture.set({
    'oidc.well_known': '',
    'oidc.token_endpoint': provider.tokenEndpoint,
    'oidc.user_info_endpoint': provider.userInfoEndpoint,
  })
  provider.forge('key')
  const before = provider.calls.get('GET /jwks')
  for (const isOld of [true, false]) {
    expect((await comeBack(somebody(), { isOld })).session).toBeDefined()
  }
  expect(provider.calls.get('GET /jwks')).toBe(before)
  await fixture.set({ 'oidc.token_endpoint': '' })
  expect(await comeBack(somebody())).toMatchObject({ message: TOKEN_FAILED })
})

test.each([
  ['broken', 'GET /.well-known/openid-configuration'],
  ['garbage', 'GET /.well-known/openid-configuration'],
] as const)(
  'given saved endpoints and a document that is %s, when people return, then it is asked once a minute',
  async (behaviour, at) => {
    fixture.pass(10 * 60_000)
    await fixture.set({
      'oidc.token_endpoint': provider.tokenEndpoint,
      'oidc.user_info_endpoint': provider.userInfoEndpoint,
    })
    provider.behave(behaviour, at)
    const asked = () => provider.calls.get(at) ?? 0
    const warned = fixture.warnings.length
    const before = asked()
    for (const isOld of [true, false]) {
      expect((await comeBack(somebody(), { isOld })).session).toBeDefined()
    }
    expect(fixture.warnings.slice(warned)).toEqual([
      { provider: 'oidc', reason: expect.stringMatching(/./) },
    ])
    const once = asked() - before
    expect(once).toBeGreaterThan(0)
    fixture.pass(60_000)
    provider.behave('well')
    // Read again, so what the provider signs counts again.
    provider.forge('audience')
    expect(await comeBack(somebody())).toMatchObject({ success: false, message: TOKEN_FAILED })
  },
)

test('given a document’s or an issuer’s address, when somebody returns, then the right one is read', async () => {
  for (const address of [`${provider.url}/discovery/v2`, provider.url]) {
    await fixture.set({ 'oidc.well_known': address })
    expect((await comeBack(somebody())).session).toBeDefined()
    provider.forge('audience')
    expect(await comeBack(somebody())).toMatchObject({ success: false, message: TOKEN_FAILED })
    provider.forge(null)
  }
})

test('given discovery, when many return, then it is asked once until its time is up, and finds a new key', async () => {
  await comeBack(somebody())
  const asked = () => provider.calls.get('GET /.well-known/openid-configuration') ?? 0
  const before = asked()
  await provider.turnKey()
  expect((await comeBack(somebody())).session).toBeDefined()
  expect(asked()).toBe(before)
  fixture.pass(10 * 60_000)
  expect((await comeBack(somebody())).session).toBeDefined()
  expect(asked()).toBe(before + 1)
})

test.each<[Forgery, boolean, string | null]>([
  ['key', false, TOKEN_FAILED],
  ['issuer', false, TOKEN_FAILED],
  ['audience', false, TOKEN_FAILED],
  ['nonce', false, TOKEN_FAILED],
  ['expired', false, TOKEN_FAILED],
  ['missing', false, TOKEN_FAILED],
  ['subject', false, USER_FAILED],
  ['key', true, TOKEN_FAILED],
  ['audience', true, TOKEN_FAILED],
  ['subject', true, USER_FAILED],
  // Without a nonce there is nothing that only an id_token can prove.
  ['missing', true, null],
])(
  'given an id_token forged by %s, old console %s, when somebody comes back, then %s',
  async (forgery, isOld, message) => {
    provider.forge(forgery)
    const reply = await comeBack(somebody(), { isOld })
    if (message === null) return expect(reply.session).toBeDefined()
    expect(reply).toMatchObject({ success: false, message })
    expect(reply.session).toBeUndefined()
  },
)

test('given a provider without keys, when it signs with the client’s secret, then only that counts', async () => {
  fixture.pass(10 * 60_000)
  provider.signWithSecret(true)
  expect((await comeBack(somebody())).session).toBeDefined()
  provider.forge('key')
  expect(await comeBack(somebody())).toMatchObject({ success: false, message: TOKEN_FAILED })
  provider.forge(null)
  // It has said that it signs so.
  provider.signWithSecret(false)
  expect(await comeBack(somebody())).toMatchObject({ success: false, message: TOKEN_FAILED })
  fixture.pass(10 * 60_000)
  expect((await comeBack(somebody())).session).toBeDefined()
  // Nobody who knows the secret alone signs for a provider that has keys.
  provider.signWithSecret(true)
  expect(await comeBack(somebody())).toMatchObject({ success: false, message: TOKEN_FAILED })
  provider.signWithSecret(false)
})

test('given another sign-in’s code, when it is slipped into one’s own, then the verifier is refused', async () => {
  const stolen = provider.authorize(somebody(), {
    redirectUri: `${ORIGIN}/oauth/oidc`,
    nonce: 'of the victim',
    codeChallenge: 'of the victim',
  })
  const reply = await fixture.comeBack(PATH, () => stolen, { isProving: true })
  expect(reply).toMatchObject({ success: false, message: TOKEN_FAILED })
  expect(provider.refusals).toEqual(['POST /token: code_verifier does not fit'])
})

test.each<[string, Parameters<OidcStandIn['behave']>[0], string]>([
  ['GET /.well-known/openid-configuration', 'broken', UNAVAILABLE],
  ['GET /.well-known/openid-configuration', 'garbage', TOKEN_FAILED],
  ['GET /.well-known/openid-configuration', 'empty', TOKEN_FAILED],
  ['GET /jwks', 'broken', UNAVAILABLE],
  ['GET /jwks', 'empty', TOKEN_FAILED],
  ['POST /token', 'broken', UNAVAILABLE],
  ['POST /token', 'garbage', TOKEN_FAILED],
  ['POST /token', 'empty', TOKEN_FAILED],
  ['GET /userinfo', 'broken', UNAVAILABLE],
  ['GET /userinfo', 'garbage', USER_FAILED],
  ['GET /userinfo', 'empty', EMPTY],
])('given %s is %s, when somebody comes back, then %s', async (at, behaviour, message) => {
  // Earlier discoveries are forgotten.
  fixture.pass(10 * 60_000)
  provider.behave(behaviour, at)
  const before = fixture.warnings.length
  expect(await comeBack(somebody())).toMatchObject({ success: false, message })
  // A document that cannot be read is noted by both calls that need it: the one that begins and the one that ends.
  const notes = at.includes('well-known') ? 2 : 1
  expect(fixture.warnings.slice(before)).toEqual(
    Array.from({ length: notes }, () => ({
      provider: 'oidc',
      reason: expect.stringMatching(/./),
    })),
  )
})

test.each([{ sub: 'x' }, { sub: '', email: 'a@example.com' }, { sub: 'y', email: '' }])(
  'given user info %j, when somebody comes back, then something is missing',
  async (person) => {
    // The id_token of nobody cannot be signed for.
    provider.forge('missing')
    expect(await comeBack(person, { isOld: true })).toMatchObject({
      success: false,
      message: EMPTY,
    })
  },
)

test('given no code, when called, then refused', async () => {
  expect(await fixture.comeBack(PATH, () => '', {})).toMatchObject({ message: '无效的参数' })
})

test('given names that are taken, e-mails, invalid or missing, when signed up, then the name is oidc_n', async () => {
  const first = await fixture.signedIn(
    await comeBack({ ...somebody(), preferred_username: 'taken' }),
  )
  expect(first?.username).toBe('taken')
  for (const preferred_username of ['taken', first?.email ?? '', 'a\u202eb', 'x'.repeat(51), ' ']) {
    const reply = await comeBack({ ...somebody(), preferred_username })
    expect((await fixture.signedIn(reply))?.username).toMatch(/^oidc_\d+$/)
  }
})

test('given an e-mail that the provider has not verified, when signed up, then it is not taken over', async () => {
  const reply = await comeBack({ ...somebody(), email_verified: false })
  expect(await fixture.signedIn(reply)).toMatchObject({ email: '' })
})

test('given all that failed here, when operators read why, then no secret and no code is in it', () => {
  expect(fixture.warnings.length).toBeGreaterThan(20)
  const told = JSON.stringify(fixture.warnings)
  for (const secret of [OIDC_CLIENT.secret, 'code=', 'Bearer', ...provider.secrets]) {
    expect(told).not.toContain(secret)
  }
})
