import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'

/** The row of a query that counts (`count(*) as count`). */
export const counted = z.object({ count: z.number() })

/** Reads inside a transaction that sees one state of the database throughout, so that all of an answer is of it. */
export const inOneState = <Result>(
  reads: CommonQueryMethods,
  work: (reads: CommonQueryMethods) => Promise<Result>,
): Promise<Result> =>
  reads.transaction(async (transaction) => {
    await transaction.query(sql.unsafe`set transaction isolation level repeatable read, read only`)
    return work(transaction)
  })
