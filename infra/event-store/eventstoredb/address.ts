import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Schemes of EventStoreDB and of KurrentDB, its later name, as the client takes them. */
const CLIENT_SCHEMES = new Map([
  ['esdb', 'esdb'],
  ['esdb+discover', 'esdb+discover'],
  ['kurrentdb', 'esdb'],
  ['kurrentdb+discover', 'esdb+discover'],
  ['kdb', 'esdb'],
  ['kdb+discover', 'esdb+discover'],
])

type Check = (value: string) => string | null

const wholeNumber: Check = (value) => (/^-?\d+$/.test(value) ? null : 'is not a whole number')
const trueOrFalse: Check = (value) =>
  value === 'true' || value === 'false' ? null : 'is neither true nor false'
const anything: Check = () => null

/** Keys by their flat name, as the client compares them: without case, hyphens and underscores. */
const KEYS = new Map<string, Check>([
  ['tls', trueOrFalse],
  ['tlscafile', anything],
  ['usercertfile', anything],
  ['userkeyfile', anything],
  ['connectionname', anything],
  ['keepaliveinterval', wholeNumber],
  ['keepalivetimeout', wholeNumber],
  ['maxdiscoverattempts', wholeNumber],
  ['discoveryinterval', wholeNumber],
  ['gossiptimeout', wholeNumber],
  ['defaultdeadline', wholeNumber],
  [
    'nodepreference',
    (value) =>
      flat(value) === 'leader'
        ? null
        : 'must be leader: other nodes read behind it, and what they miss would be booked again',
  ],
  [
    'tlsverifycert',
    () => 'has no effect in this client: give the CA with tlsCAFile=/path/to/ca.crt',
  ],
  ['throwonappendfailure', () => 'cannot be changed: leave it out'],
])

const CREDENTIALS = /^([^:@/]+:[^@/]+)@/
const HOST = /^[A-Za-z0-9._-]+$/
const PORT_MAX = 65_535
const DEFAULT_PORT = '2113'

/** The reason why an address is refused; it never holds the password. */
export class InvalidAddress extends Error {
  override readonly name = 'InvalidAddress'
}

/**
 * An address of EventStoreDB or KurrentDB, one node or several, as the client takes it. Unknown keys are refused here,
 * because the client prints them with the whole address, password included. Fails with InvalidAddress.
 */
export function clientAddress(written: string): string {
  const scheme = /^([a-z+]+):\/\//.exec(written)?.[1] ?? ''
  const clientScheme = CLIENT_SCHEMES.get(scheme)
  if (clientScheme === undefined) {
    throw new InvalidAddress(
      `is not an address that begins with ${[...CLIENT_SCHEMES.keys()].map((one) => `${one}://`).join(' or ')}`,
    )
  }
  const rest = written.slice(`${scheme}://`.length)
  const [authority = '', ...queries] = rest.split('?')
  if (queries.length > 1) throw new InvalidAddress('has more than one ?: join its keys with &')
  checkHosts(authority, clientScheme)
  for (const [key, value] of keysOf(queries[0] ?? '')) checkKey(key, value)
  return `${clientScheme}://${rest}`
}

export interface Host {
  readonly name: string
  readonly port: number
}

/** The client's reading of an address that is fit. */
export interface Address {
  readonly hosts: readonly Host[]
  readonly isSecure: boolean
  /** Null when it names none. */
  readonly user: string | null
  readonly caFile: string | null
}

export function readAddress(written: string): Address {
  const [, rest = ''] = written.split('://')
  const [authority = '', query = ''] = rest.split('?')
  const keys = new Map(keysOf(query).map(([key, value]) => [flat(key), value]))
  const caFile = keys.get('tlscafile')
  const user = CREDENTIALS.exec(authority)?.[1]?.split(':')[0]
  return {
    hosts: hostsOf(authority).map((host) => {
      const [name = '', port = DEFAULT_PORT] = host.split(':')
      return { name, port: Number(port) }
    }),
    isSecure: keys.get('tls') !== 'false',
    user: user === undefined ? null : decodeURIComponent(user),
    caFile: caFile === undefined ? null : decodeURIComponent(caFile),
  }
}

/** `host:port` of each node, for people: without user and password. */
export const hostsIn = (written: string): string =>
  readAddress(written)
    .hosts.map(({ name, port }) => `${name}:${port}`)
    .join(', ')

/** Why an address is unfit, or null. */
export function addressProblem(written: string): string | null {
  try {
    clientAddress(written)
    return null
  } catch (error) {
    if (error instanceof InvalidAddress) return error.message
    throw error
  }
}

/** Looks at the files that an address names. Fails with InvalidAddress. */
export function checkCertificateFiles(written: string): void {
  const files = new Map(
    keysOf(written.split('?')[1] ?? '').map(([key, value]) => [flat(key), value]),
  )
  for (const [key, name] of FILES) {
    const path = files.get(key)
    if (path !== undefined) checkPem(name, decodeURIComponent(path))
  }
  if (files.has('usercertfile') !== files.has('userkeyfile')) {
    throw new InvalidAddress('names one of userCertFile and userKeyFile: give both or none')
  }
}

const FILES = [
  ['tlscafile', 'tlsCAFile'],
  ['usercertfile', 'userCertFile'],
  ['userkeyfile', 'userKeyFile'],
] as const

function checkPem(name: string, path: string): void {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new InvalidAddress(`names ${name} ${path}, which cannot be read (${why})`, {
      cause: error,
    })
  }
  if (!text.includes('-----BEGIN ') || (name === 'tlsCAFile' && !isCertificate(text))) {
    throw new InvalidAddress(`names ${name} ${path}, which is no PEM file (-----BEGIN …)`)
  }
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).fingerprint256 !== ''
  } catch {
    return false
  }
}

const hostsOf = (authority: string): string[] =>
  authority
    .replace(/\/+$/, '')
    .replace(CREDENTIALS, '')
    .split(',')
    .map((host) => host.trim())

function checkHosts(authority: string, clientScheme: string): void {
  const hosts = hostsOf(authority)
  if (hosts.some((host) => host.includes('@'))) {
    throw new InvalidAddress(
      'has a user without a password, or a character in them that must be written as %40, %3A or %2F',
    )
  }
  for (const host of hosts) {
    const [name = '', port = DEFAULT_PORT, ...more] = host.split(':')
    const isFit =
      HOST.test(name) && /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= PORT_MAX
    if (!isFit || more.length > 0) throw new InvalidAddress(`has no host:port in "${host}"`)
  }
  if (clientScheme === 'esdb+discover' && hosts.length > 1) {
    throw new InvalidAddress(
      'discovers by one name only: give several nodes with esdb://a:2113,b:2113,c:2113',
    )
  }
}

const keysOf = (query: string): [string, string][] =>
  query === ''
    ? []
    : query.split('&').map((pair) => {
        const [key = '', value = ''] = pair.split('=')
        return [key, value.trim()]
      })

function checkKey(key: string, value: string): void {
  const check = KEYS.get(flat(key))
  if (check === undefined) throw new InvalidAddress(`has an unknown key ${JSON.stringify(key)}`)
  const problem = value === '' ? 'has no value' : check(value)
  if (problem !== null) throw new InvalidAddress(`has a key ${key} that ${problem}`)
}

const flat = (name: string): string => name.trim().toLowerCase().replaceAll(/[_-]/g, '')
