import { expect, test } from 'vitest'
import { CHANNEL_TYPES, channelTypeName, offeredTypes } from './channel-types.ts'

test('given a type that the server refuses, when a form is opened, then only its own channel offers it', () => {
  expect(offeredTypes(1)).toBe(CHANNEL_TYPES)
  expect(CHANNEL_TYPES.map(({ id }): number => id)).not.toContain(21)
  expect(offeredTypes(21).at(-1)?.id).toBe(21)
  expect(channelTypeName(21, 'en')).toBe('Knowledge base: AI Proxy')
})

test('given a channel of an unnamed type, when its form is opened, then its number is offered as unknown', () => {
  expect(offeredTypes(6)).toHaveLength(CHANNEL_TYPES.length + 1)
  expect(offeredTypes(6).at(-1)).toMatchObject({ id: 6, en: 'Unknown type' })
})
