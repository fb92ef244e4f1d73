import { expect, test } from 'vitest'
import { tradeNo, userId } from '../ids.ts'
import { paymentReason, readPayment } from './payment.ts'

test('given a payment, when written as a reason and read, then it is the same', () => {
  const payment = { order: tradeNo(userId(7), 'a1B2c3', 1_767_225_600_000), money: '7.30' }
  expect(paymentReason(payment)).toBe('USR7NOa1B2c31767225600 7.30')
  expect(readPayment(paymentReason(payment))).toEqual(payment)
})

test.each([
  '',
  'order 1',
  'USR7NOa1B2c31767225600',
  'USR7NOa1B2c31767225600 7.3',
  'USR7NOa1B2c31767225600 7.30 x',
])('given the reason %j of another form, when read, then it is none', (reason) => {
  expect(readPayment(reason)).toBeNull()
})
