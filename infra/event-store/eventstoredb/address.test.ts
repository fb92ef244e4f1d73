import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testAuthority } from '@tollgate/tests/support/engines/certificates.ts'
import { expect, test } from 'vitest'
import { checkCertificateFiles, clientAddress, hostsIn, addressProblem } from './address.ts'

test.each([
  ['esdb://127.0.0.1:2113?tls=false', 'esdb://127.0.0.1:2113?tls=false'],
  ['esdb://a:2113,b:2113,c:2113', 'esdb://a:2113,b:2113,c:2113'],
  ['esdb+discover://cluster.example.com', 'esdb+discover://cluster.example.com'],
  ['kurrentdb://u:p%40ss@a:1,b:2?tls=true', 'esdb://u:p%40ss@a:1,b:2?tls=true'],
  ['kdb://a/?keepAliveInterval=10000', 'esdb://a/?keepAliveInterval=10000'],
  ['kdb+discover://a:2113?node_preference=Leader', 'esdb+discover://a:2113?node_preference=Leader'],
])('given the address %s, when read, then the client gets %s', (written, given) => {
  expect(clientAddress(written)).toBe(given)
})

test.each([
  ['http://a:2113', /begins with esdb:\/\//],
  ['localhost', /begins with esdb:\/\//],
  ['esdb://', /no host:port/],
  ['esdb://a:70000', /no host:port in "a:70000"/],
  ['esdb://a:2113,', /no host:port in ""/],
  ['esdb://tollgate@a:2113', /without a password/],
  ['esdb+discover://a:2113,b:2113', /one name only/],
  ['esdb://a:2113?nodePreference=follower', /must be leader/],
  ['esdb://u:secret@a?tlsVerifyCert=false', /tlsCAFile/],
  ['esdb://u:secret@a?tsl=false', /unknown key "tsl"/],
  ['esdb://a?tls=no', /neither true nor false/],
  ['esdb://a?keepAliveInterval=soon', /not a whole number/],
  ['esdb://a?tls', /has no value/],
  ['esdb://a?tls=true?tls=false', /more than one \?/],
])(
  'given the address %s, when read, then it is refused for what is wrong, without the password',
  (written, why) => {
    const said = addressProblem(written) ?? ''
    expect(said).toMatch(why)
    expect(said).not.toContain('secret')
  },
)

test('given files that an address names, when looked at, then each must be there and PEM', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-ca-'))
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return encodeURIComponent(join(folder, name))
  }
  const pem = file('ca.crt', testAuthority().cert)
  expect(() => checkCertificateFiles('esdb://a?tls=false')).not.toThrow()
  expect(() => checkCertificateFiles(`esdb://a?tlsCAFile=${pem}`)).not.toThrow()
  expect(() => checkCertificateFiles('esdb://a?tlsCAFile=/none/ca.crt')).toThrow(/ENOENT/)
  for (const [name, text] of [
    ['der', 'x'],
    ['cut', testAuthority().cert.slice(0, 100)],
  ] as const) {
    expect(() => checkCertificateFiles(`esdb://a?tlsCAFile=${file(name, text)}`)).toThrow(/no PEM/)
  }
  expect(() => checkCertificateFiles(`esdb://a?userCertFile=${pem}`)).toThrow(/give both/)
})

test('given an address with a password, when its hosts are told, then the password is not', () => {
  expect(hostsIn('esdb+discover://u:secret@a')).toBe('a:2113')
  expect(hostsIn('kdb://u:p%40ss@a:1, b:2/?tls=true')).toBe('a:1, b:2')
})
