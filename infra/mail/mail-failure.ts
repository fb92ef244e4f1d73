import { MailFailed } from '@tollgate/command-api/mail/mailer.ts'
import type { NodemailerError } from 'nodemailer'

/** A server's answer may be long; the first line tells. */
const ANSWER_CHARACTERS_MAX = 200

/** Why a mail was not sent: the server's own words where it spoke (console-api 5.1), without addresses of our network. */
export function mailFailureOf(error: unknown): MailFailed {
  const { code, response, responseCode, permanent } = error as Partial<NodemailerError>
  if (response !== undefined && responseCode !== undefined) {
    // A wrong password stays wrong although servers answer it with all kinds of codes.
    const isFinal = code === 'EAUTH' || permanent === true
    return new MailFailed('MAIL_REFUSED', firstLine(response), !isFinal, error)
  }
  if (code === 'EAUTH' || code === 'ENOAUTH') {
    return new MailFailed('MAIL_REFUSED', 'SMTP 服务器拒绝登录，请检查 SMTP 账户', false, error)
  }
  if (code === 'EENVELOPE') {
    return new MailFailed('MAIL_ADDRESS_INVALID', '无效的邮箱地址', false, error)
  }
  if (code === 'ETLS') {
    return new MailFailed(
      'MAIL_SERVER_UNREACHABLE',
      '无法与 SMTP 服务器建立安全连接，请检查其证书与端口',
      true,
      error,
    )
  }
  return new MailFailed(
    'MAIL_SERVER_UNREACHABLE',
    '无法连接至 SMTP 服务器，请稍后重试',
    true,
    error,
  )
}

const firstLine = (answer: string): string =>
  (answer.split(/[\r\n]/, 1)[0] ?? '').replaceAll(/\p{Cc}/gu, ' ').slice(0, ANSWER_CHARACTERS_MAX)
