import { type NatsServer, startNatsServer } from '@tollgate/tests/support/engines/nats-server.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openLink, openStream, PARTITION, report } from '@tollgate/tests/support/bus-under-test.ts'
import { type Redelivery, redeliverRefused } from './refused-charges.ts'
import { REFUSED_STREAM, usageSubject } from './subjects.ts'
import { consumeUsage } from './usage-consumer.ts'
import { natsUsageJournal } from './usage-journal.ts'

let server: NatsServer
const endings: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  server = await startNatsServer()
})
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
  await server.dispose()
})

test('given NATS asked whether it stores, when it does, then one message stays; when away, then it fails', async () => {
  const link = await openLink(server.url)
  endings.push(() => link.close())
  const stream = await openStream(link)
  for (let time = 0; time < 5; time++) await stream.proveWrite()
  expect((await stream.manager.streams.info('TOLLGATE_PROBE')).state.messages).toBe(1)
  await server.stop()
  await expect(stream.proveWrite()).rejects.toBeInstanceOf(Error)
  await server.start()
})

test('given refused charges and an invalid message, when redelivered, then only the charges are taken', async () => {
  const link = await openLink(server.url)
  endings.push(() => link.close())
  const stream = await openStream(link)
  let isMended = false
  const taken: number[] = []
  const consumer = consumeUsage({
    stream,
    partition: PARTITION,
    async take({ sequence }) {
      if (!isMended) throw Object.assign(new Error('a fault'), { retryable: false })
      await Promise.resolve()
      taken.push(sequence)
    },
  })
  endings.push(() => consumer.stop())
  const refused = async () => (await stream.manager.streams.info(REFUSED_STREAM)).state.messages
  const journal = natsUsageJournal(stream)
  await Promise.all([1, 2, 3].map((sequence) => journal.publish(report(sequence))))
  await link.client.jetstream().publish(usageSubject(report(1).account), 'no charge')
  await until('all are refused', async () => (await refused()) === 4)

  // Within the two minutes in which JetStream remembers the ids of the first copies.
  isMended = true
  const outcomes: Redelivery['status'][] = []
  for await (const { status } of redeliverRefused(stream)) outcomes.push(status)
  expect(outcomes.toSorted()).toEqual(['published', 'published', 'published', 'unreadable'])
  await until('all are taken', () => taken.length === 3)
  expect(new Set(taken)).toEqual(new Set([1, 2, 3]))
  expect(await refused()).toBe(1)
})
