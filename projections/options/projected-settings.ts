import type { Position } from '@tollgate/domain/event.ts'
import type { OptionChanged } from '@tollgate/domain/settings/events.ts'
import type pg from 'pg'

/** The settings as the read model has them; null before it was first built. Fails as the database does. */
export async function projectedSettings(
  pool: Pick<pg.Pool, 'query'>,
): Promise<{ readonly changes: readonly OptionChanged[]; readonly position: Position } | null> {
  const { rows: models } = await pool.query<{ is_there: boolean }>(
    `select to_regclass('options.options') is not null
       and to_regclass('projections.checkpoints') is not null as is_there`,
  )
  if (models[0]?.is_there !== true) return null
  // In one statement, so that no change comes between the two.
  const { rows } = await pool.query<{ position: string; changes: readonly Row[] }>(
    `select position::text as position, coalesce((select json_agg(o) from options.options o), '[]') as changes
     from projections.checkpoints where name = 'options'`,
  )
  const [model] = rows
  if (model === undefined) return null
  return {
    position: Number(model.position),
    changes: model.changes.map(({ key, value, changed_at: at }) => ({
      type: 'OptionChanged',
      data: { at, key, value, previous: null, note: null },
    })),
  }
}

interface Row {
  readonly key: string
  readonly value: string | null
  readonly changed_at: number
}
