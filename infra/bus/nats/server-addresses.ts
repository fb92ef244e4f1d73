/** Where NATS is and how to say who we are; what NATS_URL holds. */
export interface ServerAddresses {
  /** `host:port`, at least one. */
  readonly servers: readonly string[]
  readonly user: string | null
  readonly password: string | null
  /** A user name without a password, as NATS writes it. */
  readonly token: string | null
  /** Any address begins with tls://: then all connections are encrypted. */
  readonly isEncrypted: boolean
}

const DEFAULT_PORT = '4222'

/** Reads addresses such as `nats://user:secret@a:4222, nats://b`; credentials are those of the first that has any. */
export function serverAddresses(url: string): ServerAddresses {
  const urls = url.split(',').map((one) => new URL(one.trim()))
  const withUser = urls.find(({ username }) => username !== '')
  const user = decodeURIComponent(withUser?.username ?? '') || null
  const password = decodeURIComponent(withUser?.password ?? '') || null
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || DEFAULT_PORT}`),
    user: password === null ? null : user,
    password,
    token: password === null ? user : null,
    isEncrypted: urls.some(({ protocol }) => protocol === 'tls:'),
  }
}
