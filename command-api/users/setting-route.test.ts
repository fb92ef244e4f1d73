import { insertRegistered } from '@tollgate/tests/support/user-status.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  callerWith,
  callRoute,
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { isPublicAddress } from '@tollgate/infra/http/public-address.ts'
import { userStore } from '../identity/user-store.ts'
import type { UserStore } from '../identity/users.ts'
import { settingRoute } from './setting-route.ts'

let fixture: CommandApiFixture
let users: UserStore
let id = 0

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  users = userStore(fixture.db)
  const user = await insertRegistered(users, {
    username: 'ann',
    passwordHash: null,
    displayName: '',
    role: 1,
    openingQuota: 0,
    openingSource: 'sign-up',
  })
  id = user.id
})
afterAll(() => fixture.close())

let mayReach: (ip: string) => boolean = isPublicAddress
const put = (body: object) =>
  callRoute(
    [settingRoute({ users, vault: fixture.vault, mayReach: (ip) => mayReach(ip) })],
    'PUT /api/user/setting',
    {
      body,
      caller: callerWith(id),
    },
  )
const stored = async () => JSON.parse((await users.byId(id))?.setting ?? '') as unknown
async function secret(): Promise<string | null> {
  const { rows } = await fixture.pool.query<{ sealed: Buffer | null }>(
    'select webhook_secret_ciphertext as sealed from identity.users where id = $1',
    [id],
  )
  const sealed = rows[0]?.sealed ?? null
  return sealed === null ? null : fixture.vault.open('webhook-secret', sealed)
}

test('given settings, when put, then they replace the old ones, and the secret is sealed or kept', async () => {
  const webhook = {
    notify_type: 'webhook',
    quota_warning_threshold: 1.5,
    webhook_url: 'https://x.example/y',
  }
  expect(
    await put({ ...webhook, webhook_secret: 'hush', notification_email: 'a@b.example' }),
  ).toEqual({
    message: '设置已更新',
  })
  expect(await stored()).toEqual({
    notify_type: 'webhook',
    quota_warning_threshold: 1.5,
    accept_unset_model_ratio_model: false,
    webhook_url: 'https://x.example/y',
  })
  expect(await secret()).toBe('hush')
  await put({ ...webhook, webhook_secret: '' })
  expect(await secret()).toBe('hush')
  await put({
    notify_type: 'email',
    quota_warning_threshold: 100_000,
    notification_email: 'a@b.example',
    accept_unset_model_ratio_model: true,
  })
  expect(await stored()).toEqual({
    notify_type: 'email',
    quota_warning_threshold: 100_000,
    accept_unset_model_ratio_model: true,
    notification_email: 'a@b.example',
  })
  expect(await secret()).toBeNull()
})

test.each([
  [{ notify_type: 'pigeon', quota_warning_threshold: 1 }, '无效的预警类型'],
  [{ notify_type: 'email', quota_warning_threshold: 0 }, '预警阈值必须大于0'],
  [{ notify_type: 'email', quota_warning_threshold: '1' }, '无效的参数'],
  [{ notify_type: 'email', quota_warning_threshold: 1, notification_email: 'x' }, '无效的邮箱地址'],
  [{ notify_type: 'webhook', quota_warning_threshold: 1 }, 'Webhook地址不能为空'],
  [
    { notify_type: 'webhook', quota_warning_threshold: 1, webhook_url: 'http://x.example' },
    '无效的Webhook地址',
  ],
  [{ notify_type: 'webhook', quota_warning_threshold: 1, webhook_url: '://' }, '无效的Webhook地址'],
  [
    { notify_type: 'webhook', quota_warning_threshold: 1, webhook_url: 'https://a:b@x.example' },
    '无效的Webhook地址',
  ],
  [
    {
      notify_type: 'webhook',
      quota_warning_threshold: 1,
      webhook_url: 'https://x.example',
      webhook_secret: 'a\r\nX-Other: b',
    },
    'Webhook密钥只能包含可见的英文字符',
  ],
  [
    {
      notify_type: 'email',
      quota_warning_threshold: 1,
      notification_email: 'a@b.example;c@d.example',
    },
    '无效的邮箱地址',
  ],
  [{ notify_type: 'email', quota_warning_threshold: 1, language: 'fr' }, '无效的参数'],
])('given the settings %j, when put, then %s', async (body, message) => {
  expect(await put(body)).toMatchObject({ success: false, message })
})

test('given a language, when put, then it stays until another is named', async () => {
  const mails = { notify_type: 'email', quota_warning_threshold: 1 }
  const language = async () => ((await stored()) as { language?: string }).language
  await put(mails)
  expect(await language()).toBeUndefined()
  await put({ ...mails, language: 'en' })
  await put(mails)
  expect(await language()).toBe('en')
  await put({ ...mails, language: 'zh' })
  await put(mails)
  expect(await language()).toBe('zh')
})

test.each([
  'https://127.0.0.1/x',
  'https://localhost:8443/x',
  'https://a.localhost./x',
  'https://10.1.2.3/',
  'https://0x7f.1/',
  'https://169.254.169.254/latest',
  'https://[::1]/',
  'https://[::ffff:10.0.0.1]/',
])(
  'given the webhook %s, when put, then it is refused unless the operator allows it',
  async (webhook_url) => {
    const form = { notify_type: 'webhook', quota_warning_threshold: 1, webhook_url }
    expect(await put(form)).toMatchObject({
      success: false,
      message: 'Webhook地址不能是内网或本机地址',
    })
    mayReach = () => true
    expect(await put(form)).toEqual({ message: '设置已更新' })
    mayReach = isPublicAddress
  },
)

test('given a threshold beyond all balances, when put, then it is refused', async () => {
  const form = { notify_type: 'email', quota_warning_threshold: 1e15 + 1 }
  expect(await put(form)).toMatchObject({
    success: false,
    message: '预警阈值不能大于 1000000000000000',
  })
  expect(await put({ ...form, quota_warning_threshold: 1e15 })).toEqual({ message: '设置已更新' })
})
