import { expect, test } from 'vitest'
import { ApiError } from '../../core/api.ts'
import { setupErrors, setupFailure, setupPayload } from './setup-rules.ts'

const good = {
  username: 'root',
  password: 'correct horse',
  confirmPassword: 'correct horse',
  mode: 'operation',
} as const

test('given a complete form, when checked, then nothing is wrong', () => {
  expect(setupErrors(good, false)).toEqual({})
})

test('given a blank name, a short password and another confirmation, when checked, then each is named', () => {
  const form = { ...good, username: '  ', password: 'short', confirmPassword: 'other' }
  expect(setupErrors(form, false)).toEqual({
    username: 'username',
    password: 'password',
    confirmPassword: 'mismatch',
  })
})

test('given an administrator exists, when checked, then the account fields do not matter', () => {
  expect(setupErrors({ ...good, username: '', password: '' }, true)).toEqual({})
})

test('given a mode, when sent, then exactly its switch is on', () => {
  expect(setupPayload({ ...good, mode: 'self-use' })).toMatchObject({
    SelfUseModeEnabled: true,
    DemoSiteEnabled: false,
  })
  expect(setupPayload(good)).toMatchObject({ SelfUseModeEnabled: false, DemoSiteEnabled: false })
})

const refused = (status: number, code: string) =>
  new ApiError({
    kind: status === 0 ? 'unreachable' : 'failed',
    message: 'Error: in any language',
    code,
    status,
    requestId: '',
  })

test.each([
  [refused(400, 'setup_done'), { message: 'Error: in any language', name: 'failed' }],
  [refused(200, ''), { message: '', name: 'failed' }],
  [refused(500, 'internal_error'), { message: '', name: 'systemFailed' }],
  [refused(0, ''), { message: '', name: 'systemFailed' }],
  [new Error('no JSON'), { message: '', name: 'systemFailed' }],
])('given a failure %#, when told, then in the server’s words or in ours', (error, told) => {
  expect(setupFailure(error)).toEqual(told)
})
