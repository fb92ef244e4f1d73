import { DuplicateMessage, JournalUnavailable } from '@tollgate/domain/ports/usage-journal.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { type NatsServer, startNatsServer } from '@tollgate/tests/support/engines/nats-server.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { AckPolicy, type StreamConfig } from 'nats'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  openLink,
  openStream,
  quietLogger,
  report,
} from '@tollgate/tests/support/bus-under-test.ts'
import { type NatsLink, openNats } from './connection.ts'
import { USAGE_STREAM } from './subjects.ts'
import { natsUsageJournal } from './usage-journal.ts'
import { openUsageStream, UsageStreamInvalid } from './usage-stream.ts'
import { decodeUsage } from './usage-message.ts'
import { MessageInvalid } from './messages.ts'

let server: NatsServer
let link: NatsLink

beforeEach(async () => {
  server = await startNatsServer({ config: 'max_payload: 16384' })
  link = await openLink(server.url)
})
afterEach(async () => {
  await link.close()
  await server.dispose()
})

describe('given the usage stream, when a charge is published,', () => {
  test('then it is stored under its partition and account, once, and others hear of it', async () => {
    const stream = await openStream(link)
    const heard: Uint8Array[] = []
    link.client.subscribe('tollgate.consumption.7.*', {
      callback: (_error, { data }) => heard.push(data),
    })
    const journal = natsUsageJournal(stream)
    await journal.publish(report(1))
    await journal.publish(report(1), true)
    const stored = await stream.manager.streams.getMessage(USAGE_STREAM, { seq: 1 })
    expect(stored.subject).toBe('tollgate.usage.7.7')
    expect(stored.header.get('Nats-Msg-Id')).toBe('7@3/1')
    expect(decodeUsage(stored.data)).toEqual(report(1))
    const { state } = await stream.manager.streams.info(USAGE_STREAM)
    expect(state.messages).toBe(1)
    await until('it was heard of', () => heard.length > 0)
    expect(heard.map((data) => decodeUsage(data))).toEqual([report(1)])
  })

  test('then one that nobody published before, under a name that is taken, is refused for good', async () => {
    const stream = await openStream(link)
    const journal = natsUsageJournal(stream)
    await journal.publish(report(1))
    const another = { ...report(1), amount: quota(7) }
    await expect(journal.publish(another)).rejects.toBeInstanceOf(DuplicateMessage)
    const { state } = await stream.manager.streams.info(USAGE_STREAM)
    expect(state.messages).toBe(1)
  })

  test('then another party can keep what was consumed in a stream of its own', async () => {
    const stream = await openStream(link)
    await stream.manager.streams.add({ name: 'ANALYTICS', subjects: ['tollgate.consumption.>'] })
    await stream.manager.consumers.add('ANALYTICS', {
      durable_name: 'reports',
      ack_policy: AckPolicy.Explicit,
    })
    const journal = natsUsageJournal(stream)
    for (const sequence of [1, 2, 2, 3]) await journal.publish(report(sequence), sequence === 2)
    const consumer = await link.client.jetstream().consumers.get('ANALYTICS', 'reports')
    const seen: number[] = []
    for await (const message of await consumer.fetch({ max_messages: 3, expires: 5_000 })) {
      seen.push(decodeUsage(message.data).sequence)
      message.ack()
    }
    expect(seen).toEqual([1, 2, 3])
  })

  test('then a server that was killed right after the acknowledgement still has it', async () => {
    const stream = await openStream(link)
    await natsUsageJournal(stream).publish(report(1))
    await server.kill()
    await server.start()
    await until('the connection is back', () => link.isConnected())
    await until('the stream is back', async () => {
      const messages = await stream.manager.streams.info(USAGE_STREAM).then(
        ({ state }) => state.messages,
        () => 0,
      )
      return messages === 1
    })
  })

  test('then a full stream refuses it and keeps what it has', async () => {
    const stream = await openStream(link, 4_096)
    const journal = natsUsageJournal(stream)
    const failure = await failureOf(async () => {
      for (let n = 1; n < 100; n++) await journal.publish(report(n))
    })
    expect(failure).toBeInstanceOf(JournalUnavailable)
    expect(String(failure)).toMatch(/maximum bytes/u)
    const { state } = await stream.manager.streams.info(USAGE_STREAM)
    expect(state.first_seq).toBe(1)
    expect(state.messages).toBeGreaterThan(1)
  })

  test('then one beyond the size that NATS takes is refused for good', async () => {
    const stream = await openStream(link)
    const large = { ...report(1), request: { ...report(1).request, model: 'm'.repeat(20_000) } }
    await expect(natsUsageJournal(stream).publish(large)).rejects.toBeInstanceOf(MessageInvalid)
  })

  test('then a broker that is away fails it at once, and one that hangs within its deadline', async () => {
    const journal = natsUsageJournal(await openStream(link))
    await server.pause()
    const before = performance.now()
    await expect(journal.publish(report(1))).rejects.toBeInstanceOf(JournalUnavailable)
    expect(performance.now() - before).toBeLessThan(3_000)
    await server.kill()
    await until('the loss is noticed', () => !link.isConnected())
    const unavailable = performance.now()
    await expect(journal.publish(report(1))).rejects.toBeInstanceOf(JournalUnavailable)
    expect(performance.now() - unavailable).toBeLessThan(100)
  })

  test('then a connection that is lost meanwhile fails it before its deadline', async () => {
    const journal = natsUsageJournal(await openStream(link))
    await server.pause()
    const publishing = failureOf(() => journal.publish(report(1)))
    const before = performance.now()
    await server.kill()
    expect(await publishing).toBeInstanceOf(JournalUnavailable)
    expect(performance.now() - before).toBeLessThan(1_000)
  })

  test('then a stream that is gone is made again', async () => {
    const stream = await openStream(link)
    const journal = natsUsageJournal(stream)
    await stream.manager.streams.delete(USAGE_STREAM)
    await expect(journal.publish(report(1))).rejects.toBeInstanceOf(JournalUnavailable)
    await journal.publish(report(1))
    const { state } = await stream.manager.streams.info(USAGE_STREAM)
    expect(state.messages).toBe(1)
  })
})

