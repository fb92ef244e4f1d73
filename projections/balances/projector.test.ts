import { openProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { expect, test } from 'vitest'
import { balances } from './projector.ts'

test('given the table of accounts, when its indexes are listed, then none has a figure of charges', async () => {
  const log = await openProjectionLog()
  try {
    await log.project([balances])
    const { rows } = await log.pool.query<{ indexdef: string }>(
      "select indexdef from pg_indexes where schemaname = 'balances' and tablename = 'accounts'",
    )
    // PostgreSQL then changes a row in place, without an entry in any index.
    expect(rows.map(({ indexdef }) => indexdef)).toEqual([
      'CREATE UNIQUE INDEX accounts_pkey ON balances.accounts USING btree (user_id)',
    ])
  } finally {
    await log.close()
  }
})
