import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openVault } from '../secrets/vault.ts'
import { KNOWN_BROWSER_SECONDS, knownBrowsers } from './known-browsers.ts'

const vaultOf = () => openVault(randomBytes(32), randomBytes)
const vault = vaultOf()
let now = 1_700_000_000_000
const clock = { now: () => now }
const browsers = knownBrowsers({ vault, clock, entropy: randomBytes })

test('given a browser that has signed in, when it comes back under that name, then it is known', () => {
  const [one, other] = [browsers.remember('ann').token, browsers.remember('ann').token]
  const id = browsers.recognise(one, 'ann')
  expect(id).toEqual(expect.any(String))
  expect(browsers.recognise(one, 'ann')).toBe(id)
  expect(browsers.recognise(other, 'ann')).not.toBe(id)
})

test('given another name, another key, a changed cookie or none, when it comes, then it is not known', () => {
  const { token } = browsers.remember('ann')
  const [id = '', at = '', signed = ''] = token.split('.')
  const elsewhere = knownBrowsers({ vault: vaultOf(), clock, entropy: randomBytes })
  expect(browsers.recognise(token, 'root')).toBeNull()
  expect(elsewhere.recognise(token, 'ann')).toBeNull()
  const changed = [
    null,
    '',
    '..',
    id,
    `${id}.${at}`,
    `${id}.${at}.`,
    `${id}x.${at}.${signed}`,
    `${id}.${Number(at) + 1}.${signed}`,
    `${id}.Infinity.${signed}`,
    `${id}.${at}.${signed.slice(2)}`,
    `${id}.${at}.${Buffer.alloc(32).toString('base64url')}`,
  ]
  for (const one of changed) expect([one, browsers.recognise(one, 'ann')]).toEqual([one, null])
})

test('given half a year, when it is over, then the browser is known no more', () => {
  const { token, maxAgeSeconds } = browsers.remember('ann')
  now += maxAgeSeconds * 1000 - 1000
  expect(browsers.recognise(token, 'ann')).not.toBeNull()
  now += 1000
  expect(browsers.recognise(token, 'ann')).toBeNull()
  expect(maxAgeSeconds).toBe(KNOWN_BROWSER_SECONDS)
})
