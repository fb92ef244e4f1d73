import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { usedSignatures } from '../identity/used-signatures.ts'
import { telegramVoucherIn } from './telegram.ts'
import type { ApiReply, SentFrom } from '../http-contract/api-route.ts'
import { setUserStatus } from '@tollgate/tests/support/user-status.ts'
import { callerWith } from '@tollgate/tests/support/command-api.ts'
import { type OAuthFixture, openOAuthFixture } from '@tollgate/tests/support/oauth-fixture.ts'
import { signedByTelegram, TELEGRAM_BOT_TOKEN } from '@tollgate/tests/support/providers/telegram.ts'
import {
  startWeChat,
  WECHAT_TOKEN,
  type WeChatStandIn,
} from '@tollgate/tests/support/providers/wechat.ts'

let fixture: OAuthFixture
let wechat: WeChatStandIn

beforeAll(async () => {
  wechat = await startWeChat()
  fixture = await openOAuthFixture()
  await fixture.set({
    WeChatServerAddress: wechat.url,
    WeChatServerToken: WECHAT_TOKEN,
    TelegramBotToken: TELEGRAM_BOT_TOKEN,
  })
})
beforeEach(async () => {
  wechat.behave('well')
  await fixture.set({
    WeChatAuthEnabled: 'true',
    TelegramOAuthEnabled: 'true',
    RegisterEnabled: 'true',
    DemoSiteEnabled: 'false',
  })
})
afterAll(async () => {
  await fixture.close()
  await wechat.stop()
})

const NOT_SIGNED_IN = {
  success: false,
  message: '无权进行此操作，未登录且未提供 access token',
  status: 401,
}
const INVALID = { success: false, message: '无效的请求' }
let people = 0
const newId = () => String(1000 + ++people)

const inWeChat = (code: string) => fixture.call('GET /api/oauth/wechat', { query: { code } })
const bindWeChat = (code: string, userId: number) =>
  fixture.call('GET /api/oauth/wechat/bind', { query: { code }, caller: callerWith(userId) })
const sent = (wechatId: string): string => {
  const code = `code-${wechatId}`
  wechat.sent(code, wechatId)
  return code
}

test('given somebody new with a WeChat code, when they come, then they are signed up, and later signed in', async () => {
  const id = newId()
  const user = await fixture.signedIn(await inWeChat(sent(id)))
  expect(user).toMatchObject({ wechatId: id, displayName: 'WeChat User', inviterId: null })
  expect(user?.username).toMatch(/^wechat_\d+$/)
  expect((await fixture.signedIn(await inWeChat(sent(id))))?.id).toBe(user?.id)
  expect(wechat.refusals).toEqual([])
})

test('given a signed-in user, when they bind WeChat, then it is theirs, and another’s id is refused', async () => {
  const id = newId()
  const users = await Promise.all([fixture.user(), fixture.user(), fixture.user()])
  const replies = await Promise.all(users.map((user) => bindWeChat(sent(id), user.id)))
  expect(
    replies.filter(({ success, message }) => success !== false && message === ''),
  ).toHaveLength(1)
  expect(replies.filter(({ message }) => message === '该微信账号已被绑定')).toHaveLength(2)
})

test('given WeChat off, no registration, or a banned or deleted user, when they come, then each is told', async () => {
  const known = newId()
  const user = await fixture.user({ wechatId: known })
  await setUserStatus(fixture.users, user.id, { isBanned: true })
  expect(await inWeChat(sent(known))).toMatchObject({ message: '用户已被封禁' })
  await setUserStatus(fixture.users, user.id, { deletedAt: new Date() })
  expect(await inWeChat(sent(known))).toMatchObject({ message: '用户已注销' })
  expect(await bindWeChat(sent(newId()), user.id)).toMatchObject({ message: '用户已注销' })
  await fixture.set({ RegisterEnabled: 'false' })
  expect(await inWeChat(sent(newId()))).toMatchObject({ message: '管理员关闭了新用户注册' })
  await fixture.set({ WeChatAuthEnabled: 'false' })
  const off = { success: false, message: '管理员未开启通过微信登录以及注册' }
  expect(await inWeChat(sent(newId()))).toMatchObject(off)
  expect(await bindWeChat(sent(newId()), 1)).toMatchObject(off)
})

