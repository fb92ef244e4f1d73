import { expect, test } from 'vitest'
import { ApiError } from '../../core/api.ts'
import { lacksBalance } from './save-token.ts'

const failure = (kind: ApiError['kind'], code: string) =>
  new ApiError({ kind, message: 'in any language', code, status: 200, requestId: 'r' })

test('given a refused token, when the account has no balance, then that is told from every other failure', () => {
  expect(lacksBalance(failure('rejected', 'balance_exhausted'))).toBe(true)
  expect(lacksBalance(failure('rejected', 'token_name_too_long'))).toBe(false)
  expect(lacksBalance(failure('failed', 'balance_exhausted'))).toBe(false)
  expect(lacksBalance(new Error('balance_exhausted'))).toBe(false)
  expect(lacksBalance(null)).toBe(false)
})
