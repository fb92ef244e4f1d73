import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import { readFailure } from '../event-store/postgres/failures.ts'

/** A read for somebody who asks; what would succeed later fails with StoreUnavailable, which is answered with 503. */
export async function reading<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    throw isTransient(error) ? readFailure(error) : error
  }
}
