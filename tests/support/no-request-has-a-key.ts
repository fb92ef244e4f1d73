import type { PostedRequests } from '@tollgate/command-api/idempotency/posted-requests.ts'

/** For servers under test whose calls never send an Idempotency-Key. */
export const NO_REQUEST_HAS_A_KEY: Pick<PostedRequests, 'begin'> = {
  begin: () => Promise.reject(new Error('no request of this test has a key')),
}
