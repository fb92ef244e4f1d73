import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'

/**
 * Whether a table is there, such as `usage_log.days`: until the copy of the present version is put in place, the tables
 * of the version before are read, which may lack it. Where it is, all of its rows are.
 */
export const hasTable = (reads: CommonQueryMethods, name: string): Promise<boolean> =>
  reads.oneFirst(sql.type(z.object({ there: z.boolean() }))`
    select to_regclass(${name}) is not null as there`)
