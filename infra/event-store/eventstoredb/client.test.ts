import { UnavailableError } from '@eventstore/db-client'
import { type Channel, connectivityState } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import { connect, disconnect } from './client.ts'

test('given calls that fail without a leader, when the client connects anew, then only the calls fail', async () => {
  const { internals } = connect('esdb://127.0.0.1:1,127.0.0.1:2?tls=false&maxDiscoverAttempts=1')
  const looking = internals.getChannel().catch(String)
  const failed = new UnavailableError(undefined, 'gone')
  // The client does not wait for it: a rejection would end the process.
  await expect(internals.handleError({ getChannel: () => null }, failed)).resolves.toBeUndefined()
  expect(await looking).toMatch(/discover/)
})

test('given many calls that fail at once, when the client connects anew, then one channel is left open', async () => {
  const { internals, client } = connect('esdb://127.0.0.1:1?tls=false')
  const channels: Channel[] = []
  const createChannel = internals.createChannel.bind(internals)
  internals.createChannel = async () => {
    const channel = await createChannel()
    channels.push(channel)
    return channel
  }
  const first = await internals.getChannel()
  const failed = new UnavailableError(undefined, 'gone')
  const handled = Array.from({ length: 20 }, () => {
    queueMicrotask(() => void internals.getChannel())
    return internals.handleError({ getChannel: () => first }, failed)
  })
  await Promise.all(handled)
  await internals.getChannel()
  const open = channels.filter(
    (channel) => channel.getConnectivityState(false) !== connectivityState.SHUTDOWN,
  )
  expect(channels.length).toBeGreaterThan(1)
  expect(open).toHaveLength(1)
  await disconnect({ client, internals })
})
