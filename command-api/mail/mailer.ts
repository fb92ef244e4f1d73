/** Sends e-mail; how is the adapter's business (infra/mail). */
export interface Mailer {
  /** Resolves when the mail server has taken the mail over. Fails with MailFailed. */
  send(mail: Mail): Promise<void>
}

export interface Mail {
  /** One address, or several separated by semicolons. */
  readonly to: string
  readonly subject: string
  readonly html: string
  /** The same in plain text, for readers without HTML. */
  readonly text: string
  /** Letters, digits, dots and dashes: mails with the same id may be recognised as the same mail. */
  readonly id?: string
}

export type MailFailure =
  /** The options name no server or no sender. */
  | 'MAIL_NOT_CONFIGURED'
  /** An address that no mail can go to. */
  | 'MAIL_ADDRESS_INVALID'
  /** The server does not want it, now (retryable) or ever. */
  | 'MAIL_REFUSED'
  /** No answer, a broken connection, or no trust in the server's certificate. */
  | 'MAIL_SERVER_UNREACHABLE'

/** A mail was not sent; the message may be shown to the user who asked for it. */
export class MailFailed extends Error {
  readonly code: MailFailure
  readonly retryable: boolean
  constructor(code: MailFailure, message: string, retryable: boolean, cause?: unknown) {
    super(message, { cause })
    this.name = 'MailFailed'
    this.code = code
    this.retryable = retryable
  }
}
