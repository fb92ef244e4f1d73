import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { ConsoleClient } from '../support/console-client.ts'
import { until } from '../support/processes.ts'
import { type SingleProduct, startSingleProduct } from '../support/product.ts'
import { startSmtpServer, type TestSmtpServer } from '../support/providers/smtp-server.ts'
import { codeIn, resetTokenIn, sendAsVisitor } from '../support/visitors.ts'

/** Signing up, e-mails, a forgotten password and a kill -9 in the middle, through the real product and a real mail server. */
let product: SingleProduct
let smtp: TestSmtpServer
let root: ConsoleClient

const PASSWORD = 'long-enough-1'
const SECRET = 'smtp-s3cret'
const FOR_NEW = 500
const FOR_INVITED = 30
const FOR_INVITER = 20

beforeAll(async () => {
  smtp = await startSmtpServer({ account: { user: 'gate@example.com', password: SECRET } })
  // The tests come from one address: proxies in front let them count as many.
  product = await startSingleProduct({
    env: { TRUSTED_PROXIES: '127.0.0.1', GENERATE_DEFAULT_TOKEN: 'true' },
  })
  root = new ConsoleClient(product.url)
  await root.setUp('root', PASSWORD)
  await root.logIn('root', PASSWORD)
  await root.setOptions({
    ServerAddress: 'https://gate.example.com',
    SystemName: '北门',
    SMTPServer: '127.0.0.1',
    SMTPPort: String(smtp.port),
    SMTPAccount: 'gate@example.com',
    SMTPToken: SECRET,
    EmailVerificationEnabled: 'true',
    QuotaForNewUser: String(FOR_NEW),
    QuotaForInvitee: String(FOR_INVITED),
    QuotaForInviter: String(FOR_INVITER),
  })
}, 120_000)
afterAll(async () => {
  await product.dispose()
  await smtp.close()
}, 60_000)

const send = (method: 'GET' | 'POST', path: string, body?: unknown, language = 'zh-CN') =>
  sendAsVisitor(product.url + path, { method, body, language })
const user = z.object({
  email: z.string(),
  quota: z.number(),
  aff_code: z.string(),
  aff_count: z.number(),
  aff_quota: z.number(),
  inviter_id: z.number(),
})
const selfOf = (client: ConsoleClient) => client.ask('GET', '/api/user/self', user)
const signedIn = async (username: string, password: string): Promise<ConsoleClient> => {
  const client = new ConsoleClient(product.url)
  await client.logIn(username, password)
  return client
}

async function register(username: string, email: string, inviterCode = '') {
  const asked = await send('GET', `/api/verification?email=${encodeURIComponent(email)}`)
  expect(asked).toMatchObject({ success: true, message: '' })
  const { mail } = await smtp.nextMailTo(email)
  return send('POST', '/api/user/register', {
    username,
    password: PASSWORD,
    password2: PASSWORD,
    email,
    verification_code: codeIn(mail.html),
    aff_code: inviterCode,
  })
}

test('given an invitation, when somebody signs up with a mailed code, then quota and token are there', async () => {
  expect(await register('ann', 'ann@example.com')).toMatchObject({ success: true })
  const ann = await signedIn('ann@example.com', PASSWORD)
  await until('the opening quota is shown', async () => (await selfOf(ann)).quota === FOR_NEW)
  const { aff_code: code, ...before } = await selfOf(ann)
  expect(before).toMatchObject({ email: 'ann@example.com', aff_count: 0 })
  expect(await register('bea', 'bea@example.com', code)).toMatchObject({ success: true })
  const bea = await signedIn('bea', PASSWORD)
  const all = FOR_NEW + FOR_INVITED
  await until('both grants are shown', async () => (await selfOf(bea)).quota === all)
  expect(await selfOf(bea)).toMatchObject({ inviter_id: ann.userId })
  await until('the inviter sees the reward', async () => (await selfOf(ann)).aff_count === 1)
  expect(await selfOf(ann)).toMatchObject({ quota: FOR_NEW, aff_quota: FOR_INVITER })
  // The workflow may pay for the invitation before the sign-up itself has granted the opening quota.
  const given = (await bea.logs({ type: '4' })).map(({ content }) => content)
  expect(given.toSorted()).toEqual([
    '使用邀请码赠送 ＄0.000060 额度',
    '新用户注册赠送 ＄0.001000 额度',
  ])
  expect((await ann.logs({ type: '4' })).map(({ content }) => content)).toContain(
    '邀请用户赠送 ＄0.000040 额度',
  )
  expect(await bea.tokens()).toMatchObject([{ name: 'bea的初始令牌', unlimited_quota: true }])
  const { mail } = smtp.mails[0] ?? {}
  expect(mail).toMatchObject({
    subject: '北门邮箱验证邮件',
    from: { name: '北门', address: 'gate@example.com' },
  })
  expect(mail?.html).toContain('10 分钟')
})