describe('given streams with other settings, when the process starts,', () => {
  const config = async (): Promise<StreamConfig> => {
    const manager = await link.client.jetstreamManager()
    return (await manager.streams.info(USAGE_STREAM)).config
  }

  test('then what may be changed is changed, and messages stay', async () => {
    const before = await openStream(link, 1_000_000)
    await natsUsageJournal(before).publish(report(1))
    const after = await openStream(link, 2_000_000)
    expect(await config()).toMatchObject({
      max_bytes: 2_000_000,
      retention: 'workqueue',
      storage: 'file',
      discard: 'new',
      max_age: 0,
      num_replicas: 1,
      duplicate_window: 120_000_000_000,
    })
    const { state } = await after.manager.streams.info(USAGE_STREAM)
    expect(state.messages).toBe(1)
  })

  test('then what cannot be changed is said', async () => {
    const manager = await link.client.jetstreamManager()
    await manager.streams.add({ name: USAGE_STREAM, subjects: ['tollgate.usage.>'] })
    const opening = openStream(link)
    await expect(opening).rejects.toBeInstanceOf(UsageStreamInvalid)
    await expect(opening).rejects.toThrow(/retention is limits, not workqueue/u)
  })

  test('then more replicas than there are servers are refused with what to change', async () => {
    const opening = openUsageStream({ link, replicas: 3, bytesMax: 1_000_000, deployment: 'test' })
    await expect(opening).rejects.toThrow(/3 replicas.*NATS_REPLICAS/u)
  })
})

test('given streams of another Tollgate, when opened, then nobody takes their charges, with the reason', async () => {
  await openStream(link)
  const opening = openUsageStream({
    link,
    replicas: 1,
    bytesMax: 1_000_000,
    deployment: 'somebody-else',
  })
  await expect(opening).rejects.toThrow('carries the charges of another Tollgate')
})

test('given a server without JetStream, when the streams are wanted, then that is said and waited for', async () => {
  await link.close()
  await server.dispose()
  server = await startNatsServer({ jetStream: false })
  const said: object[] = []
  const warn = (details: object): void => void said.push(details)
  link = await openNats({
    url: server.url,
    credsFile: null,
    name: 'test',
    logger: { ...quietLogger, warn },
  })
  const giveUp = new AbortController()
  const opening = openUsageStream(
    { link, replicas: 1, bytesMax: 1_000_000, deployment: 'test' },
    giveUp.signal,
  )
  await until('it was said', () => said.length > 0)
  expect(said).toEqual([{ reason: expect.stringMatching(/NATS has no JetStream/u) }])
  giveUp.abort(new Error('stopping'))
  await expect(opening).rejects.toThrow('stopping')
})

async function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work()
    return null
  } catch (error) {
    return error
  }
}
