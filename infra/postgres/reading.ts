import { isPassing } from '@tollgate/projections/runner/database-failures.ts'
import { readFailure } from '../event-store/postgres/failures.ts'

/** A read for somebody who asks; what would succeed later fails with StoreUnavailable, which is answered with 503. */
export async function reading<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    throw isPassing(error) ? readFailure(error) : error
  }
}
