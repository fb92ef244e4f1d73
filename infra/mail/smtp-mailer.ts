import { MailFailed, type Mailer } from '@tollgate/command-api/mail/mailer.ts'
import type { LiveOptions } from '@tollgate/command-api/options/live-options.ts'
import type { OptionsView } from '@tollgate/domain/settings/options.ts'
import { createTransport, type SMTPTransportOptions } from 'nodemailer'
import { mailFailureOf } from './mail-failure.ts'

export interface SmtpMailerDeps {
  readonly options: Pick<LiveOptions, 'current' | 'secret'>
  /** Certificates in PEM that are trusted besides those of Node; of tests. */
  readonly trusted?: readonly string[]
  readonly timeoutMs?: number
}

/** A person waits for the answer, and a proxy in front may give up after half a minute. */
const TIMEOUT_MS = 20_000
/** Ports and hosts with rules of their own (console-api 5.1). */
const IMPLICIT_TLS_PORT = 465
const LOGIN_SERVER = 'smtp.azurecomm.net'
const LOGIN_ACCOUNTS = ['outlook', 'onmicrosoft']
const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1'])

/** Mail over the SMTP server of the options, which are read at each send (console-api 5.1). */
export function smtpMailer(deps: SmtpMailerDeps): Mailer {
  const { options, trusted, timeoutMs = TIMEOUT_MS } = deps
  return {
    async send({ to, subject, html, text, id }) {
      const now = options.current()
      const sender = senderOf(now)
      const receivers = to.split(';').map((one) => one.trim())
      if (!receivers.every(isAddress)) {
        throw new MailFailed('MAIL_ADDRESS_INVALID', '无效的邮箱地址', false)
      }
      const transport = createTransport({
        ...smtpOptions(now, options.secret('SMTPToken'), trusted),
        ...timeouts(timeoutMs),
      })
      try {
        await transport.sendMail({
          from: { name: oneLine(now.text('SystemName')), address: sender },
          to: receivers.map((address) => ({ name: '', address })),
          subject: oneLine(subject),
          ...(id !== undefined && {
            messageId: `<${id}@${sender.slice(sender.indexOf('@') + 1)}>`,
          }),
          html,
          text,
          textEncoding: 'base64',
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: AbortSignal.timeout(timeoutMs),
        })
      } catch (error) {
        throw mailFailureOf(error)
      } finally {
        transport.close()
      }
    },
  }
}

/** The sender's address; fails with MailFailed while the options name no sender or no server. */
function senderOf(options: OptionsView): string {
  const sender = (options.text('SMTPFrom') || options.text('SMTPAccount')).trim()
  if (!isAddress(sender)) throw new MailFailed('MAIL_NOT_CONFIGURED', 'invalid SMTP account', false)
  if (options.text('SMTPServer').trim() === '') {
    throw new MailFailed('MAIL_NOT_CONFIGURED', 'SMTP 服务器未配置', false)
  }
  return sender
}

/** How the server of the options is spoken to. */
export function smtpOptions(
  options: OptionsView,
  token: string,
  trusted: readonly string[] = [],
): SMTPTransportOptions {
  const host = options.text('SMTPServer').trim()
  const port = options.number('SMTPPort')
  const user = options.text('SMTPAccount').trim()
  const secure = port === IMPLICIT_TLS_PORT || options.flag('SMTPSSLEnabled')
  return {
    host,
    port,
    secure,
    // A password goes over no open line, but for one that does not leave this machine.
    requireTLS: !secure && user !== '' && !LOOPBACK.has(host),
    tls: {
      // By the contract: servers with TLS from the start are often the house's own, with a certificate of their own.
      rejectUnauthorized: !secure,
      ...(trusted.length > 0 && { ca: [...trusted] }),
    },
    ...(user !== '' && {
      auth: { user, pass: token, method: usesLogin(host, user) ? 'LOGIN' : 'PLAIN' },
    }),
  }
}

const usesLogin = (host: string, user: string): boolean =>
  host === LOGIN_SERVER || LOGIN_ACCOUNTS.some((part) => user.includes(part))

const timeouts = (ms: number): SMTPTransportOptions => ({
  connectionTimeout: ms / 2,
  greetingTimeout: ms / 2,
  dnsTimeout: ms / 2,
  socketTimeout: ms,
})

/** One @ with something on either side, and nothing that ends a line or a list. */
const isAddress = (text: string): boolean => /^[^\s@<>,;:"\p{Cc}]+@[^\s@<>,;:"\p{Cc}]+$/u.test(text)

/** Header text cannot hold line breaks: whoever names the system or a mail adds no headers. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
