import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  LOG_START,
  type NewEvent,
  type Position,
  type RecordedEvent,
} from '@tollgate/domain/event.ts'
import {
  EMPTY_STREAM,
  RevisionConflict,
  StoreUnavailable,
  type AppendedEvents,
  type StreamFilter,
  type StreamHead,
} from '@tollgate/domain/ports/event-store.ts'
import type { AuditableEventStore } from '@tollgate/infra/event-store/auditable-store.ts'
import { verifyStream } from '@tollgate/infra/event-store/chain.ts'
import { InvalidAppend } from '@tollgate/infra/event-store/invalid-append.ts'
import { untilQuiet } from '../support/until-quiet.ts'
import { amountOf, collect, newEvent, newEvents, takeUntil } from './events.ts'
import {
  type ContractServer,
  eventStoreDbServer,
  followerServer,
  postgresServer,
} from './servers.ts'

/**
 * The contract of every event store, whichever engine is behind it. The log may hold other events (a shared server), so
 * each run names its streams by a prefix of its own and starts at the position where it found the log.
 */
describe.each([
  { engine: 'PostgreSQL', start: postgresServer },
  { engine: 'EventStoreDB', start: eventStoreDbServer },
  {
    engine: 'EventStoreDB, at a node that is behind',
    start: followerServer,
  },
])('the event store contract on $engine', ({ start }) => {
  let server: ContractServer
  let store: AuditableEventStore
  let beginning: Position
  const opened: AuditableEventStore[] = []
  const run = crypto.randomUUID().slice(0, 8)
  let streams = 0

  const newStream = (): string => `contract${run}-${(streams += 1)}`
  const own: StreamFilter = { streamPrefixes: [`contract${run}-`] }

  function openAnother(): AuditableEventStore {
    const another = server.openStore()
    opened.push(another)
    return another
  }

  async function amountsIn(stream: string): Promise<number[]> {
    return (await collect(store.readStream(stream))).map(amountOf)
  }

  /** Appends as the owner of a stream does: the same call again until its outcome is known. */
  async function appendUntilKnown(
    stream: string,
    events: readonly NewEvent[],
    expected: StreamHead,
  ): Promise<AppendedEvents> {
    const giveUpAt = performance.now() + 30_000
    for (;;) {
      try {
        return await store.append(stream, events, expected)
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || performance.now() > giveUpAt) throw error
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }

  beforeAll(async () => {
    server = await start()
    store = openAnother()
    process.stdout.write(`event store contract: ${await store.describe()} (${server.origin})\n`)
  })
  beforeEach(async () => {
    beginning = await store.headPosition()
  })
  afterEach(() => server.door.resume())
  afterAll(async () => {
    await Promise.all(opened.map((one) => one.close()))
    await server.stop()
  })

  describe('appending', () => {
    test('given no stream, when events are appended, then they read back as they were, in order', async () => {
      const stream = newStream()
      const events = newEvents(3)
      const appended = await store.append(stream, events, EMPTY_STREAM)
      const stored = await collect(store.readStream(stream))

      expect(stored.map(({ id, type, data }) => ({ id, type, data }))).toEqual(
        events.map(({ id, type, data }) => ({ id, type, data })),
      )
      expect(stored.map((event) => event.revision)).toEqual([0, 1, 2])
      expect(stored.every((event) => event.stream === stream)).toBe(true)
      const last = stored.at(-1)
      expect(appended).toEqual({
        head: { revision: 2, hash: last?.metadata.hash },
        position: last?.position,
      })
      expect(last?.metadata).toMatchObject(events[2]?.metadata ?? {})
      expect(Math.abs((last?.recordedAt ?? 0) - Date.now())).toBeLessThan(60_000)
      expect(await store.headPosition()).toBe(appended.position)
    })

    test('given events, when the newest at a position is asked for, then it is there or the last before', async () => {
      const stream = newStream()
      const appended = await store.append(stream, newEvents(3), EMPTY_STREAM)
      const stored = await collect(store.readStream(stream))
      for (const event of stored) expect(await store.newestAt(event.position)).toEqual(event)
      const other = await store.append(newStream(), newEvents(1), EMPTY_STREAM)
      expect((await store.newestAt(appended.position))?.metadata.hash).toBe(appended.head.hash)
      expect((await store.newestAt(other.position))?.metadata.hash).toBe(other.head.hash)
    })

    test('given the answered head, when appending behind it, then positions grow and the chain is whole', async () => {
      const stream = newStream()
      let appended = await store.append(stream, newEvents(2), EMPTY_STREAM)
      for (let round = 0; round < 5; round += 1) {
        const next = await store.append(stream, newEvents(2), appended.head)
        expect(next.position).toBeGreaterThan(appended.position)
        appended = next
      }
      expect(appended.head.revision).toBe(11)
      expect(await verifyStream(store.readStoredStream(stream))).toEqual({
        events: 12,
        head: appended.head,
        firstBreak: null,
      })
    })

    test('given texts of every kind, when appended, then not a byte changes', async () => {
      const stream = newStream()
      const data = {
        text: '充值 "quoted" \\ \u0000 \u001f \u2028 😀 \ud800',
        numbers: [0, -1, 1e21, 1e-7, 0.1, Number.MAX_SAFE_INTEGER],
        nested: {
          empty: {},
          list: [null, true, [[]]],
          '10': 'ten',
          a: 1,
          '2': 'two',
          __proto: 'x',
        },
      }
      await store.append(stream, [newEvent(1, data)], EMPTY_STREAM)
      const [event] = await collect(store.readStream(stream))
      expect(event?.data).toEqual({ at: 1_700_000_000_000, amount: 1, ...data })
      expect((await verifyStream(store.readStoredStream(stream))).firstBreak).toBeNull()
    })

    test('given an event near 1 MiB, when appended, then it is stored; above, it is refused before it is sent', async () => {
      const stream = newStream()
      const { head } = await store.append(
        stream,
        [newEvent(1, { text: 'x'.repeat(1024 * 1024 - 1_000) })],
        EMPTY_STREAM,
      )
      await expect(
        store.append(stream, [newEvent(2, { text: 'x'.repeat(1024 * 1024) })], head),
      ).rejects.toThrow(InvalidAppend)
      expect(await amountsIn(stream)).toEqual([1])
    })
  })

  describe('conflicts', () => {
    test('given a stream elsewhere than expected, when appending, then it fails, tells where, stores nothing', async () => {
      const stream = newStream()
      const { head } = await store.append(stream, newEvents(3), EMPTY_STREAM)
      const behind = { revision: 0, hash: 'a'.repeat(64) }
      const ahead = { revision: 7, hash: 'a'.repeat(64) }

      for (const expected of [EMPTY_STREAM, behind, ahead]) {
        const failure: unknown = await store
          .append(stream, newEvents(1), expected)
          .catch((e: unknown) => e)
        expect(failure).toBeInstanceOf(RevisionConflict)
        expect(failure).toMatchObject({
          stream,
          expected: expected.revision,
          actual: head.revision,
        })
      }
      expect(await amountsIn(stream)).toEqual([0, 1, 2])
    })

    test('given no stream, when appending behind an event, then it is a conflict', async () => {
      const expected = { revision: 0, hash: 'a'.repeat(64) }
      await expect(store.append(newStream(), newEvents(1), expected)).rejects.toMatchObject({
        code: 'REVISION_CONFLICT',
        actual: -1,
      })
    })

    test('given twenty writers at one place, when all append at once, then exactly one wins', async () => {
      const stream = newStream()
      const another = openAnother()
      const attempts = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? store : another).append(stream, [newEvent(index)], EMPTY_STREAM),
        ),
      )
      const winners = attempts.flatMap((one, index) => (one.status === 'fulfilled' ? [index] : []))
      expect(winners.length).toBe(1)
      expect(await amountsIn(stream)).toEqual(winners)
      for (const one of attempts) {
        if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(RevisionConflict)
      }
    })
  })

  describe('repeats', () => {
    test('given a stored append, when the same comes again, also later, then it succeeds with its old place', async () => {
      const stream = newStream()
      const events = newEvents(2)
      const first = await store.append(stream, events, EMPTY_STREAM)
      expect(await store.append(stream, events, EMPTY_STREAM)).toEqual(first)
      await store.append(stream, [newEvent(2)], first.head)
      expect(await store.append(stream, events, EMPTY_STREAM)).toEqual(first)
      expect(await openAnother().append(stream, events, EMPTY_STREAM)).toEqual(first)
      expect(await amountsIn(stream)).toEqual([0, 1, 2])
    })

    test('given stored events, when anything else comes for their place, then it is a conflict', async () => {
      const stream = newStream()
      const [first, second] = [newEvent(0), newEvent(1)]
      await store.append(stream, [first, second], EMPTY_STREAM)
      const others: NewEvent[][] = [
        [second, first],
        [first, second, newEvent(2)],
        [newEvent(0), newEvent(1)],
        [first, { ...second, data: { ...second.data, amount: 9 } as NewEvent['data'] }],
        [{ ...first, metadata: { ...first.metadata, actor: 'user:2' } }, second],
      ]
      for (const events of others) {
        await expect(store.append(stream, events, EMPTY_STREAM)).rejects.toThrow(RevisionConflict)
      }
      expect(await amountsIn(stream)).toEqual([0, 1])
    })
  })

  describe('unknown outcomes', () => {
    test('given a server that stores and does not answer, when the call is repeated, then there is one copy', async () => {
      const stream = newStream()
      const before = await store.append(stream, [newEvent(0)], EMPTY_STREAM)
      const events = [newEvent(1), newEvent(2)]
      server.door.holdReplies()
      await expect(store.append(stream, events, before.head)).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        outcome: 'unknown',
      })
      await server.door.shut()
      await server.door.open()

      const appended = await appendUntilKnown(stream, events, before.head)
      expect(appended.head.revision).toBe(2)
      expect(await amountsIn(stream)).toEqual([0, 1, 2])
      expect((await verifyStream(store.readStoredStream(stream))).firstBreak).toBeNull()
    })

    test('given a deaf server, when the call is repeated after it is back, then there is one copy', async () => {
      const stream = newStream()
      const before = await store.append(stream, [newEvent(0)], EMPTY_STREAM)
      server.door.pause()
      const events = [newEvent(1)]
      await expect(store.append(stream, events, before.head)).rejects.toBeInstanceOf(
        StoreUnavailable,
      )
      server.door.resume()
      const appended = await appendUntilKnown(stream, events, before.head)
      expect(appended.head.revision).toBe(1)
      expect(await amountsIn(stream)).toEqual([0, 1])
    })

    test('given no server, when appending and reading, then both fail as unavailable and recover', async () => {
      const stream = newStream()
      const before = await store.append(stream, [newEvent(0)], EMPTY_STREAM)
      await server.door.shut()
      await expect(store.append(stream, [newEvent(1)], before.head)).rejects.toBeInstanceOf(
        StoreUnavailable,
      )
      await expect(collect(store.readStream(stream))).rejects.toBeInstanceOf(StoreUnavailable)
      await expect(store.headPosition()).rejects.toBeInstanceOf(StoreUnavailable)
      await server.door.open()
      await appendUntilKnown(stream, [newEvent(2)], before.head)
      expect(await amountsIn(stream)).toEqual([0, 2])
    })

    test('given hundreds of appends under way, when the connection breaks, then each can become one copy', async () => {
      const names = Array.from({ length: 200 }, newStream)
      const events = names.map((_, index) => [newEvent(index, { text: 'x'.repeat(5_000) })])
      const attempts = names.map((name, index) =>
        appendUntilKnown(name, events[index] ?? [], EMPTY_STREAM),
      )
      await attempts[0]
      await server.door.shut()
      await server.door.open()
      const appended = await Promise.all(attempts)
      expect(appended.every((one) => one.head.revision === 0)).toBe(true)
      const stored = await store.readAll(beginning, own, 1_000)
      expect(stored.map(amountOf).toSorted((a, b) => a - b)).toEqual(names.map((_, index) => index))
    })
  })

  describe('many at once', () => {
    test('given many streams, when all are written at once, then every event is there once, in order', async () => {
      const names = Array.from({ length: 50 }, newStream)
      await Promise.all(
        names.map(async (name, index) => {
          let head = EMPTY_STREAM
          for (let round = 0; round < 10; round += 1) {
            ;({ head } = await store.append(name, [newEvent(index), newEvent(index)], head))
          }
        }),
      )
      const events = await store.readAll(beginning, own, 5_000)
      expect(events.length).toBe(1_000)
      for (let at = 1; at < events.length; at += 1) {
        expect(events[at]?.position ?? 0).toBeGreaterThan(events[at - 1]?.position ?? 0)
      }
      for (const name of names) {
        const revisions = events
          .filter((event) => event.stream === name)
          .map((event) => event.revision)
        expect(revisions).toEqual(Array.from({ length: 20 }, (_, index) => index))
      }
    })

    test('given good, repeated, conflicting and invalid appends, when settled, then each has its outcome', async () => {
      const [fresh, repeated, conflicting, invalid] = [
        newStream(),
        newStream(),
        newStream(),
        newStream(),
      ]
      const events = newEvents(1)
      const before = await store.append(repeated, events, EMPTY_STREAM)
      await store.append(conflicting, newEvents(2), EMPTY_STREAM)

      const outcomes = await Promise.allSettled([
        store.append(fresh, newEvents(1), EMPTY_STREAM),
        store.append(repeated, events, EMPTY_STREAM),
        store.append(conflicting, newEvents(1), EMPTY_STREAM),
        store.append(invalid, [newEvent(1, { big: 1n })], EMPTY_STREAM),
        store.append(newStream(), newEvents(3), EMPTY_STREAM),
      ])
      expect(outcomes).toMatchObject([
        { status: 'fulfilled', value: { head: { revision: 0 } } },
        { status: 'fulfilled', value: before },
        { status: 'rejected', reason: { code: 'REVISION_CONFLICT', actual: 1 } },
        { status: 'rejected', reason: { code: 'INVALID_APPEND' } },
        { status: 'fulfilled', value: { head: { revision: 2 } } },
      ])
      expect(await amountsIn(invalid)).toEqual([])
    })
  })

  describe('reading a stream', () => {
    const COUNT = 1_250
    let long: string
    beforeAll(async () => {
      long = newStream()
      let head = EMPTY_STREAM
      const events = newEvents(COUNT)
      for (let at = 0; at < COUNT; at += 250) {
        ;({ head } = await store.append(long, events.slice(at, at + 250), head))
      }
    })
    const range = (from: number, to: number): number[] =>
      Array.from({ length: Math.abs(to - from) }, (_, index) =>
        from < to ? from + index : from - index,
      )

    test('given a long stream, when read whole in either direction, then nothing is missing or doubled', async () => {
      expect(await amountsIn(long)).toEqual(range(0, COUNT))
      const backwards = await collect(store.readStream(long, { direction: 'backwards' }))
      expect(backwards.map(amountOf)).toEqual(range(COUNT - 1, -1))
    })

    test('given a start and a limit, when read, then the start is included and the limit kept', async () => {
      const read = async (
        options: Parameters<AuditableEventStore['readStream']>[1],
      ): Promise<number[]> => (await collect(store.readStream(long, options))).map(amountOf)
      expect(await read({ from: 1_000, limit: 3 })).toEqual([1_000, 1_001, 1_002])
      expect(await read({ from: 1_248 })).toEqual([1_248, 1_249])
      expect(await read({ from: 2_000 })).toEqual([])
      expect(await read({ from: 2, direction: 'backwards' })).toEqual([2, 1, 0])
      expect(await read({ direction: 'backwards', limit: 2 })).toEqual([1_249, 1_248])
      expect(await read({ from: 5_000, direction: 'backwards', limit: 1 })).toEqual([1_249])
      expect(await read({ limit: 101 })).toEqual(range(0, 101))
    })

    test('given a reader that stops early, when it is done, then the store goes on working', async () => {
      let newest: RecordedEvent | undefined
      for await (const event of store.readStream(long, { direction: 'backwards' })) {
        newest = event
        break
      }
      expect(newest?.revision).toBe(COUNT - 1)
      expect(await amountsIn(newStream())).toEqual([])
    })

    test('given arguments that make no sense, when reading, then they are refused', async () => {
      await expect(collect(store.readStream(long, { from: -1 }))).rejects.toThrow(RangeError)
      await expect(collect(store.readStream(long, { from: 0.5 }))).rejects.toThrow(RangeError)
      await expect(collect(store.readStream(long, { limit: 0 }))).rejects.toThrow(RangeError)
      await expect(store.readAll(-2, 'all', 1)).rejects.toThrow(RangeError)
      await expect(store.readAll(LOG_START, 'all', 0)).rejects.toThrow(RangeError)
    })
  })

  describe('reading the log', () => {
    test('given several streams, when read in pages, at once or filtered, then events keep one order', async () => {
      const [a, b] = [`contract${run}-red${newStream()}`, `contract${run}-blue${newStream()}`]
      let [headA, headB] = [EMPTY_STREAM, EMPTY_STREAM]
      for (let round = 0; round < 6; round += 1) {
        headA = (await store.append(a, [newEvent(round)], headA)).head
        headB = (await store.append(b, [newEvent(100 + round)], headB)).head
      }
      const all = await store.readAll(beginning, own, 100)
      expect(all.map(amountOf)).toEqual([0, 100, 1, 101, 2, 102, 3, 103, 4, 104, 5, 105])
      const paged: RecordedEvent[] = []
      for (let after = beginning; ;) {
        const page = await store.readAll(after, own, 5)
        paged.push(...page)
        after = page.at(-1)?.position ?? after
        if (page.length < 5) break
      }
      expect(paged).toEqual(all)
      const red = await store.readAll(beginning, { streamPrefixes: [`contract${run}-red`] }, 4)
      expect(red.map(amountOf)).toEqual([0, 1, 2, 3])
      const both = { streamPrefixes: [`contract${run}-red`, `contract${run}-blue`] }
      expect(await store.readAll(beginning, both, 100)).toEqual(all)
      const none = { streamPrefixes: [`contract${run}-red`], exceptTypes: ['Counted'] }
      expect(await store.readAll(beginning, none, 5)).toEqual([])
      expect(await store.readAll(beginning, { ...none, exceptTypes: ['QuotaHeld'] }, 4)).toEqual(
        red,
      )
      expect(await store.readAll(beginning, { streamPrefixes: ['nothing-'] }, 5)).toEqual([])
      expect(await store.readAll(all.at(-1)?.position ?? 0, own, 5)).toEqual([])
    })

    /** Goes through the log from where this test found it, page by page; asks again for a page that fails. */
    async function* walk(
      read: (after: Position, limit: number) => Promise<readonly StoredPlace[]>,
      pageEvents: number,
    ): AsyncGenerator<readonly StoredPlace[], void, undefined> {
      const giveUpAt = performance.now() + 30_000
      for (let after = beginning; ;) {
        const page = await read(after, pageEvents).catch((error: unknown) => {
          if (!(error instanceof StoreUnavailable) || performance.now() > giveUpAt) throw error
          return null
        })
        if (page === null) continue
        yield page
        after = page.at(-1)?.position ?? after
        if (page.length < pageEvents) return
      }
    }

    type StoredPlace = Pick<RecordedEvent, 'stream' | 'revision' | 'position'>

    const KILOBYTE = 1_024
    /** Appends so many events of so many bytes to a new stream. */
    async function fill(count: number, bytes: number): Promise<string> {
      const stream = newStream()
      const text = 'x'.repeat(bytes)
      const atOnce = Math.max(1, Math.floor((800 * KILOBYTE) / bytes))
      let head = EMPTY_STREAM
      for (let amount = 0; amount < count; amount += atOnce) {
        const events = Array.from({ length: Math.min(atOnce, count - amount) }, (_, index) =>
          newEvent(amount + index, { text }),
        )
        ;({ head } = await store.append(stream, events, head))
      }
      return stream
    }

    const READS = {
      readAll: (after: Position, limit: number) => store.readAll(after, own, limit),
      readBare: async (after: Position, limit: number) =>
        (await store.readBare?.(after, { ...own, types: ['Counted'] }, limit)) ??
        expect.unreachable('both engines spare what read models do not need'),
      readStoredLog: (after: Position, limit: number) => store.readStoredLog(after, limit),
    } as const

    test.each(Object.keys(READS) as (keyof typeof READS)[])(
      'given a walk by %s, when the connection breaks, then it goes on without a gap or a repetition',
      async (read) => {
        const count = 1_500
        const stream = await fill(count, 4 * KILOBYTE)
        const seen: number[] = []
        let pages = 0
        const breakConnection = async (): Promise<void> => {
          await server.door.shut()
          await server.door.open()
        }
        const breaking: Promise<void>[] = []
        for await (const page of walk(READS[read], 200)) {
          seen.push(...page.filter((event) => event.stream === stream).map((one) => one.revision))
          pages += 1
          if (pages === 2) await breakConnection()
          // While the next page is on its way.
          if (pages === 4) setImmediate(() => breaking.push(breakConnection()))
        }
        await Promise.all(breaking)
        expect(seen).toEqual(Array.from({ length: count }, (_, revision) => revision))
      },
    )

    test('given a log, when read backwards and at positions, then it has the stored events, newest first', async () => {
      const stream = newStream()
      await store.append(stream, newEvents(25), EMPTY_STREAM)
      const stored = (await store.readStoredLog(beginning, 1_000)).filter(
        (event) => event.stream === stream,
      )
      const backwards = [...(await store.readStoredLogBackwards(null, 10))]
      backwards.push(
        ...(await store.readStoredLogBackwards(backwards.at(-1)?.position ?? null, 15)),
      )
      expect(backwards).toEqual(stored.toReversed())
      const [, , third] = stored
      expect(await store.readStoredAt(third?.position ?? LOG_START)).toEqual(third)
      expect(
        await collect(
          store.readStoredStream(stream, { direction: 'backwards', from: 20, limit: 3 }),
        ),
      ).toEqual([stored[20], stored[19], stored[18]])
    })

    test('given a walk at the end, when more was appended since, then that is in the next page', async () => {
      const stream = newStream()
      const { head } = await store.append(stream, newEvents(300), EMPTY_STREAM)
      const first = await store.readAll(beginning, own, 300)
      await store.append(stream, [newEvent(300)], head)
      const next = await store.readAll(first.at(-1)?.position ?? LOG_START, own, 300)
      expect([...first, ...next].map(amountOf)).toEqual(
        Array.from({ length: 301 }, (_, amount) => amount),
      )
    })

    test('given a consumer that rests, when much more is there, then the server is slowed and all comes', async () => {
      const [count, bytes] = [600, 80 * KILOBYTE]
      const stream = await fill(count, bytes)
      const before = server.door.repliedBytes()
      const revisions: number[] = []
      for await (const page of walk(READS.readStoredLog, 100)) {
        if (revisions.length === 0) {
          await untilQuiet(() => server.door.repliedBytes())
          // The page, and what may wait in the store, in gRPC and in the sockets of both sides.
          const fetched = server.door.repliedBytes() - before
          expect(fetched).toBeGreaterThanOrEqual(100 * bytes)
          expect(fetched).toBeLessThan((count * bytes) / 2)
        }
        revisions.push(...page.filter((one) => one.stream === stream).map((one) => one.revision))
      }
      expect(revisions).toEqual(Array.from({ length: count }, (_, revision) => revision))
    })

    test('given the whole log, when read from its start, then no event of the server itself is in it', async () => {
      await store.append(newStream(), newEvents(1), EMPTY_STREAM)
      const events = await store.readAll(LOG_START, 'all', 100)
      expect(events.length).toBeGreaterThan(0)
      expect(
        events.some((event) => event.stream.startsWith('$') || event.type.startsWith('$')),
      ).toBe(false)
    })
  })

  describe('following the log', () => {
    test('given events before and after, when following, then all come once, and it tells when caught up', async () => {
      const stream = newStream()
      let { head } = await store.append(stream, newEvents(1_200), EMPTY_STREAM)
      const stop = new AbortController()
      let isCaughtUp = false
      const seen: number[] = []
      for await (const batch of store.subscribeAll(beginning, own, stop.signal)) {
        expect(batch.events.length).toBeLessThanOrEqual(1_000)
        seen.push(...batch.events.map(amountOf))
        const last = batch.events.at(-1)?.position
        if (last !== undefined) expect(batch.position).toBeGreaterThanOrEqual(last)
        if (batch.caughtUp && !isCaughtUp) {
          isCaughtUp = true
          expect(seen.length).toBe(1_200)
          ;({ head } = await store.append(stream, [newEvent(1_200)], head))
        }
        if (seen.length === 1_201) stop.abort()
      }
      expect(seen).toEqual(Array.from({ length: 1_201 }, (_, index) => index))
    })

    test('given events that the filter keeps back, when following, then the position moves past them', async () => {
      const wanted: StreamFilter = {
        streamPrefixes: [`contract${run}-wanted`],
        exceptTypes: ['HoldExtended'],
      }
      const stop = new AbortController()
      const events = [newEvent(7), { ...newEvent(8), type: 'HoldExtended' }]
      await store.append(`contract${run}-wanted${newStream()}`, events, EMPTY_STREAM)
      let target: Position | null = null
      const seen: number[] = []
      for await (const batch of store.subscribeAll(beginning, wanted, stop.signal)) {
        seen.push(...batch.events.map(amountOf))
        if (target !== null && batch.position >= target) stop.abort()
        if (batch.caughtUp && target === null) {
          target = (await store.append(newStream(), newEvents(2), EMPTY_STREAM)).position
        }
      }
      expect(seen).toEqual([7])
    })

    test('given a filter without matches, when following from the start, then it catches up and goes on', async () => {
      const wanted: StreamFilter = { streamPrefixes: [`contract${run}-never`] }
      await store.append(newStream(), newEvents(3), EMPTY_STREAM)
      const stop = new AbortController()
      const seen: number[] = []
      let isCaughtUp = false
      for await (const batch of store.subscribeAll(-1, wanted, stop.signal)) {
        seen.push(...batch.events.map(amountOf))
        if (seen.length > 0) stop.abort()
        if (batch.caughtUp && !isCaughtUp) {
          isCaughtUp = true
          await store.append(`contract${run}-never-1`, [newEvent(9)], EMPTY_STREAM)
        }
      }
      expect(seen).toEqual([9])
    })

    test('given nothing new, when the follower is aborted, then it ends', async () => {
      const stop = new AbortController()
      const batches = store.subscribeAll(await store.headPosition(), own, stop.signal)
      const ended = collect(batches)
      stop.abort()
      expect(await ended).toEqual([])
      const late = new AbortController()
      let batchesSeen = 0
      for await (const batch of store.subscribeAll(await store.headPosition(), own, late.signal)) {
        batchesSeen += 1
        if (batch.caughtUp) late.abort()
      }
      expect(batchesSeen).toBeGreaterThan(0)
    })

    test('given another process that appends, when following, then its events come at once', async () => {
      const another = openAnother()
      const stop = new AbortController()
      const stream = newStream()
      let appendedAt = 0
      for await (const batch of store.subscribeAll(beginning, own, stop.signal)) {
        if (batch.events.length > 0) break
        if (batch.caughtUp && appendedAt === 0) {
          appendedAt = performance.now()
          await another.append(stream, newEvents(1), EMPTY_STREAM)
        }
      }
      stop.abort()
      expect(performance.now() - appendedAt).toBeLessThan(2_000)
    })

    test('given a connection that breaks again and again, when following, then nothing is lost or doubled', async () => {
      const follower = openAnother()
      const stream = newStream()
      const stop = new AbortController()
      const following = takeUntil(
        follower.subscribeAll(beginning, own, stop.signal),
        (events) => events.length >= 60,
      )
      let head = EMPTY_STREAM
      for (let amount = 0; amount < 60; amount += 1) {
        ;({ head } = await appendUntilKnown(stream, [newEvent(amount)], head))
        if (amount % 15 === 7) {
          await server.door.shut()
          await server.door.open()
        }
      }
      const events = await following
      stop.abort()
      expect(events.map(amountOf)).toEqual(Array.from({ length: 60 }, (_, index) => index))
    })

    test('given followers at several places, when events come, then each gets just those after its place', async () => {
      const stream = newStream()
      await store.append(stream, newEvents(10), EMPTY_STREAM)
      const all = await store.readAll(beginning, own, 10)
      const middle = all[4]?.position ?? LOG_START
      const stop = new AbortController()
      const [first, second] = await Promise.all([
        takeUntil(store.subscribeAll(beginning, own, stop.signal), (events) => events.length >= 10),
        takeUntil(store.subscribeAll(middle, 'all', stop.signal), (events) => events.length >= 5),
      ])
      stop.abort()
      expect(first).toEqual(all)
      expect(second).toEqual(all.slice(5))
    })
  })

  describe('what no store may keep', () => {
    test.each<[string, () => NewEvent[]]>([
      ['a bigint', () => [newEvent(1, { big: 1n })]],
      ['undefined', () => [newEvent(1, { nothing: undefined })]],
      ['NaN', () => [newEvent(Number.NaN)]],
      ['an id that is no UUID', () => [{ ...newEvent(1), id: 'abc' }]],
      ['a type of the server', () => [{ ...newEvent(1), type: '$metadata' }]],
      ['nothing at all', () => []],
    ])(
      'given %s, when appended, then it is refused, nothing is stored and the store goes on',
      async (_, events) => {
        const stream = newStream()
        await expect(store.append(stream, events(), EMPTY_STREAM)).rejects.toThrow(InvalidAppend)
        await store.append(stream, [newEvent(5)], EMPTY_STREAM)
        expect(await amountsIn(stream)).toEqual([5])
      },
    )
  })
})
