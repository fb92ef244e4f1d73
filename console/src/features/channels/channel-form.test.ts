import { describe, expect, test } from 'vitest'
import type { ChannelForm } from './channel-form.ts'
import {
  channelChanges,
  channelErrors,
  channelPayload,
  hasVersionInUrl,
  NEW_CHANNEL,
  withType,
} from './channel-form.ts'

const good: ChannelForm = { ...NEW_CHANNEL, name: 'primary', key: 'sk-1', models: ['gpt-4o'] }

describe('channelErrors', () => {
  test.each([
    [{}, {}],
    [{ name: ' ' }, { name: 'name' }],
    [{ key: '' }, { key: 'key' }],
    [{ models: [] }, { models: 'models' }],
    [{ groups: [] }, { groups: 'groups' }],
    [{ baseUrl: 'api.example.com' }, { baseUrl: 'url' }],
    [{ priority: '-1000' }, { priority: 'priority' }],
    [{ priority: '-999' }, {}],
    [{ weight: '-1' }, { weight: 'weight' }],
    [{ weight: '1.5' }, { weight: 'weight' }],
    [{ modelMapping: '[1]' }, { modelMapping: 'json' }],
    [{ paramOverride: '{"temperature":' }, { paramOverride: 'json' }],
    [{ type: 41 }, { other: 'region' }],
  ] as [Partial<ChannelForm>, object][])(
    'given a new channel with %j, then %j',
    (change, errors) => {
      expect(channelErrors({ ...good, ...change }, true)).toEqual(errors)
    },
  )

  test('given an existing channel, when its key is left empty, then the stored one is kept', () => {
    expect(channelErrors({ ...good, key: '' }, false)).toEqual({})
  })
})

test('given an address with slash or version, when sent, then the slash goes, the version is queried', () => {
  const form = { ...good, baseUrl: 'https://a.example/v1/' }
  expect(channelPayload(form).base_url).toBe('https://a.example/v1')
  expect(hasVersionInUrl(form)).toBe(true)
  expect(hasVersionInUrl({ ...good, baseUrl: 'https://a.example' })).toBe(false)
})

test('given an opened channel, when some of it is edited, then only that is sent', () => {
  const opened = { ...good, key: '' }
  expect(channelChanges(opened, opened)).toEqual({})
  expect(channelChanges(opened, { ...opened, weight: '3', tag: ' ', models: ['a', 'b'] })).toEqual({
    weight: 3,
    models: 'a,b',
  })
})

test('given type 18 without a version, when sent, then it is v2.1', () => {
  expect(channelPayload({ ...good, type: 18 }).other).toBe('v2.1')
  expect(channelPayload({ ...good, type: 18, other: 'v4.0' }).other).toBe('v4.0')
})

test.each([
  [[], ['b']],
  [['a', 'c'], ['b']],
  [['a'], undefined],
  [['a', 'own'], undefined],
])(
  'given the models %j, when the type is changed, then its models %j are filled in',
  (models, filled) => {
    const typeModels = { 1: ['a', 'c'], 14: ['b'] }
    expect(withType({ ...good, models }, 14, typeModels).models).toEqual(filled)
  },
)