test.each([
  ['', 'well', '无效的参数'],
  ['made-up', 'well', '验证码错误或已过期'],
  ['x&code=y', 'well', '验证码错误或已过期'],
  ['x', 'broken', '无法连接至微信服务器，请稍后重试！'],
  ['x', 'garbage', '无法连接至微信服务器，请稍后重试！'],
  ['x', 'empty', '无法连接至微信服务器，请稍后重试！'],
] as const)(
  'given the code %j and a WeChat server that works %s, when somebody comes, then %s',
  async (code, behaviour, message) => {
    wechat.behave(behaviour)
    expect(await inWeChat(code)).toMatchObject({ success: false, message })
    expect(await bindWeChat(code, 1)).toMatchObject({ success: false, message })
  },
)

test.each(['a\u0000b', '\ud800', '\udfff', 'a\nb', 'a\u200bb', 'x'.repeat(256)])(
  'given the ambiguous or unstorable id %j, when somebody comes with it, then they are refused',
  async (id) => {
    const code = `code-${++people}`
    wechat.sent(code, id)
    const refusal = { success: false, message: '验证码错误或已过期' }
    expect(await inWeChat(code)).toMatchObject(refusal)
    expect(await bindWeChat(code, (await fixture.user()).id)).toMatchObject(refusal)
  },
)

test('given an id of 255 characters of any script, when somebody comes with it, then they are signed in', async () => {
  const id = `${newId()} 😀é`.padEnd(256, 'x')
  expect((await fixture.signedIn(await inWeChat(sent(id))))?.wechatId).toBe(id)
})

const seconds = () => Math.floor(fixture.clock.now() / 1000)
const widget = (id: string, fields: Readonly<Record<string, string>> = {}) => ({
  id,
  first_name: 'Tele & Gram',
  username: 'tg',
  photo_url: 'https://t.me/i/userpic/320/x.jpg',
  auth_date: String(seconds()),
  lang: 'zh',
  ...fields,
})
/** Signed once more: the widget's time is another each time. */
const signedAnew = (id: string) => signedByTelegram(widget(id, { photo_url: `${++people}.jpg` }))
const inTelegram = (query: Readonly<Record<string, string>>) =>
  fixture.call('GET /api/oauth/telegram/login', { query })
const bindTelegram = (query: Readonly<Record<string, string>>, userId: number) =>
  fixture.call('GET /api/oauth/telegram/bind', { query, caller: callerWith(userId) })

test('given a signed-in user, when they bind Telegram, then /setting follows and it can sign in', async () => {
  const user = await fixture.user()
  const id = newId()
  expect(await inTelegram(signedAnew(id))).toMatchObject({
    success: false,
    message: '该 Telegram 账户未绑定',
  })
  expect(await bindTelegram(signedAnew(id), user.id)).toMatchObject({
    status: 302,
    headers: { location: '/setting' },
  })
  expect((await fixture.signedIn(await inTelegram(signedAnew(id))))?.id).toBe(user.id)
  const other = await fixture.user()
  expect(await bindTelegram(signedAnew(id), other.id)).toMatchObject({
    success: false,
    message: '该 Telegram 账户已被绑定',
  })
})

