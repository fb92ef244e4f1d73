import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { digest } from '@tollgate/command-api/identity/digest.ts'
import { NAME_SIGN_IN_LIMIT } from '@tollgate/command-api/identity/rate-limiter.ts'
import { ConsoleClient } from '../support/console-client.ts'
import { type DistributedProduct, startDistributedProduct } from '../support/distributed-product.ts'
import { until } from '../support/processes.ts'
import { startSmtpServer, type TestSmtpServer } from '../support/providers/smtp-server.ts'
import { codeIn, resetTokenIn, sendAsVisitor } from '../support/visitors.ts'

/** Actions at one of several processes are known to the others: codes, passwords, limits, rewards. */
let product: DistributedProduct
let smtp: TestSmtpServer
let urls: readonly string[]
let turn = 0

const PASSWORD = 'long-enough-1'
const LAST_GUESSES = 20

beforeAll(async () => {
  smtp = await startSmtpServer()
  product = await startDistributedProduct({
    env: { TRUSTED_PROXIES: '127.0.0.1', GENERATE_DEFAULT_TOKEN: 'true' },
  })
  urls = product.processes('api').map(({ url }) => url)
  const root = new ConsoleClient(product.url)
  await root.setUp('root', PASSWORD)
  await root.logIn('root', PASSWORD)
  await root.setOptions({
    SMTPServer: '127.0.0.1',
    SMTPPort: String(smtp.port),
    SMTPFrom: 'gate@example.com',
    EmailVerificationEnabled: 'true',
    QuotaForInvitee: '30',
    QuotaForInviter: '20',
  })
  const status = z.object({ data: z.object({ email_verification: z.boolean() }) })
  await until('every process knows the options', async () => {
    const answers = urls.map(async (url) => (await fetch(`${url}/api/status`)).json())
    return (await Promise.all(answers)).every(
      (answer) => status.parse(answer).data.email_verification,
    )
  })
}, 180_000)
afterAll(async () => {
  await product.dispose()
  await smtp.close()
}, 60_000)

/** Each request goes to another process than the one before. */
const nextUrl = (): string => urls[++turn % urls.length] ?? ''
const get = (path: string) => sendAsVisitor(nextUrl() + path)
const post = (path: string, body: unknown) =>
  sendAsVisitor(nextUrl() + path, { method: 'POST', body })

async function register(username: string, inviterCode = ''): Promise<void> {
  const email = `${username}@example.com`
  expect(await get(`/api/verification?email=${email}`)).toMatchObject({ success: true })
  const { mail } = await smtp.nextMailTo(email)
  const body = {
    username,
    password: PASSWORD,
    email,
    verification_code: codeIn(mail.html),
    aff_code: inviterCode,
  }
  expect(await post('/api/user/register', body)).toMatchObject({ success: true, message: '' })
}

test('given a code mailed by one process, when shown to another, then it is right', async () => {
  await register('ann')
  const ann = new ConsoleClient(nextUrl())
  await ann.logIn('ann', PASSWORD)
  await register('bea', await ann.ask('GET', '/api/user/aff', z.string()))
  const bea = new ConsoleClient(nextUrl())
  await bea.logIn('bea', PASSWORD)
  await until('the invited sees the reward', async () => (await bea.self()).quota === 30)
  const inviter = z.object({ aff_count: z.number(), aff_quota: z.number() })
  await until('the inviter sees the reward', async () => {
    const { aff_count: count, aff_quota: earned } = await ann.ask('GET', '/api/user/self', inviter)
    return count === 1 && earned === 20
  })
  await until('the token is listed', async () => (await ann.tokens()).length === 1)
})

test('given a link mailed by one process, when all are asked with it at once, then one sets the password', async () => {
  await register('cleo')
  await get('/api/reset_password?email=cleo@example.com')
  const { mail } = await smtp.nextMailTo('cleo@example.com')
  const body = { email: 'cleo@example.com', token: resetTokenIn(mail.text) }
  const replies = await Promise.all(Array.from({ length: 10 }, () => post('/api/user/reset', body)))
  const [done, ...others] = replies.filter(({ success }) => success)
  expect(others).toEqual([])
  const login = { username: 'cleo', password: done?.data }
  expect(await post('/api/user/login', login)).toMatchObject({ success: true })
})

test('given wrong passwords at all processes, when the limit is reached, then all refuse', async () => {
  await register('dan')
  const { attempts } = NAME_SIGN_IN_LIMIT
  // All but the last of so many guesses are noted as the processes note them: each would cost a password's check.
  await product.query(
    `select coordination.take_attempt('sign-in-name:${digest('dan')}', ${attempts}, interval '20 minutes')
     from generate_series(1, ${attempts - LAST_GUESSES})`,
  )
  const guesses = await Promise.all(
    Array.from({ length: LAST_GUESSES + 10 }, () =>
      post('/api/user/login', { username: 'dan', password: 'wrong' }),
    ),
  )
  // How many exactly is tested beside the limiter, which counts in each process alone while PostgreSQL is slow.
  expect(guesses.filter(({ status }) => status === 429)).not.toEqual([])
  for (const _ of urls) {
    const right = { username: 'dan', password: PASSWORD }
    expect(await post('/api/user/login', right)).toMatchObject({ status: 429 })
  }
})
