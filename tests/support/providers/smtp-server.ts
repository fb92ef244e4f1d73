import { once } from 'node:events'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { until } from '../processes.ts'
import { SMTP_CERTIFICATE } from './smtp-certificate.ts'

/** A mail server that keeps what it is given and misbehaves on demand. */
export interface TestSmtpServer {
  readonly port: number
  /** Everything that was taken over, oldest first. */
  readonly mails: readonly ReceivedMail[]
  /** How clients proved who they are. */
  readonly logins: readonly { readonly method: string; readonly user: string }[]
  /** Sets what it does from now on. */
  readonly behave: (how: SmtpBehaviour) => void
  /** The newest mail to an address that was not asked for before; waits for it. */
  nextMailTo(address: string): Promise<ReceivedMail>
  readonly close: () => Promise<void>
}

export type SmtpBehaviour =
  | { readonly type: 'take' }
  /** Answers the receiver with this code. */
  | { readonly type: 'refuse'; readonly code: number; readonly text: string }
  /** Ends the connection in the middle of the mail. */
  | { readonly type: 'break' }
  /** Takes connections and says nothing. */
  | { readonly type: 'hang' }

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** As it came over the line. */
  readonly source: string
  readonly mail: Email
  readonly isSecure: boolean
}

export interface SmtpServerOptions {
  /** Default: none is offered. */
  readonly tls?: 'implicit' | 'starttls' | 'none'
  /** Needed of clients; default: none. */
  readonly account?: { readonly user: string; readonly password: string }
}

/** Starts a server on a free port of 127.0.0.1; its certificate is SMTP_CERTIFICATE. */
export async function startSmtpServer(options: SmtpServerOptions = {}): Promise<TestSmtpServer> {
  const { tls = 'none', account } = options
  const mails: ReceivedMail[] = []
  const taken = new Set<ReceivedMail>()
  const logins: { method: string; user: string }[] = []
  let behaviour: SmtpBehaviour = { type: 'take' }
  const server = new SMTPServer({
    ...SMTP_CERTIFICATE,
    secure: tls === 'implicit',
    hideSTARTTLS: tls !== 'starttls',
    authMethods: ['PLAIN', 'LOGIN'],
    authOptional: account === undefined,
    allowInsecureAuth: tls === 'none',
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onConnect(_session, answer) {
      if (behaviour.type !== 'hang') answer()
    },
    onAuth({ method, username = '', password }, _session, answer) {
      logins.push({ method, user: username })
      const isRight = username === account?.user && password === account.password
      if (isRight) answer(null, { user: username })
      else answer(Object.assign(new Error('5.7.8 wrong user or password'), { responseCode: 535 }))
    },
    onRcptTo(_address, _session, answer) {
      if (behaviour.type !== 'refuse') return answer()
      answer(Object.assign(new Error(behaviour.text), { responseCode: behaviour.code }))
    },
    onData(stream, session, answer) {
      if (behaviour.type === 'break') {
        for (const { _socket: socket } of server.connections as ReadonlySet<OpenConnection>) {
          socket.destroy()
        }
        return
      }
      const read = async (): Promise<void> => {
        const chunks: Buffer[] = []
        for await (const chunk of stream) chunks.push(chunk as Buffer)
        const source = Buffer.concat(chunks).toString('utf8')
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          source,
          mail: await PostalMime.parse(source),
          isSecure: session.secure,
        })
      }
      read().then(() => answer(), answer)
    },
  })
  // A client that breaks off is none of the server's troubles.
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const bound = listening.address()
  if (bound === null || typeof bound === 'string') throw new TypeError('no port to be had')
  return {
    port: bound.port,
    mails,
    logins,
    behave: (how) => {
      behaviour = how
    },
    async nextMailTo(address) {
      const fresh = (): ReceivedMail | undefined =>
        mails.findLast((mail) => mail.to.includes(address) && !taken.has(mail))
      await until(`a mail to ${address}`, () => Promise.resolve(fresh() !== undefined))
      const mail = fresh()
      if (mail === undefined) throw new TypeError('the mail is gone')
      taken.add(mail)
      return mail
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The library keeps the socket of a connection under this name, and offers no other way to break it. */
interface OpenConnection {
  readonly _socket: { destroy(): void }
}
