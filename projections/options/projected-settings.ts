import type { Position } from '@tollgate/domain/event.ts'
import type { OptionChanged } from '@tollgate/domain/settings/events.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { hasTable } from '../runner/has-table.ts'

const optionRow = z.object({
  key: z.string(),
  value: z.string().nullable(),
  changed_at: z.number(),
})
const model = z.object({ position: z.number(), changes: z.array(optionRow) })

/** The settings as the read model has them; null before it was first built. Fails as the database does. */
export async function projectedSettings(
  reads: CommonQueryMethods,
): Promise<{ readonly changes: readonly OptionChanged[]; readonly position: Position } | null> {
  const tables = ['options.options', 'projections.checkpoints']
  for (const table of tables) if (!(await hasTable(reads, table))) return null
  // In one statement, so that no change comes between the two.
  const found = await reads.maybeOne(sql.type(model)`
    select position, coalesce((select json_agg(o) from options.options o), '[]') as changes
    from projections.checkpoints where name = 'options'`)
  if (found === null) return null
  return {
    position: found.position,
    changes: found.changes.map(({ key, value, changed_at: at }) => ({
      type: 'OptionChanged',
      data: { at, key, value, previous: null, note: null },
    })),
  }
}
