import { expect, test } from 'vitest'
import { ApiError } from '../../core/api.ts'
import { isSameForm, refusedField, withoutFields } from './form-values.ts'

test.each([
  [{ name: 'a', models: ['x', 'y'] }, { name: 'a', models: ['x', 'y'] }, true],
  [{ name: 'a', models: ['x', 'y'] }, { name: 'a', models: ['y', 'x'] }, false],
  [{ name: 'a', models: ['x'] }, { name: 'a', models: ['x', 'y'] }, false],
  [{ name: 'a' }, { name: 'b' }, false],
  [{ rows: [{ key: 'a', value: '1' }] }, { rows: [{ key: 'a', value: '1' }] }, true],
  [{ rows: [{ key: 'a', value: '1' }] }, { rows: [{ key: 'a', value: '2' }] }, false],
  [{ list: [] }, { list: {} }, false],
])('given the forms %j and %j, when compared, then the same: %j', (one, other, isSame) => {
  expect(isSameForm<object>(one, other)).toBe(isSame)
})

test('given what was refused, when a field is typed anew, then the others stay refused', () => {
  const refused = { name: 'taken', email: 'wrong' }
  expect(withoutFields(refused, ['name', 'age'])).toEqual({ email: 'wrong' })
  expect(withoutFields(refused, ['age'])).toBe(refused)
})

test.each([
  ['username_taken', 'name'],
  ['internal_error', undefined],
  ['constructor', undefined],
])('given the refusal %s, when its field is sought, then it is %s', (code, field) => {
  const refusals = { username_taken: 'name' } as const
  const refused = { kind: 'rejected', message: 'no', code, status: 200, requestId: '' } as const
  expect(refusedField(new ApiError(refused), refusals)).toBe(field)
  expect(refusedField(new Error(code), refusals)).toBeUndefined()
})
