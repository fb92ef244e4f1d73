import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { noRow, timestamp } from '../statements.ts'
import type { InertRows } from '../workflows/orphan-recovery.ts'

/** A table of `secrets`: its rows allocate ids. `is_pending` in it: the row's event was not looked up yet. */
export interface SecretRows<Row extends object> extends InertRows {
  /** The rows of these ids, deleted ones too. */
  readonly byIds: (ids: readonly number[]) => Promise<readonly Row[]>
  /** Rows of this condition that were not touched for a while, oldest first, at most `limit`. */
  readonly untouched: (
    where: FragmentSqlToken,
    seconds: number,
    limit: number,
  ) => Promise<readonly number[]>
}

/** `columns` are those of `row`, `cleared` the assignments that erase a row's secrets. */
export function secretRows<Row extends object>(
  db: CommonQueryMethods,
  clock: Pick<Clock, 'now'>,
  of: {
    readonly table: FragmentSqlToken
    readonly columns: FragmentSqlToken
    readonly row: z.ZodType<Row>
    readonly cleared: FragmentSqlToken
  },
): SecretRows<Row> {
  const { table, columns, row, cleared } = of
  const untouched: SecretRows<Row>['untouched'] = (where, seconds, limit) =>
    db.anyFirst(sql.type(z.object({ id: z.number() }))`
      select id from ${table}
      where ${where} and touched_at < now() - make_interval(secs => ${seconds})
      order by touched_at limit ${limit}`)
  return {
    byIds: (ids) =>
      db.any(sql.type(row)`
        select ${columns} from ${table} where id = any(${sql.array(ids, 'int8')})`),
    untouched,
    unsettled: (seconds, limit) => untouched(sql.fragment`is_pending`, seconds, limit),
    async settle(id) {
      await db.query(sql.type(noRow)`update ${table} set is_pending = false where id = ${id}`)
    },
    async erase(id) {
      await db.query(sql.type(noRow)`
        update ${table} set ${cleared}, is_pending = false,
          deleted_at = coalesce(deleted_at, ${timestamp(clock.now())})
        where id = ${id}`)
    },
  }
}
