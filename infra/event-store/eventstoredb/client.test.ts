import { UnavailableError } from '@eventstore/db-client'
import { expect, test } from 'vitest'
import { connect } from './client.ts'

test('given calls that fail while the leader is looked for in vain, when the client connects anew, then only the calls fail', async () => {
  const { internals } = connect('esdb://127.0.0.1:1,127.0.0.1:2?tls=false&maxDiscoverAttempts=1')
  const looking = internals.getChannel().catch(String)
  const failed = new UnavailableError(undefined, 'gone')
  // The client does not wait for it: a rejection would end the process.
  await expect(internals.handleError({ getChannel: () => null }, failed)).resolves.toBeUndefined()
  expect(await looking).toMatch(/discover/)
})
