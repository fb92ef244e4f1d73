import { expect, test } from 'vitest'
import { tagErrors, tagPayload } from './tag-form.ts'

const untouched = {
  newTag: 'main',
  modelMapping: '',
  models: [],
  groups: [],
  priority: '',
  weight: '',
}

test('given nothing typed, when sent, then there is nothing to send', () => {
  expect(tagPayload('main', untouched)).toBeNull()
})

test('given a blank new tag, when sent, then the tag dissolves', () => {
  expect(tagPayload('main', { ...untouched, newTag: '' })).toEqual({ tag: 'main', new_tag: '' })
})

test('given fields, when sent, then only those that were filled in', () => {
  expect(tagPayload('main', { ...untouched, models: ['a', 'b'], priority: '-5' })).toEqual({
    tag: 'main',
    models: 'a,b',
    priority: -5,
  })
})

test('given wrong values, when checked, then each is named', () => {
  expect(tagErrors({ ...untouched, modelMapping: '{', priority: '-1000', weight: '-1' })).toEqual({
    modelMapping: 'json',
    priority: 'priority',
    weight: 'weight',
  })
})