test('given Telegram is off, or the user banned or deleted, when somebody comes, then each is told so', async () => {
  const id = newId()
  const user = await fixture.user({ telegramId: id })
  const signed = signedByTelegram(widget(id))
  await setUserStatus(fixture.users, user.id, { isBanned: true })
  expect(await inTelegram(signedAnew(id))).toMatchObject({ message: '用户已被封禁' })
  await setUserStatus(fixture.users, user.id, { deletedAt: new Date() })
  expect(await inTelegram(signedAnew(id))).toMatchObject({ message: '用户已注销' })
  const free = signedByTelegram(widget(newId()))
  expect(await bindTelegram(free, user.id)).toMatchObject({ message: '用户已注销' })
  await fixture.set({ TelegramOAuthEnabled: 'false' })
  const off = { success: false, message: '管理员未开启通过 Telegram 登录以及注册' }
  expect(await inTelegram(signed)).toMatchObject(off)
  expect(await bindTelegram(signed, user.id)).toMatchObject(off)
})

test.each<[string, () => Readonly<Record<string, string>>]>([
  ['nothing', () => ({})],
  ['another bot’s signature', () => signedByTelegram(widget('77'), 'another:bot')],
  ['the signature of a bot without token', () => signedByTelegram(widget('77'), '')],
  ['another id', () => ({ ...signedByTelegram(widget('78')), id: '77' })],
  ['a field more', () => ({ ...signedByTelegram(widget('77')), admin: '1' })],
  ['a field more, signed', () => signedByTelegram(widget('77', { admin: '1' }))],
  ['a name with a line end', () => signedByTelegram(widget('77', { first_name: 'A\nid=78' }))],
  ['a name with a NUL', () => signedByTelegram(widget('77', { username: 'a\u0000b' }))],
  [
    'one signature read as other fields',
    () => {
      const { hash = '' } = signedByTelegram({ ...widget('770'), first_name: 'A\nid=77' })
      return { ...widget('77'), first_name: 'A', 'id=770\nlang': 'zh', hash }
    },
  ],
  ['no hash', () => widget('77')],
  ['a short hash', () => ({ ...widget('77'), hash: 'abcd' })],
  ['an id that is none', () => signedByTelegram(widget('0'))],
  [
    'a day and a second',
    () => signedByTelegram(widget('77', { auth_date: String(seconds() - 86_401) })),
  ],
  [
    'a time far ahead',
    () => signedByTelegram(widget('77', { auth_date: String(seconds() + 400) })),
  ],
])(
  'given %s from Telegram, when signed in or bound with it, then refused',
  async (_what, query) => {
    const user = await fixture.user()
    expect(await inTelegram(query())).toMatchObject(INVALID)
    expect(await bindTelegram(query(), user.id)).toMatchObject(INVALID)
  },
)

test('given no bot token, when somebody signs with none, then nobody is vouched for', () => {
  const deps = { options: { ...fixture.deps.options, secret: () => '' }, clock: fixture.clock }
  expect(telegramVoucherIn(deps, signedByTelegram(widget('77'), ''))).toBeNull()
})

test('given a signature of nearly a day, when signed in with it, then it counts', async () => {
  const id = newId()
  const user = await fixture.user({ telegramId: id })
  const signed = signedByTelegram(widget(id, { auth_date: String(seconds() - 86_400) }))
  expect((await fixture.signedIn(await inTelegram(signed)))?.id).toBe(user.id)
})

test('given a signature, when signed in or bound with it 20 times at once, then it counts once', async () => {
  for (const what of ['login', 'bind'] as const) {
    const id = newId()
    const user = await fixture.user(what === 'login' ? { telegramId: id } : {})
    const signed = signedByTelegram(widget(id))
    const post = (query: Readonly<Record<string, string>>) =>
      what === 'login' ? inTelegram(query) : bindTelegram(query, user.id)
    const replies = await Promise.all(Array.from({ length: 20 }, () => post(signed)))
    expect(replies.filter(({ success }) => success !== false)).toHaveLength(1)
    expect(replies.filter(({ success }) => success === false)).toEqual(
      Array.from({ length: 19 }, () => ({ ...INVALID, status: 200 })),
    )
    const { hash = '' } = signed
    expect(await inTelegram({ ...signed, hash: hash.toUpperCase() })).toMatchObject(INVALID)
    expect(await bindTelegram(signed, user.id)).toMatchObject(INVALID)
  }
})

