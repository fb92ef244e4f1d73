import { CHANNEL_TYPES } from '@tollgate/domain/channel/terms.ts'
import { expect, test } from 'vitest'
import { channelType, channelTypes, consoleOrder } from './channel-types.ts'

test('given the table, when read, then row n is type n and there are 49', () => {
  expect(channelTypes.map((type) => type.id)).toEqual(Array.from({ length: 49 }, (_, i) => i + 1))
  expect(channelType(0)).toBeNull()
  expect(channelType(50)).toBeNull()
  expect(channelType(43)?.name).toBe('DeepSeek')
})

test('given an OpenAI-speaking type, when read, then it says how to reach and sign', () => {
  for (const type of channelTypes.filter((row) => row.protocol === 'openai')) {
    expect(type.url).not.toBe('other-protocol')
    expect(type.auth).not.toBe('other-protocol')
    expect(type.modes.length).toBeGreaterThan(0)
    expect(type.baseUrl).not.toMatch(/\/$/)
  }
})

test('given the console order, when read, then every labelled type that can be added is in it once', () => {
  expect(new Set(consoleOrder).size).toBe(consoleOrder.length)
  const labelled = channelTypes.filter((type) => type.label !== '').map((type) => type.id)
  const addable = labelled.filter((type) => CHANNEL_TYPES.includes(type))
  expect([...consoleOrder].sort((a, b) => a - b)).toEqual(addable)
})

test('given default models, when read, then none is listed twice and OpenAI has its own', () => {
  for (const type of channelTypes) {
    expect(new Set(type.defaultModels).size).toBe(type.defaultModels.length)
  }
  expect(channelType(1)?.defaultModels).toContain('gpt-4o-mini')
  expect(channelType(3)?.defaultModels).toEqual(channelType(1)?.defaultModels)
})
