import { expect, test } from 'vitest'
import { sentFrom } from './sent-from.ts'

const from = (
  headers: Readonly<Record<string, string>>,
  host = 'gate.example.com',
  serverAddress = '',
) => sentFrom({ headers, host }, serverAddress)

test.each([
  ['cross-site', 'other-site'],
  ['same-site', 'other-site'],
  ['made-up', 'other-site'],
  ['same-origin', 'own-page'],
  ['none', 'address-bar'],
])('given a browser that says %s, when asked, then it is sent from %s', (site, is) => {
  expect(from({ 'sec-fetch-site': site })).toBe(is)
  // It knows better than a Host that a proxy has rewritten.
  expect(from({ 'sec-fetch-site': site, origin: 'https://x.example' }, 'upstream:3000')).toBe(is)
})

test.each([
  ['http://gate.example.com', 'gate.example.com'],
  ['https://gate.example.com', 'gate.example.com'],
  ['https://gate.example.com', 'gate.example.com:443'],
  ['https://gate.example.com', 'GATE.example.com'],
  ['http://gate.example.com:80', 'gate.example.com'],
  ['http://10.0.0.5:3000', '10.0.0.5:3000'],
  ['http://[fd00::5]:3000', '[fd00::5]:3000'],
  // A proxy that passes on the host without its port.
  ['http://10.0.0.5:8080', '10.0.0.5'],
  ['http://[fd00::5]:8080', '[fd00::5]'],
])('given a page of %s and the host %s, when asked, then it is our own', (origin, host) => {
  expect(from({ origin }, host)).toBe('own-page')
})

test.each([
  ['null', 'gate.example.com'],
  ['', 'gate.example.com'],
  ['https://evil.com', 'gate.example.com'],
  ['https://gate.example.com.evil.com', 'gate.example.com'],
  ['https://evilgate.example.com', 'gate.example.com'],
  ['https://example.com', 'gate.example.com'],
  ['http://10.0.0.5:8080', '10.0.0.5:3000'],
  ['http://localhost:3000', '127.0.0.1:3000'],
  ['https://evil.com', 'x@evil.com:y'],
  ['https://evil.com', ''],
])('given a page of %j and the host %j, when asked, then it is of another site', (origin, host) => {
  expect(from({ origin }, host)).toBe('other-site')
})

test('given a proxy that rewrites the host, when a page of the set address calls, then it is our own', () => {
  const set = 'https://gate.example.com'
  expect(from({ origin: 'https://gate.example.com' }, 'upstream:3000', set)).toBe('own-page')
  expect(from({ origin: 'https://evil.com' }, 'upstream:3000', set)).toBe('other-site')
  expect(from({ origin: 'https://gate.example.com' }, 'upstream:3000')).toBe('other-site')
})

test('given nobody who says where they are, when asked, then that is unknown', () => {
  expect(from({})).toBe('unknown')
})
