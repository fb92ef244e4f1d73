import { setTimeout as pause } from 'node:timers/promises'
import type { UsageJournal, UsageMessage } from '@tollgate/domain/ports/usage-journal.ts'
import { UsagePublisher } from '@tollgate/relay/holds/usage-publisher.ts'
import { type NatsServer, startNatsServer } from '@tollgate/tests/support/engines/nats-server.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../processes/runtime.ts'
import {
  ACCOUNT,
  openLink,
  openStream,
  PARTITION,
  report,
} from '@tollgate/tests/support/bus-under-test.ts'
import type { NatsLink } from './connection.ts'
import type { Refusal } from './refusals.ts'
import { ensureLedgerConsumer } from './ledger-consumer.ts'
import { ledgerConsumer, REFUSED_STREAM, USAGE_STREAM, usageSubject } from './subjects.ts'
import { consumeUsage, type UsageConsumer } from './usage-consumer.ts'
import { natsUsageJournal } from './usage-journal.ts'
import type { UsageStream } from './usage-stream.ts'
import { encodeUsage } from './usage-message.ts'
import { MessageInvalid } from './messages.ts'
import { memorySpool } from '@tollgate/tests/support/memory-spool.ts'

let server: NatsServer
const links: NatsLink[] = []
const consumers: UsageConsumer[] = []
const working: NodeJS.Timeout[] = []

async function openBus(bytesMax?: number): Promise<UsageStream> {
  const link = await openLink(server.url)
  links.push(link)
  return openStream(link, bytesMax)
}

/** A ledger that remembers what it took. */
function consume(
  stream: UsageStream,
  take: (message: UsageMessage) => Promise<void> = () => Promise.resolve(),
  standstillMs?: number,
) {
  const taken: number[] = []
  const refused: Refusal[] = []
  const consumer = consumeUsage({
    stream,
    partition: PARTITION,
    async take(message) {
      await take(message)
      taken.push(message.sequence)
    },
    onRefused: (refusal) => refused.push(refusal),
    lookMs: 500,
    ...(standstillMs === undefined ? {} : { standstillMs }),
  })
  consumers.push(consumer)
  return { taken, refused, consumer }
}

/** As a relay does: the same message until it is stored. */
const publisherOver = (journal: UsageJournal): UsagePublisher =>
  new UsagePublisher({
    journal,
    spool: memorySpool(),
    clock: systemClock,
    onFault: (error, what) => {
      throw new Error(`a fault while ${what}`, { cause: error })
    },
  })

const publishUntilStored = (stream: UsageStream, message: UsageMessage): Promise<void> =>
  publisherOver(natsUsageJournal(stream)).publish(message)

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

const inOrder = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b)

const transient = (message: string): Error => Object.assign(new Error(message), { retryable: true })

beforeEach(async () => {
  server = await startNatsServer()
})
afterEach(async () => {
  for (const timer of working.splice(0)) clearInterval(timer)
  await Promise.all(consumers.splice(0).map((consumer) => consumer.stop()))
  await Promise.all(links.splice(0).map((link) => link.close()))
  await server.dispose()
})

