import { expect, test } from 'vitest'
import { ApiError } from '../../core/api.ts'
import { lacksBalance } from './mutations.ts'

const failure = (code: ApiError['code'], serverMessage: string) =>
  new ApiError({ code, message: 'in any language', serverMessage, status: 200, requestId: 'r' })

test('given a refused token, when the account has no balance, then that is told from every other failure', () => {
  expect(lacksBalance(failure('rejected', '余额不足'))).toBe(true)
  expect(lacksBalance(failure('rejected', '令牌名称过长'))).toBe(false)
  expect(lacksBalance(failure('failed', '余额不足'))).toBe(false)
  expect(lacksBalance(new Error('余额不足'))).toBe(false)
  expect(lacksBalance(null)).toBe(false)
})
