import { MailFailed } from '@tollgate/command-api/mail/mailer.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { SMTP_CERTIFICATE } from '@tollgate/tests/support/providers/smtp-certificate.ts'
import {
  type SmtpServerOptions,
  startSmtpServer,
  type TestSmtpServer,
} from '@tollgate/tests/support/providers/smtp-server.ts'
import { afterEach, expect, test } from 'vitest'
import { smtpMailer, smtpOptions } from './smtp-mailer.ts'

let server: TestSmtpServer | null = null
afterEach(async () => {
  await server?.close()
  server = null
})

const ACCOUNT = { user: 'gate@example.com', password: 'pass word' }
const MAIL = {
  to: 'ann@example.com',
  subject: '测试邮件：额度提醒与更多更多更多的文字，以便需要折行',
  html: '<p>你好 <b>a1b2c3</b></p>',
  text: '你好 a1b2c3',
}

async function started(options: SmtpServerOptions): Promise<TestSmtpServer> {
  server = await startSmtpServer(options)
  return server
}

const mailerTo = (
  port: number,
  settings: Readonly<Record<string, string>> = {},
  { token = ACCOUNT.password, trusted = [] as readonly string[], timeoutMs = 5_000 } = {},
) =>
  smtpMailer({
    options: {
      current: () =>
        optionsFrom(
          Object.entries({
            SMTPServer: '127.0.0.1',
            SMTPPort: String(port),
            SMTPAccount: ACCOUNT.user,
            ...settings,
          }),
        ),
      secret: (key) => (key === 'SMTPToken' ? token : ''),
    },
    trusted,
    timeoutMs,
  })

const failure = (sending: Promise<void>): Promise<unknown> =>
  sending.then(
    () => 'sent',
    (error: unknown) =>
      error instanceof MailFailed
        ? { code: error.code, message: error.message, retryable: error.retryable }
        : error,
  )

test.each([
  ['none', false, {}],
  ['starttls', true, {}],
  ['implicit', true, { SMTPSSLEnabled: 'true' }],
] as const)(
  'given a server with TLS %s, when a mail is sent, then it arrives whole, after signing in',
  async (tls, isSecure, settings) => {
    const { port, mails, logins } = await started({ tls, account: ACCOUNT })
    await mailerTo(port, settings, { trusted: [SMTP_CERTIFICATE.cert] }).send(MAIL)
    expect(logins).toEqual([{ method: 'PLAIN', user: ACCOUNT.user }])
    expect(mails).toHaveLength(1)
    expect(mails[0]).toMatchObject({
      from: ACCOUNT.user,
      to: ['ann@example.com'],
      isSecure,
      mail: {
        from: { name: 'Tollgate', address: ACCOUNT.user },
        to: [{ address: 'ann@example.com' }],
        subject: MAIL.subject,
        html: expect.stringContaining('<b>a1b2c3</b>') as string,
        text: expect.stringContaining('你好 a1b2c3') as string,
      },
    })
    expect(mails[0]?.source).toMatch(/^Subject: =\?UTF-8\?B\?/m)
    expect(mails[0]?.source).toMatch(/^Message-ID: <[^@>]+@example\.com>\r$/m)
  },
)

test('given STARTTLS with an untrusted certificate, when a mail is sent, then no password goes there', async () => {
  const { port, mails, logins } = await started({ tls: 'starttls', account: ACCOUNT })
  expect(await failure(mailerTo(port).send(MAIL))).toMatchObject({
    code: 'MAIL_SERVER_UNREACHABLE',
  })
  expect([mails, logins]).toEqual([[], []])
})

test('given TLS from the start with an untrusted certificate, when a mail is sent, then it is sent', async () => {
  const { port, mails } = await started({ tls: 'implicit', account: ACCOUNT })
  await mailerTo(port, { SMTPSSLEnabled: 'true' }).send(MAIL)
  expect(mails).toHaveLength(1)
})

test.each([
  [{ SMTPAccount: 'me@outlook.com' }, 'LOGIN'],
  [{ SMTPAccount: 'me@house.onmicrosoft.com' }, 'LOGIN'],
  [{ SMTPServer: 'smtp.azurecomm.net' }, 'LOGIN'],
  [{}, 'PLAIN'],
])('given %j, when asked how to sign in, then by %s', (settings, method) => {
  const options = optionsFrom(
    Object.entries({ SMTPServer: 'mail.example.com', SMTPAccount: 'a@b.c', ...settings }),
  )
  expect(smtpOptions(options, 't').auth).toMatchObject({ method })
})