describe('given published charges,', () => {
  test('when a partition is consumed, then each is taken as it was sent and the stream is drained', async () => {
    const stream = await openBus()
    await Promise.all(range(1, 50).map((n) => publishUntilStored(stream, report(n))))
    const messages: UsageMessage[] = []
    const { taken, consumer } = consume(stream, (message) => {
      messages.push(message)
      return Promise.resolve()
    })
    await until('all are taken', () => taken.length === 50)
    await until('the stream is drained', () => consumer.isDrained())
    expect(inOrder(taken)).toEqual(range(1, 50))
    expect(messages.find(({ sequence }) => sequence === 9)).toEqual(report(9))
  })

  test('when the same one is published again, then it is taken once', async () => {
    const stream = await openBus()
    const journal = natsUsageJournal(stream)
    await journal.publish(report(1))
    await journal.publish(report(1), true)
    await journal.publish(report(2))
    const { taken, consumer } = consume(stream)
    await until('the stream is drained', () => consumer.isDrained())
    expect(inOrder(taken)).toEqual([1, 2])
  })

  test('when a take lasts, then others go on and the stream is not drained before it ends', async () => {
    const stream = await openBus()
    const slow = Promise.withResolvers<void>()
    const { taken, consumer } = consume(stream, ({ sequence }) =>
      sequence === 1 ? slow.promise : Promise.resolve(),
    )
    await Promise.all(range(1, 20).map((n) => publishUntilStored(stream, report(n))))
    await until('the others are taken', () => taken.length === 19)
    expect(await consumer.isDrained()).toBe(false)
    slow.resolve()
    await until('the stream is drained', () => consumer.isDrained())
    expect(taken.at(-1)).toBe(1)
  })

  test('when taking fails for a while, then they come again until they are taken', async () => {
    const stream = await openBus()
    let failures = 0
    const { taken, refused, consumer } = consume(stream, ({ sequence }) => {
      if (sequence > 2 || failures >= 4) return Promise.resolve()
      failures += 1
      return Promise.reject(transient('the event log is away'))
    })
    await Promise.all(range(1, 5).map((n) => publishUntilStored(stream, report(n))))
    await until('all are taken', () => taken.length === 5)
    await until('the stream is drained', () => consumer.isDrained())
    expect(failures).toBe(4)
    expect(refused).toEqual([])
  })

  test('when two processes consume the partition, then each message is taken by one of them', async () => {
    const first = consume(await openBus())
    const second = consume(await openBus())
    const stream = await openBus()
    await Promise.all(range(1, 300).map((n) => publishUntilStored(stream, report(n))))
    await until('the stream is drained', () => first.consumer.isDrained())
    expect(inOrder([...first.taken, ...second.taken])).toEqual(range(1, 300))
  })

  test('when one process stops under load, then the next takes the rest, each once', async () => {
    const stream = await openBus()
    const leaving = consume(stream)
    const publishing = Promise.all(
      range(1, 1_000).map((n) => publishUntilStored(stream, report(n))),
    )
    await until('some are taken', () => leaving.taken.length > 50)
    await leaving.consumer.stop()
    const takenBefore = leaving.taken.length
    const { taken, consumer } = consume(await openBus())
    await publishing
    // Messages that the server had sent to the consumer that left come again at the latest when its time to acknowledge
    // is up.
    await until('the stream is drained', () => consumer.isDrained(), 30_000)
    expect(leaving.taken).toHaveLength(takenBefore)
    expect(inOrder([...leaving.taken, ...taken])).toEqual(range(1, 1_000))
  })
})

describe('given a message that NATS believes to be in good hands for ever,', () => {
  /** Another consumer of the partition that was given the first message and says again and again that it works on it. */
  async function heldElsewhere(): Promise<UsageStream> {
    const stream = await openBus()
    const info = await ensureLedgerConsumer(stream.manager, PARTITION, 10)
    await natsUsageJournal(stream).publish(report(1))
    const message = await stream.manager.jetstream().consumers.getPullConsumerFor(info).next()
    if (message === null) throw new Error('nothing was given out')
    working.push(setInterval(() => message.working(), 200))
    return stream
  }

  test('when nothing else waits, then it is taken all the same', async () => {
    const { taken, consumer } = consume(await heldElsewhere(), undefined, 1_500)
    await until('it is taken', () => taken.length === 1)
    await until('the stream is drained', () => consumer.isDrained())
  })

  test('when others come and go all the while, then it is taken all the same', async () => {
    const stream = await heldElsewhere()
    const { taken } = consume(stream, undefined, 1_500)
    const deadline = performance.now() + 20_000
    for (let n = 2; !taken.includes(1) && performance.now() < deadline; n++) {
      await natsUsageJournal(stream).publish(report(n))
    }
    expect(taken).toContain(1)
  })

  test('when it is in our own hands, then its consumer is left alone', async () => {
    const stream = await openBus()
    const isUnderWay = Promise.withResolvers<void>()
    const slow = Promise.withResolvers<void>()
    const { taken } = consume(stream, () => (isUnderWay.resolve(), slow.promise), 500)
    await natsUsageJournal(stream).publish(report(1))
    await isUnderWay.promise
    const consumer = () => stream.manager.consumers.info(USAGE_STREAM, ledgerConsumer(PARTITION))
    const { created } = await consumer()
    // Nothing is to happen, so there is nothing to wait for: several times its patience, and nothing has.
    await pause(2_500)
    expect((await consumer()).created).toBe(created)
    slow.resolve()
    await until('it is taken', () => taken.length === 1)
  })
})

describe('given charges that keep coming,', () => {
  test('when asked whether earlier charges are taken, then the answer is yes while others are under way', async () => {
    const stream = await openBus()
    const waiting: (() => void)[] = []
    const { consumer } = consume(stream, () => new Promise((resolve) => waiting.push(resolve)))
    await natsUsageJournal(stream).publish(report(1))
    await until('the first is under way', () => waiting.length === 1)
    const answer = consumer.isDrained()
    await natsUsageJournal(stream).publish(report(2))
    await until('the second is under way', () => waiting.length === 2)
    waiting[0]?.()
    expect(await answer).toBe(true)
    expect(await consumer.isDrained()).toBe(false)
    waiting[1]?.()
  })
})

