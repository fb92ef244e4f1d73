import { CHANNEL_TYPES } from '@tollgate/domain/channel/terms.ts'
import { consoleOrder } from '@tollgate/relay/channel-types.ts'
import { expect, test } from 'vitest'
import { CHANNEL_TYPES as OFFERED } from '../../console/src/parts/channel-types.ts'

test('given the types of the console’s form, when held against the server, then they are those of its table, and it takes each', () => {
  const offered = OFFERED.map(({ id }): number => id)
  expect(offered).toEqual(consoleOrder)
  expect(offered.filter((id) => !CHANNEL_TYPES.includes(id))).toEqual([])
})
