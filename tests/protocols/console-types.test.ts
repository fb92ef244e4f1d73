import { CHANNEL_TYPES } from '@tollgate/domain/channel/terms.ts'
import { consoleOrder } from '@tollgate/relay/channel-types.ts'
import { expect, test } from 'vitest'
import { CHANNEL_TYPES as OFFERED } from '../../console/src/parts/channel-types.ts'

test('given the console’s channel types, when held against the server, then both tables are equal', () => {
  const offered = OFFERED.map(({ id }): number => id)
  expect(offered).toEqual(consoleOrder)
  expect(offered.filter((id) => !CHANNEL_TYPES.includes(id))).toEqual([])
})
