import { addressRule } from '@tollgate/domain/account/token-terms.ts'
import { expect, test } from 'vitest'
import { isAllowedAddress } from './allowed-addresses.ts'

test.each([
  ['192.0.2.1', [], true],
  ['192.0.2.1', ['192.0.2.1'], true],
  ['::ffff:192.0.2.1', ['192.0.2.1'], true],
  ['192.0.2.2', ['192.0.2.1'], false],
  ['192.0.2.2', ['10.0.0.0/8', '192.0.2.0/24'], true],
  ['2001:db8::1', ['2001:db8:0::1'], true],
  ['2001:db8::1', ['192.0.2.0/24', '2001:db8::2'], false],
  ['::c000:201', ['192.0.2.1'], false],
  ['fe80::1%eth0', ['fe80::1'], true],
  ['fe80::1%eth0', ['fe80::/10'], true],
  ['fe80::2%eth0', ['fe80::1'], false],
  ['localhost', ['localhost'], false],
  ['192.0.2.1', ['nothing'], false],
  // The directory's answer where the addresses of a rule were erased.
  ['192.0.2.1', [addressRule('2f0c9a54-8a8e-4e5f-9a55-7c1f8c1d2b10')], false],
])('given a client at %s and %j, when asked, then allowed: %s', (address, allowed, is) => {
  expect(isAllowedAddress(address, allowed)).toBe(is)
})
