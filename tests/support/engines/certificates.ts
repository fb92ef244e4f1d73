import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A certificate and its key, both as PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** Signs the certificates of servers; its own `cert` is what their clients trust. */
export interface TestAuthority extends Certificate {
  issue(hosts: readonly string[], validity?: Validity): Certificate
}

export interface Validity {
  readonly from: Date
  readonly until: Date
}

const HOUR_MS = 3_600_000

/** A certificate authority of one test. Its certificates are those of RFC 5280, with ECDSA keys on P-256. */
export function testAuthority(name = 'Tests of Tollgate'): TestAuthority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = { name, key: own.privateKey }
  const present = (): Validity => ({
    from: new Date(Date.now() - HOUR_MS),
    until: new Date(Date.now() + 24 * HOUR_MS),
  })
  return {
    cert: certificate(issuer, { name, key: own.publicKey, hosts: [] }, present()),
    key: pemOf(own.privateKey),
    issue(hosts, validity = present()) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const subject = { name: hosts[0] ?? '', key: publicKey, hosts }
      return { cert: certificate(issuer, subject, validity), key: pemOf(privateKey) }
    },
  }
}

interface Issuer {
  readonly name: string
  readonly key: KeyObject
}

interface Subject {
  readonly name: string
  readonly key: KeyObject
  /** Names and IPv4 addresses; none makes it an authority. */
  readonly hosts: readonly string[]
}

const OID = {
  commonName: '550403',
  basicConstraints: '551d13',
  alternativeNames: '551d11',
  ecdsaWithSha256: '2a8648ce3d040302',
} as const

function certificate(issuer: Issuer, subject: Subject, { from, until }: Validity): string {
  const algorithm = sequence(oid(OID.ecdsaWithSha256))
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    commonName(issuer.name),
    sequence(time(from), time(until)),
    commonName(subject.name),
    subject.key.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(subject.hosts.length === 0 ? ofAuthority() : ofHosts(subject.hosts))),
  )
  const signature = sign('sha256', content, issuer.key)
  const whole = sequence(content, algorithm, der(0x03, Buffer.from([0]), signature))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

const ofAuthority = (): Buffer =>
  extension(OID.basicConstraints, sequence(der(0x01, Buffer.from([0xff]))))

const ofHosts = (hosts: readonly string[]): Buffer =>
  extension(
    OID.alternativeNames,
    sequence(
      ...hosts.map((host) =>
        /^[\d.]+$/.test(host)
          ? der(0x87, Buffer.from(host.split('.').map(Number)))
          : der(0x82, Buffer.from(host)),
      ),
    ),
  )

const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), der(0x04, value))

const commonName = (name: string): Buffer =>
  sequence(der(0x31, sequence(oid(OID.commonName), der(0x0c, Buffer.from(name)))))

/** As `YYYYMMDDHHMMSSZ`. */
const time = (moment: Date): Buffer =>
  der(0x18, Buffer.from(`${moment.toISOString().replaceAll(/[-:T]|\..*$/g, '')}Z`))

const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts)

/** One value of ASN.1 in its distinguished encoding. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const bytes =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...bytes]), content])
}

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()