test('given a signature that came to nothing, when bound with it by another, then refused', async () => {
  const signed = signedByTelegram(widget(newId()))
  expect(await inTelegram(signed)).toMatchObject({ message: '该 Telegram 账户未绑定' })
  expect(await bindTelegram(signed, (await fixture.user()).id)).toMatchObject(INVALID)
})

test('given used signatures, when cleaned, then those that are refused by their age are gone, others stay', async () => {
  const { clock } = fixture
  const used = usedSignatures(fixture)
  const [old, young] = [Buffer.from(newId()), Buffer.from(newId())]
  await used.use(old, clock.now() - 1)
  await used.use(young, clock.now())
  expect(await used.removeExpired()).toBe(1)
  expect(await used.use(young, clock.now())).toBe(false)
  expect(await used.use(old, clock.now())).toBe(true)
})

test('given a field that comes twice, when signed in, then refused', async () => {
  const signed = signedByTelegram(widget('77'))
  const query = { ...signed, id: ['77', '78'] } as unknown as Record<string, string>
  expect(await inTelegram(query)).toMatchObject(INVALID)
})

test.each(['wechat/bind', 'telegram/bind'])(
  'given nobody is signed in, when %s is called, then 401',
  async (path) => {
    const query =
      path === 'wechat/bind' ? { code: sent(newId()) } : signedByTelegram(widget(newId()))
    expect(await fixture.call(`GET /api/oauth/${path}`, { query })).toEqual(NOT_SIGNED_IN)
  },
)

test('given a page of another site, when it makes a browser sign in or bind, then nothing happens', async () => {
  const caller = callerWith((await fixture.user()).id)
  const [wechatId, telegramId] = [newId(), newId()]
  const code = sent(wechatId)
  const signed = signedByTelegram(widget(telegramId))
  for (const [path, query] of [
    ['wechat', { code }],
    ['wechat/bind', { code }],
    ['telegram/login', signed],
    ['telegram/bind', signed],
  ] as const) {
    const reply = await fixture.call(`GET /api/oauth/${path}`, {
      query,
      caller,
      sentFrom: 'other-site',
    })
    expect(reply).toEqual({ ...INVALID, status: 403 })
  }
  expect(await fixture.users.byId(caller.userId)).toMatchObject({ wechatId: '', telegramId: '' })
})

test('given a link opened as a page, when it would sign in or bind, then only Telegram binds', async () => {
  const caller = callerWith((await fixture.user()).id)
  const query = signedByTelegram(widget(newId()))
  const opened = (path: string) =>
    fixture.call(`GET /api/oauth/${path}`, {
      query: path.startsWith('wechat') ? { code: sent(newId()) } : query,
      caller,
      isNavigation: true,
    })
  for (const path of ['wechat', 'wechat/bind', 'telegram/login']) {
    expect(await opened(path)).toEqual({ ...INVALID, status: 403 })
  }
  expect(await fixture.users.byId(caller.userId)).toMatchObject({ wechatId: '' })
  expect(await opened('telegram/bind')).toMatchObject({ status: 302 })
})

test.each(['unknown', 'address-bar'] as const)(
  'given a request sent from %s, when it binds WeChat or Telegram, then it needs its user’s header',
  async (sentFrom) => {
    const user = await fixture.user()
    const caller = callerWith(user.id)
    const [wechatId, telegramId] = [newId(), newId()]
    const asked = (path: string, newApiUser?: string) =>
      fixture.call(`GET /api/oauth/${path}/bind`, {
        query: path === 'wechat' ? { code: sent(wechatId) } : signedAnew(telegramId),
        caller,
        sentFrom,
        isNavigation: false,
        ...(newApiUser !== undefined && { newApiUser }),
      })
    const denied = { success: false, status: 401 }
    for (const header of [undefined, '', 'x', '-1', String(user.id + 1)]) {
      expect(await asked('telegram', header)).toMatchObject(denied)
      if (sentFrom === 'unknown') expect(await asked('wechat', header)).toMatchObject(denied)
    }
    expect(await fixture.users.byId(user.id)).toMatchObject({ wechatId: '', telegramId: '' })
    expect(await asked('wechat', String(user.id))).toEqual({ message: '' })
    expect(await asked('telegram', String(user.id))).toMatchObject({ status: 302 })
    expect(await fixture.users.byId(user.id)).toMatchObject({ wechatId, telegramId })
  },
)

