import { expect, test } from 'vitest'
import { epaySign, isSignedWith, isUnambiguous, withSign } from './epay.ts'

const KEY = 'k3y'
const FIELDS = {
  pid: '1000',
  type: 'alipay',
  Z: 'upper first',
  name: 'TUC1 & more',
  empty: '',
  money: '7.30',
}

test('given fields, when signed, then it is the MD5 of the sorted, unencoded, non-empty ones and the key', () => {
  // printf '%s' 'Z=upper first&money=7.30&name=TUC1 & more&pid=1000&type=alipayk3y' | md5sum
  expect(epaySign(FIELDS, KEY)).toBe('7de17f21842f9c6e8551a673be4369a1')
  expect(epaySign({ ...FIELDS, sign: 'x', sign_type: 'MD5' }, KEY)).toBe(epaySign(FIELDS, KEY))
})

test('given signed fields, when one is changed, added or taken away, then the signature does not fit', () => {
  const signed = withSign(FIELDS, KEY)
  expect(isSignedWith(signed, KEY)).toBe(true)
  expect(isSignedWith({ ...signed, sign: (signed['sign'] ?? '').toUpperCase() }, KEY)).toBe(true)
  expect(isSignedWith(signed, 'another')).toBe(false)
  expect(isSignedWith({ ...signed, money: '0.01' }, KEY)).toBe(false)
  expect(isSignedWith({ ...signed, more: '1' }, KEY)).toBe(false)
  expect(isSignedWith({ ...signed, name: '' }, KEY)).toBe(false)
  expect(isSignedWith({ ...signed, sign: '' }, KEY)).toBe(false)
  expect(isSignedWith(FIELDS, KEY)).toBe(false)
})

test('given one signature for two sets of fields, when asked, then one of them is ambiguous', () => {
  const form = { device: 'pc', return_url: 'http://x&trade_status=TRADE_SUCCESS&ts=/log' }
  const read = Object.fromEntries(
    'device=pc&return_url=http://x&trade_status=TRADE_SUCCESS&ts=/log'
      .split('&')
      .map((field) => field.split('=') as [string, string]),
  )
  expect(read['trade_status']).toBe('TRADE_SUCCESS')
  expect(epaySign(read, KEY)).toBe(epaySign(form, KEY))
  expect(isUnambiguous(form)).toBe(false)
  expect(isUnambiguous(read)).toBe(true)
  expect(isUnambiguous({ 'a=b': 'c' })).toBe(false)
  expect(isUnambiguous({ 'a&b': 'c' })).toBe(false)
})