test.each([
  [{}, { secure: false, requireTLS: true }],
  [{ SMTPAccount: '' }, { secure: false, requireTLS: false }],
  [{ SMTPServer: 'localhost' }, { secure: false, requireTLS: false }],
  [{ SMTPPort: '465' }, { secure: true, requireTLS: false }],
  [{ SMTPSSLEnabled: 'true' }, { secure: true, requireTLS: false }],
])('given %j, when asked about TLS, then %j', (settings, expected) => {
  const options = optionsFrom(
    Object.entries({ SMTPServer: 'mail.example.com', SMTPAccount: 'a@b.c', ...settings }),
  )
  expect(smtpOptions(options, 't')).toMatchObject(expected)
})

test.each([
  [{ SMTPAccount: '', SMTPServer: '' }, 'invalid SMTP account'],
  [{ SMTPAccount: 'apikey' }, 'invalid SMTP account'],
  [{ SMTPServer: '' }, 'SMTP 服务器未配置'],
])('given options %j, when a mail is sent, then it says %s', async (settings, message) => {
  expect(await failure(mailerTo(25, settings).send(MAIL))).toEqual({
    code: 'MAIL_NOT_CONFIGURED',
    message,
    retryable: false,
  })
})

test('given a sender of its own and several receivers, when a mail is sent, then both are used', async () => {
  const { port, mails, logins } = await started({})
  const settings = { SMTPFrom: 'no-reply@example.com', SMTPAccount: '' }
  await mailerTo(port, settings).send({ ...MAIL, to: 'a@example.com; b@example.com' })
  expect(logins).toEqual([])
  expect(mails[0]).toMatchObject({
    from: 'no-reply@example.com',
    to: ['a@example.com', 'b@example.com'],
  })
})

test('given line breaks in name and subject, when a mail is sent, then they add no header and no receiver', async () => {
  const { port, mails } = await started({})
  const injected = 'Gate\r\nBcc: eve@example.com\r\n\r\n<p>bought'
  const settings = { SMTPAccount: '', SMTPFrom: 'gate@example.com', SystemName: injected }
  await mailerTo(port, settings).send({ ...MAIL, subject: `Hi\nBcc: eve@example.com${injected}` })
  expect(mails[0]?.to).toEqual(['ann@example.com'])
  expect(mails[0]?.mail.bcc).toBeUndefined()
  expect(mails[0]?.mail.headers.map(({ key }) => key)).not.toContain('bcc')
  expect(mails[0]?.mail.from?.name).toBe('Gate Bcc: eve@example.com <p>bought')
})

test.each([
  'ann@example.com\r\nRCPT TO:<eve@example.com>',
  'ann@example.com,eve@example.com',
  'Ann <ann@example.com>',
  'ann',
  'ann@',
  '',
  'ann@example.com;',
])('given the receiver %j, when a mail is sent, then nothing is', async (to) => {
  const { port, mails } = await started({})
  const settings = { SMTPAccount: '', SMTPFrom: 'gate@example.com' }
  expect(await failure(mailerTo(port, settings).send({ ...MAIL, to }))).toMatchObject({
    code: 'MAIL_ADDRESS_INVALID',
  })
  expect(mails).toEqual([])
})

test.each([
  [550, '5.1.1 no such mailbox', false],
  [450, '4.2.1 mailbox busy', true],
])(
  'given a server that answers %i, when a mail is sent, then its words come back',
  async (code, text, retryable) => {
    const { port, behave } = await started({ account: ACCOUNT })
    behave({ type: 'refuse', code, text })
    expect(await failure(mailerTo(port).send(MAIL))).toEqual({
      code: 'MAIL_REFUSED',
      message: `${code} ${text}`,
      retryable,
    })
  },
)

test('given a wrong password, when a mail is sent, then the refusal is final and without the password', async () => {
  const { port } = await started({ account: ACCOUNT })
  const refused = await failure(mailerTo(port, {}, { token: 'wr0ng' }).send(MAIL))
  expect(refused).toEqual({
    code: 'MAIL_REFUSED',
    message: '535 5.7.8 wrong user or password',
    retryable: false,
  })
})

test('given a server that breaks off, is silent or away, when a mail is sent, then it can be tried again', async () => {
  const { port, behave, close } = await started({ account: ACCOUNT })
  const unavailable = {
    code: 'MAIL_SERVER_UNREACHABLE',
    message: '无法连接至 SMTP 服务器，请稍后重试',
    retryable: true,
  }
  behave({ type: 'break' })
  expect(await failure(mailerTo(port).send(MAIL))).toEqual(unavailable)
  behave({ type: 'hang' })
  expect(await failure(mailerTo(port, {}, { timeoutMs: 300 }).send(MAIL))).toEqual(unavailable)
  await close()
  server = null
  expect(await failure(mailerTo(port).send(MAIL))).toEqual(unavailable)
})