test('given a forgotten password, when the link is used, then only the new one signs in', async () => {
  expect(await register('cleo', 'cleo@example.com')).toMatchObject({ success: true })
  const open = await signedIn('cleo', PASSWORD)
  const asked = await send('GET', '/api/reset_password?email=Cleo@Example.com', undefined, 'en-US')
  expect(asked).toMatchObject({ success: true })
  const { mail } = await smtp.nextMailTo('cleo@example.com')
  expect(mail.subject).toBe('北门 password reset')
  const link = /https:\/\/\S+/.exec(mail.text ?? '')?.[0] ?? ''
  expect(link).toMatch(
    /^https:\/\/gate\.example\.com\/user\/reset\?email=Cleo%40Example\.com&token=/,
  )
  const { searchParams } = new URL(link)
  const body = { email: searchParams.get('email'), token: searchParams.get('token') }
  const reset = await send('POST', '/api/user/reset', body)
  expect(await send('POST', '/api/user/reset', body)).toMatchObject({
    success: false,
    message: '重置链接非法或已过期',
  })
  expect(await open.send('GET', '/api/user/self')).toMatchObject({ status: 401, success: false })
  expect(
    await send('POST', '/api/user/login', { username: 'cleo', password: PASSWORD }),
  ).toMatchObject({ success: false })
  const again = await signedIn('cleo', z.string().parse(reset.data))
  expect(await selfOf(again)).toMatchObject({ email: 'cleo@example.com' })
})

test('given line breaks in names and e-mails, when mailed, then no header or receiver is added', async () => {
  const named = { key: 'SystemName', value: 'Gate\r\nBcc: eve@example.com' }
  expect(await root.send('PUT', '/api/option/', named)).toMatchObject({
    success: false,
    message: 'SystemName 只能是一行文字，请去掉换行和其他控制字符',
  })
  const injected = 'dan@example.com\r\nBcc: eve@example.com'
  expect(
    await send('GET', `/api/verification?email=${encodeURIComponent(injected)}`),
  ).toMatchObject({
    success: false,
    message: '无效的参数',
  })
  await send('GET', '/api/verification?email=dan@example.com')
  const { to, mail } = await smtp.nextMailTo('dan@example.com')
  expect(to).toEqual(['dan@example.com'])
  expect(mail.headers.map(({ key }) => key)).not.toContain('bcc')
})

test('given a mail server that refuses or is away, when a code is asked for, then it says so at once', async () => {
  smtp.behave({ type: 'refuse', code: 550, text: '5.1.1 <eve@example.com> no such mailbox' })
  const ask = () => send('GET', '/api/verification?email=eve@example.com')
  expect(await ask()).toMatchObject({
    success: false,
    message: '550 5.1.1 <eve@example.com> no such mailbox',
  })
  smtp.behave({ type: 'break' })
  expect(await ask()).toMatchObject({
    success: false,
    message: '无法连接至 SMTP 服务器，请稍后重试',
  })
  smtp.behave({ type: 'take' })
  expect(await ask()).toMatchObject({ success: true })
})

test('given sign-ups, when the process is killed and restarted, then each answered one is whole', async () => {
  await root.setOption('EmailVerificationEnabled', 'false')
  const ann = await signedIn('ann', PASSWORD)
  const { aff_code: inviterCode } = await selfOf(ann)
  const answered: string[] = []
  const begin = async (username: string): Promise<void> => {
    const body = { username, password: PASSWORD, aff_code: inviterCode }
    const { success } = await send('POST', '/api/user/register', body)
    if (success) answered.push(username)
  }
  const sent = Array.from({ length: 40 }, (_, n) => begin(`many${n}`).catch(() => undefined))
  await until('some have signed up', () => answered.length > 5)
  await product.kill('alone')
  await Promise.all(sent)
  expect(answered.length).toBeLessThan(40)
  await product.start()
  // A name that was reserved without an event is freed by age.
  await product.query(
    `update identity.users set touched_at = now() - interval '3 days' where is_pending`,
  )
  await product.terminate()
  await product.start()
  await until(
    'no row is pending',
    async () => (await countOf('from identity.users where is_pending')) === 0,
    45_000,
  )
  const invited = await countOf(`from identity.users where inviter_id = ${ann.userId}`)
  expect(invited).toBeGreaterThanOrEqual(answered.length)
  const rewards = `from ledger.events where stream = 'account-${ann.userId}'
    and type = 'AffiliateRewardEarned'`
  await until('every sign-up is whole', async () => (await countOf(rewards)) >= invited, 45_000)
  expect(await countOf(rewards)).toBe(invited)
  const credited = `from ledger.events where type = 'QuotaCredited'
    and data::jsonb->>'source' = 'invitation'`
  expect(await countOf(credited)).toBe(invited)
  expect(await countOf(`from (select distinct stream ${credited}) as streams`)).toBe(invited)
  await until('the read model has it', async () => (await selfOf(ann)).aff_count === invited)
  expect((await selfOf(ann)).aff_quota).toBe(invited * FOR_INVITER)
}, 120_000)

test('given all of it, when the process log is read, then it has no codes, passwords or e-mails', () => {
  const logs = product.logs()
  expect(Math.min(logs.length, smtp.mails.length)).toBeGreaterThan(0)
  const codes = smtp.mails.flatMap(({ mail }) => [codeIn(mail.html), resetTokenIn(mail.text)])
  const secrets = [PASSWORD, SECRET, ...codes, ...smtp.mails.flatMap(({ to }) => to)]
  for (const secret of secrets.filter((text) => text !== '')) expect(logs).not.toContain(secret)
})

async function countOf(from: string): Promise<number> {
  const rows = await product.query(`select count(*)::int as count ${from}`)
  return z.array(z.object({ count: z.number() })).parse(rows)[0]?.count ?? 0
}