describe('given messages that can never be charged, when they come,', () => {
  test('then they are kept with the reason, said aloud, and the others go on', async () => {
    const stream = await openBus()
    const attempts = new Map<number, number>()
    const { taken, refused, consumer } = consume(stream, ({ sequence }) => {
      attempts.set(sequence, (attempts.get(sequence) ?? 0) + 1)
      if (sequence === 2) return Promise.reject(new Error('a bug in the ledger'))
      if (sequence === 3) return Promise.reject(new MessageInvalid('known to be for good'))
      return Promise.resolve()
    })
    const subject = usageSubject(ACCOUNT)
    const jetStream = stream.link.client.jetstream()
    await jetStream.publish(subject, 'no json')
    await jetStream.publish(subject, encodeUsage({ ...report(9), amount: -1 as never }))
    await jetStream.publish(
      `tollgate.usage.${PARTITION}.8`,
      encodeUsage({ ...report(1, 8 as never) }),
    )
    await jetStream.publish(subject, encodeUsage({ ...report(9), hold: '8@3' as never }))
    await Promise.all(range(1, 4).map((n) => publishUntilStored(stream, report(n))))
    await until('the stream is drained', () => consumer.isDrained())
    expect(inOrder(taken)).toEqual([1, 4])
    expect([...attempts].toSorted(([a], [b]) => a - b)).toEqual([
      [1, 1],
      [2, 3],
      [3, 1],
      [4, 1],
    ])
    const reasons = refused.map(({ reason }) => reason).toSorted()
    expect(reasons).toEqual([
      'a bug in the ledger',
      'account 8 belongs to partition 8, not to tollgate.usage.7.8',
      'hold 8@3 is not of account 7',
      'known to be for good',
      'not JSON in UTF-8',
      expect.stringMatching(/^not the message that was expected: amount: /u),
    ])
    const kept = await Promise.all(
      range(1, 6).map((seq) => stream.manager.streams.getMessage(REFUSED_STREAM, { seq })),
    )
    const found = kept.find(({ header }) => header.get('Tollgate-Reason') === 'not JSON in UTF-8')
    expect(found?.string()).toBe('no json')
    expect(found?.header.get('Tollgate-Subject')).toBe(subject)
  })
})

describe('given a broker that goes away,', () => {
  test('when it restarts within seconds while charges are published, then each is taken, none is lost', async () => {
    const stream = await openBus()
    const times = new Map<number, number>()
    const { consumer } = consume(stream, ({ sequence }) => {
      times.set(sequence, (times.get(sequence) ?? 0) + 1)
      return Promise.resolve()
    })
    const journal = natsUsageJournal(stream)
    let failures = 0
    const publisher = publisherOver({
      publish: (message, isRepeated) =>
        journal.publish(message, isRepeated).catch((error: unknown) => {
          failures += 1
          throw error
        }),
    })
    const publishing = range(1, 400).map(async (n) => {
      await until(`it is the turn of ${n}`, () => n < 100 || times.size >= n - 100, 30_000)
      await publisher.publish(report(n))
    })
    await until('some are taken', () => times.size > 60)
    await server.kill()
    await until('the loss is noticed', () => !stream.link.isConnected())
    await server.start()
    await Promise.all(publishing)
    await until('the stream is drained', () => consumer.isDrained(), 30_000)
    // A killed server may forget that it removed a message; such remains must not lie there for ever.
    await until('the stream is empty', async () => {
      const { state } = await stream.manager.streams.info(USAGE_STREAM)
      return state.messages === 0
    })
    expect(inOrder([...times.keys()])).toEqual(range(1, 400))
    expect(failures).toBeGreaterThan(0)
  })

  test('when it has lost its state, then streams and consumers are made again and charges flow', async () => {
    const stream = await openBus()
    const { taken, consumer } = consume(stream)
    await natsUsageJournal(stream).publish(report(1))
    await until('it is taken', () => taken.length === 1)
    await server.kill()
    await server.loseState()
    await server.start()
    await publishUntilStored(stream, report(2))
    await until('it is taken', () => taken.length === 2)
    await until('the stream is drained', () => consumer.isDrained())
  })

  test('when only the stream is removed, then it is made again without a reconnect', async () => {
    const stream = await openBus()
    const { taken } = consume(stream)
    await natsUsageJournal(stream).publish(report(1))
    await until('it is taken', () => taken.length === 1)
    await stream.manager.streams.delete(USAGE_STREAM)
    await publishUntilStored(stream, report(2))
    await until('it is taken', () => taken.length === 2)
  })

  test('when it is asked what waits, then the answer is not that nothing does', async () => {
    const { consumer } = consume(await openBus())
    await until('the stream is drained', () => consumer.isDrained())
    await server.kill()
    expect(await consumer.isDrained()).toBe(false)
  })
})
