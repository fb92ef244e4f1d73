import { expect, test } from 'vitest'
import { CHANNEL_TYPES } from './channel-types.ts'

test('given the types of channels, when tagged, then none has a colour that tells a state', () => {
  const states = new Set(['green', 'lime', 'orange', 'red', 'teal'])
  expect(CHANNEL_TYPES.filter(({ palette }) => states.has(palette))).toEqual([])
})
