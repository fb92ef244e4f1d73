import { type CommonQueryMethods, type QuerySqlToken, sql } from 'slonik'
import { z } from 'zod'

/** The row of a statement that answers none. */
export const noRow = z.never()

/** The row of `select exists (…)`. */
export const existence = z.object({ exists: z.boolean() })

/** The row of a query that counts (`count(*) as count`). */
export const counted = z.object({ count: z.number() })

/** Runs a statement and answers how many rows it changed. */
export const changedRows = async (
  db: CommonQueryMethods,
  statement: QuerySqlToken<typeof noRow>,
): Promise<number> => (await db.query(statement)).rowCount

/** A moment, unix milliseconds, as PostgreSQL's timestamptz. */
export const timestamp = (ms: number) => sql.timestamp(new Date(ms))

/** The row of a function that is called for its effect alone. */
export const called = z.object({})