test('given a state in the widget’s address, when Telegram is bound, then once, by who began it', async () => {
  const [user, other] = [await fixture.user(), await fixture.user()]
  const begin = (id: number | null) =>
    fixture.call('GET /api/oauth/state', { caller: id === null ? null : callerWith(id) })
  const id = newId()
  const bindWith = (state: string, visitorToken: string | null, sentFrom: SentFrom = 'unknown') =>
    fixture.call('GET /api/oauth/telegram/bind', {
      query: { ...signedAnew(id), state },
      caller: callerWith(user.id),
      visitorToken,
      sentFrom,
      isNavigation: true,
    })
  const tokenOf = (begun: ApiReply) => begun.visitor?.token ?? null
  const wrong = { success: false, message: 'state is empty or not same', status: 403 }
  for (const beginner of [null, other.id]) {
    const begun = await begin(beginner)
    expect(await bindWith(String(begun.data), tokenOf(begun))).toMatchObject(wrong)
  }
  const begun = await begin(user.id)
  const state = String(begun.data)
  expect(await bindWith(state, null)).toEqual(wrong)
  expect(await bindWith('', tokenOf(begun), 'own-page')).toEqual(wrong)
  expect(await fixture.users.byId(user.id)).toMatchObject({ telegramId: '' })
  // Also when Telegram's own page leads there: nobody else knows the state.
  expect(await bindWith(state, tokenOf(begun), 'other-site')).toMatchObject({
    status: 302,
    headers: { location: '/setting' },
    visitor: null,
  })
  expect(await fixture.users.byId(user.id)).toMatchObject({ telegramId: id })
  expect(await bindWith(state, tokenOf(begun))).toEqual(wrong)
})

test('given somebody signed in, when a page of unknown origin signs in another, then the session stays', async () => {
  const [owner, attacker] = [await fixture.user(), await fixture.user({ telegramId: newId() })]
  const { sessions } = fixture.deps
  const { token } = await sessions.open(owner.id)
  const wechatId = newId()
  const telegramId = attacker.telegramId
  for (const [path, query] of [
    ['wechat', () => ({ code: sent(wechatId) })],
    ['telegram/login', () => signedAnew(telegramId)],
  ] as const) {
    const come = (call: Parameters<OAuthFixture['call']>[1]) =>
      fixture.call(`GET /api/oauth/${path}`, { query: query(), sessionToken: token, ...call })
    expect(await come({ sentFrom: 'unknown' })).toMatchObject({ success: false, status: 401 })
    expect(await sessions.find(token)).not.toBeNull()
    expect(await come({ sentFrom: 'unknown', sessionToken: 'of nobody' })).toHaveProperty('session')
  }
  const come = { query: signedAnew(telegramId), sessionToken: token, newApiUser: '-1' }
  const reply = await fixture.call('GET /api/oauth/telegram/login', {
    ...come,
    sentFrom: 'unknown',
  })
  expect((await fixture.signedIn(reply))?.id).toBe(attacker.id)
})

test('given a demo site, when bound, then refused', async () => {
  const user = await fixture.user()
  await fixture.set({ DemoSiteEnabled: 'true' })
  expect(await bindWeChat(sent(newId()), user.id)).toMatchObject({ status: 405 })
  expect(await inWeChat(sent(newId()))).toMatchObject({ status: 405 })
})
