import type { RecordedEvent } from '@tollgate/domain/event.ts'
import { balances } from '@tollgate/projections/balances/projector.ts'
import { eventsOfTypes } from '@tollgate/projections/runner/projected-events.ts'
import { modelTables } from '@tollgate/projections/runner/model-tables.ts'
import { schemaOf } from '@tollgate/projections/runner/projector.ts'
import type pg from 'pg'
import { type BalanceTables, changeOf, emptyTables } from '../engines/database.ts'

const BATCH = 17

/** The balances built from the whole log at once, in batches of another size than those of the live projector. */
export async function rebuildBalances(log: readonly RecordedEvent[]): Promise<BalanceTables> {
  const tables = emptyTables()
  const client = {
    query: ({ text, values }: { text: string; values: readonly unknown[] }) => {
      changeOf(tables, text, values)()
      return Promise.resolve({ rows: [] })
    },
  } as unknown as pg.PoolClient
  const copy = modelTables(client, schemaOf(balances.name))
  const events = eventsOfTypes(log, new Set(balances.eventTypes))
  for (let at = 0; at < events.length; at += BATCH) {
    await balances.handle(events.slice(at, at + BATCH), copy)
  }
  return tables
}
