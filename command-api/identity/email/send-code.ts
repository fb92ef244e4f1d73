import { type ApiReply, failure } from '../../http-contract/api-route.ts'
import type { Language } from '../../http-contract/language.ts'
import { tooManyRequests } from '../../http/too-many.ts'
import { passwordResetMail, verificationMail } from '../../mail/code-mails.ts'
import { type Mail, MailFailed, type Mailer } from '../../mail/mailer.ts'
import type { LiveOptions } from '../../options/live-options.ts'
import { serverAddress } from '../../options/server-address.ts'
import { digest } from '../digest.ts'
import { CODE_MINUTES, type CodePurpose, type EmailCodes } from './email-codes.ts'
import type { RateLimiter } from '../rate-limiter.ts'

export interface CodeSenderDeps {
  readonly codes: EmailCodes
  readonly mailer: Mailer
  readonly options: Pick<LiveOptions, 'current'>
  /** Mails to one address. */
  readonly mailLimit: RateLimiter
  readonly log: { warn(details: object, message: string): void }
}

export interface CodeWanted {
  readonly purpose: CodePurpose
  /** The e-mail that the code is asked for and will be shown with. */
  readonly email: string
  /** Where it is sent. */
  readonly to: string
  readonly language: Language
}

/**
 * Makes a code and mails it; answers when the mail server has taken the mail over, or why it did not. The texts of the
 * contract tell anyway whether an e-mail is known, so that doing this later, unseen, would hide nothing and would leave
 * people waiting for a mail that never comes.
 */
export async function sendCode(deps: CodeSenderDeps, wanted: CodeWanted): Promise<ApiReply> {
  const { purpose, email, to, language } = wanted
  const verdict = await deps.mailLimit.take(`mail:${digest(email.trim().toLowerCase())}`)
  if (!verdict.isAllowed) return tooManyRequests(verdict.retryAfterSeconds)
  const code = await deps.codes.issue(purpose, email)
  const options = deps.options.current()
  const facts = { systemName: options.text('SystemName'), language, minutes: CODE_MINUTES }
  const content =
    purpose === 'verification'
      ? verificationMail({ ...facts, code })
      : passwordResetMail({ ...facts, link: resetLink(serverAddress(options), email, code) })
  const failed = await sendMail(deps, { ...content, to })
  return failed === null ? {} : failure(failed.message)
}

/** Sends a mail now; logs why the mail server has not taken it over, and answers that. */
export async function sendMail(
  { mailer, log }: Pick<CodeSenderDeps, 'mailer' | 'log'>,
  mail: Mail,
): Promise<MailFailed | null> {
  try {
    await mailer.send(mail)
    return null
  } catch (error) {
    if (!(error instanceof MailFailed)) throw error
    const { code, message } = error
    log.warn({ code, reason: withoutAddresses(message) }, 'a mail about an account was not sent')
    return error
  }
}

/** Mail servers repeat the receiver's address in their messages; the log must hold no address. */
const withoutAddresses = (words: string): string => words.replaceAll(/[^\s<>]+@[^\s<>]+/g, '…')

const resetLink = (address: string, email: string, token: string): string =>
  `${address}/user/reset?email=${encodeURIComponent(email)}&token=${token}`
