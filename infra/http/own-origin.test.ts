import { expect, test } from 'vitest'
import { ownOrigin } from './own-origin.ts'

test.each([
  ['gate.example.com', 'https', 'https://gate.example.com'],
  ['localhost:3000', 'http', 'http://localhost:3000'],
  ['my_gate', 'http', 'http://my_gate'],
  ['10.0.0.1:8080', 'http', 'http://10.0.0.1:8080'],
  ['[::1]:3000', 'http', 'http://[::1]:3000'],
  ['gate.example.com', 'javascript', 'http://gate.example.com'],
] as const)('given the host %s by %s, when read, then it is %s', (host, protocol, origin) => {
  expect(ownOrigin({ protocol: protocol as 'http', host })).toBe(origin)
})

test.each([
  '',
  'x&trade_status=TRADE_SUCCESS&ts=',
  'x/log?y',
  'x#',
  'user@x',
  'a b',
  'x:99999999',
  'x:',
  '[x]',
  '.',
  'x\\y',
  '"x"',
])('given %j for a host, when read, then there is no origin', (host) => {
  expect(ownOrigin({ protocol: 'http', host })).toBeNull()
})
