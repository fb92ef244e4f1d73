import { balances } from '@tollgate/projections/balances/projector.ts'
import { channels } from '@tollgate/projections/channels/projector.ts'
import { options } from '@tollgate/projections/options/projector.ts'
import { tokens } from '@tollgate/projections/tokens/projector.ts'
import { users } from '@tollgate/projections/users/projector.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Engines } from '../engines/engines.ts'
import type { Identity } from './compose-identity.ts'
import { directorySource } from './relay-directory.ts'

let log: ProjectionLog
beforeAll(async () => {
  log = await openProjectionLog()
  await log.project([tokens, users, balances, channels])
})
afterAll(() => log.close())

test.each([
  [true, 'absent'],
  [false, 'not-yet'],
])(
  'given a row without its event, when read models that have seen the head (%s) are asked, then %s',
  async (hasSeenHead, status) => {
    const findByKey = async () => ({ id: 1, userId: 1 })
    const identity = { secrets: { tokens: { findByKey } }, users: {} } as unknown as Identity
    const source = directorySource({ ...log, db: log.reads } as unknown as Engines, identity, {
      waitFor: async () => hasSeenHead,
    })
    expect(await source.findToken('k')).toEqual({ status })
  },
)

test('given options of an older version, when a relay starts, then it waits until they are built anew', async () => {
  const source = directorySource(
    { ...log, db: log.reads } as unknown as Engines,
    {} as unknown as Identity,
    {
      waitFor: async () => true,
    },
  )
  const loading = source.loadSnapshot()
  await log.project([options])
  expect(await loading).toMatchObject({ priceBookRevision: -1, plannedPrices: [] })
})
