import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Gateway, startSingleGateway } from '../support/gateway.ts'
import { until } from '../support/processes.ts'
import type { SingleProduct } from '../support/product.ts'
import { SMTP_CERTIFICATE } from '../support/providers/smtp-certificate.ts'
import { startSmtpServer, type TestSmtpServer } from '../support/providers/smtp-server.ts'

/** A charge that brings a balance below its threshold reaches the user by mail and by webhook, once. */
const MODEL = 'gpt-4o-mini'
const folder = mkdtempSync(join(tmpdir(), 'tollgate-notices-'))
let gateway: Gateway<SingleProduct>
let smtp: TestSmtpServer
let hooks: Server

interface Posted {
  readonly path: string
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}
const posted: Posted[] = []
/** The next answers of the webhook; then 200. */
const answers: number[] = []

beforeAll(async () => {
  const trusted = join(folder, 'trusted.pem')
  writeFileSync(trusted, SMTP_CERTIFICATE.cert)
  smtp = await startSmtpServer()
  hooks = createServer(SMTP_CERTIFICATE, (request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      posted.push({ path: request.url ?? '', headers: request.headers, body })
      response.writeHead(answers.shift() ?? 200).end()
    })
  })
  hooks.listen(0, '127.0.0.1')
  await once(hooks, 'listening')
  gateway = await startSingleGateway({
    models: [MODEL],
    product: { env: { NODE_EXTRA_CA_CERTS: trusted } },
  })
  const { root } = gateway
  await root.setOption('SMTPServer', '127.0.0.1')
  await root.setOption('SMTPPort', String(smtp.port))
  await root.setOption('SMTPFrom', 'gate@example.com')
  await root.setOption('SystemName', '示例网关')
})
afterAll(async () => {
  await gateway.stop()
  await smtp.close()
  hooks.closeAllConnections()
  hooks.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A user who wants to be told as the settings say, and a way to be charged. */
async function userWith(name: string, setting: object) {
  const user = await gateway.root.addUser(name, 'long-enough-2', 1_000_000)
  // They have no address yet: what an administrator has given them is told to nobody.
  await until(
    'the notice of the grant is skipped',
    async () => (await noticesOf(user.userId))[0]?.status === 'skipped',
  )
  const saved = await user.send('PUT', '/api/user/setting', {
    quota_warning_threshold: 1_000_000,
    ...setting,
  })
  expect(saved).toMatchObject({ success: true })
  const { key } = await user.createToken({ name: 'one', unlimited_quota: true })
  const openai = gateway.openai(key)
  return {
    id: user.userId,
    charge: () =>
      openai.chat.completions.create({ model: MODEL, messages: [{ role: 'user', content: 'hi' }] }),
  }
}

const page = z.object({
  items: z.array(
    z.object({
      id: z.number(),
      type: z.string(),
      status: z.string(),
      attempts: z.number(),
      last_error: z.string(),
    }),
  ),
})
async function noticesOf(userId: number) {
  const { data } = await gateway.root.send('GET', `/api/ledger/notices?user_id=${userId}`)
  return page.parse(data).items
}
const warningOf = async (userId: number) =>
  (await noticesOf(userId)).find(({ type }) => type === 'quota_exceed')

test('given a user who wants mails, when charges pass the threshold, then one mail says what is left', async () => {
  const user = await userWith('mailed', {
    notify_type: 'email',
    notification_email: 'ann@example.com',
  })
  await user.charge()
  const { mail } = await smtp.nextMailTo('ann@example.com')
  expect(mail.subject).toBe('您的额度即将用尽')
  expect(mail.from).toMatchObject({ name: '示例网关', address: 'gate@example.com' })
  expect(mail.text).toMatch(
    /当前剩余额度为 ＄2\.000000，.*\n充值链接：http:\/\/localhost:3000\/topup/,
  )
  expect(mail.html).toContain("<a href='http://localhost:3000/topup'>")
  expect(mail.messageId).toMatch(/^<[\w.-]+@example\.com>$/)
  await user.charge()
  const other = await userWith('mailed-later', {
    notify_type: 'email',
    notification_email: 'bob@example.com',
  })
  await other.charge()
  await smtp.nextMailTo('bob@example.com')
  expect(smtp.mails.filter(({ to }) => to.includes('ann@example.com'))).toHaveLength(1)
})

test('given a webhook inside the own network, when charged, then it is posted only once allowed', async () => {
  const { port } = hooks.address() as AddressInfo
  const { root } = gateway
  const setting = {
    notify_type: 'webhook',
    webhook_url: `https://localhost:${port}/in`,
    webhook_secret: 'hush',
  }
  const form = { quota_warning_threshold: 1, ...setting }
  expect(await root.send('PUT', '/api/user/setting', form)).toMatchObject({ success: false })
  // Saved while the operator allowed it, it is not sent to once they no longer do.
  await root.setOption('fetch_setting.allow_private_addresses', 'true')
  const user = await userWith('hooked', setting)
  await root.setOption('fetch_setting.allow_private_addresses', 'false')
  await user.charge()
  await until('it is given up', async () => (await warningOf(user.id))?.status === 'given-up')
  expect(await warningOf(user.id)).toMatchObject({
    attempts: 1,
    last_error: expect.stringContaining('not on the public internet'),
  })
  expect(posted).toEqual([])

  await root.setOption('fetch_setting.allow_private_addresses', 'true')
  const id = (await warningOf(user.id))?.id ?? 0
  expect(await root.send('POST', `/api/ledger/notices/${id}/retry`)).toMatchObject({
    success: true,
  })
  await until('it is delivered', async () => (await warningOf(user.id))?.status === 'delivered')
  expect(posted).toHaveLength(1)
  const [{ path, headers, body } = { path: '', headers: {}, body: '' }] = posted
  expect(path).toBe('/in')
  expect(headers['authorization']).toBe('Bearer hush')
  expect(headers['x-webhook-signature']).toBe(
    createHmac('sha256', 'hush').update(body).digest('hex'),
  )
  expect(JSON.parse(body)).toMatchObject({
    type: 'quota_exceed',
    title: '您的额度即将用尽',
    values: ['您的额度即将用尽', '＄2.000000', expect.any(String), expect.any(String)],
    timestamp: expect.any(Number),
  })
  expect(gateway.product.logs()).not.toContain('hush')
})

test('given a mail under way, when everything is killed and started again, then it arrives, once', async () => {
  const setting = { notify_type: 'email', notification_email: 'cut-off@example.com' }
  const user = await userWith('cut-off', setting)
  smtp.behave({ type: 'hang' })
  await user.charge()
  await until('the mail is under way', async () => (await warningOf(user.id))?.attempts === 1)
  await gateway.product.kill('everything')
  smtp.behave({ type: 'take' })
  await gateway.product.start()
  // The attempt that was cut off is waited for, as nobody can know that it was.
  await until(
    'it is delivered',
    async () => (await warningOf(user.id))?.status === 'delivered',
    60_000,
  )
  expect(smtp.mails.filter(({ to }) => to.includes('cut-off@example.com'))).toHaveLength(1)
  expect((await warningOf(user.id))?.attempts).toBe(2)
}, 120_000)
