import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { NewEvent } from '@tollgate/domain/event.ts'
import { backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import { LogWatch } from '@tollgate/command-api/timelines/log-watch.ts'
import { ensureTimelines } from '@tollgate/command-api/timelines/timelines.ts'
import { watchedStore } from '@tollgate/command-api/timelines/watched-store.ts'
import { logWriteProbe, storeProbe } from '../../processes/engines/engine-probe.ts'
import { systemClock, systemRandomness } from '../../processes/runtime.ts'
import {
  EMPTY_STREAM,
  StoreUnavailable,
  type StreamHead,
} from '@tollgate/domain/ports/event-store.ts'
import {
  DOUBLE_VERSION,
  startEventStoreDbDouble,
  type EventStoreDbDouble,
} from '@tollgate/tests/support/engines/eventstoredb-double/double.ts'
import type { AuditableEventStore, LogHealth } from '../auditable-store.ts'
import { openEventStoreDb } from './store.ts'

const clock = systemClock
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

let double: EventStoreDbDouble
let store: AuditableEventStore & LogHealth

beforeEach(async () => {
  double = await startEventStoreDbDouble()
  store = openEventStoreDb({
    connectionString: double.connectionString,
    logger: silent,
    clock,
    appendTimeoutMs: 300,
  })
})
afterEach(async () => {
  await store.close()
  await double.close()
})

const newEvent = (amount: number, text = ''): NewEvent => ({
  id: crypto.randomUUID(),
  type: 'Counted',
  data: { at: 1, amount, text } as NewEvent['data'],
  metadata: { actor: 'system', correlationId: 'c', causationId: null, schemaVersion: 1 },
})

async function untilKnown(
  stream: string,
  events: NewEvent[],
  expected: StreamHead,
): Promise<StreamHead> {
  const giveUpAt = performance.now() + 20_000
  for (;;) {
    try {
      return (await store.append(stream, events, expected)).head
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || performance.now() > giveUpAt) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

test('given a log asked for a proof of writing, when read, then no event is added and the answer is known', async () => {
  const { position } = await store.append('account-1', [newEvent(0)], EMPTY_STREAM)
  expect(store.appendProblem()).toBeNull()
  // Another process, which has appended nothing.
  const other = openEventStoreDb({
    connectionString: double.connectionString,
    logger: silent,
    clock,
    appendTimeoutMs: 2_000,
  })
  try {
    for (let time = 0; time < 30; time++) await other.proveWrite()
    expect(double.log.streamOf('tollgate-probe')).toHaveLength(30)
    const [limit, ...more] = double.log.streamOf('$$tollgate-probe')
    expect(Buffer.from(limit?.data ?? []).toString()).toBe('{"$maxCount":1}')
    expect(more).toEqual([])
    expect(await other.headPosition()).toBe(position)
    expect(await other.headPosition()).toBe(position)
    expect(await other.readStoredLog(-1, 100)).toHaveLength(1)
    double.pause()
    await expect(other.append('account-2', [newEvent(1)], EMPTY_STREAM)).rejects.toBeInstanceOf(
      StoreUnavailable,
    )
    expect(other.appendProblem()).toBe('the event log takes no writes')
    double.resume()
  } finally {
    await other.close()
  }
})

describe('another client of the server', () => {
  const json = (value: object): Uint8Array => Buffer.from(JSON.stringify(value))
  const strange = (data: object = { said: 'hello' }, metadata: object = {}) => ({
    id: crypto.randomUUID(),
    type: 'Counted',
    contentType: 'application/json',
    data: json(data),
    metadata: json(metadata),
  })

  test('given its events in two streams, when the log is followed, then only one stream cannot be read', async () => {
    await store.append('account-1', [newEvent(0)], EMPTY_STREAM)
    expect(store.foreignProblem()).toBeNull()
    double.log.append('account-1', 'any', [strange()])
    double.log.append('orders-1', 'any', [strange()])
    const { head } = await store.append('account-2', [newEvent(1)], EMPTY_STREAM)
    await store.append('account-2', [newEvent(2)], head)
    const amounts = (events: readonly { readonly data: object }[]): unknown[] =>
      events.map(({ data }) => Reflect.get(data, 'amount'))
    const ending = new AbortController()
    const seen: unknown[] = []
    const filter = { streamPrefixes: ['account-'] }
    for await (const batch of store.subscribeAll(-1, filter, ending.signal)) {
      seen.push(...amounts(batch.events))
      if (batch.caughtUp) ending.abort()
    }
    expect(seen).toEqual([0, 1, 2])
    expect(amounts(await store.readAll(-1, 'all', 2))).toEqual([0, 1])
    expect(amounts(await store.readAll(-1, 'all', 3))).toEqual([0, 1, 2])
    const foreign = Number(double.log.streamOf('orders-1')[0]?.position)
    expect(await store.newestAt(foreign)).toMatchObject({ stream: 'account-1', revision: 0 })
    await expect(Array.fromAsync(store.readStream('account-1'))).rejects.toMatchObject({
      code: 'FOREIGN_EVENT',
      retryable: false,
      message: expect.stringContaining('event 1 of stream account-1') as string,
    })
    expect(await Array.fromAsync(store.readStream('account-2'))).toHaveLength(2)
    expect(store.foreignProblem()).toMatch(/^1 event of other clients .*\(account-1@1\)/u)
  })

  test.each(['forwards', 'backwards'] as const)(
    'given a forged event with a wrong hash, when its stream is read %s, then it is named and withheld',
    async (direction) => {
      const { head } = await store.append('account-1', [newEvent(0)], EMPTY_STREAM)
      await store.append('account-1', [newEvent(1)], head)
      const [, genuine] = double.log.streamOf('account-1')
      const metadata = JSON.parse(Buffer.from(genuine?.metadata ?? []).toString()) as object
      const forged = strange({ at: 1, amount: 99 })
      const names = { id: forged.id, stream: 'account-1', type: forged.type }
      const copied = { ...metadata, ...names, prevHash: 'f'.repeat(64) }
      double.log.append('account-1', 'any', [{ ...forged, metadata: json(copied) }])
      const handedOut: number[] = []
      const reading = (async () => {
        for await (const { revision } of store.readStream('account-1', { direction })) {
          handedOut.push(revision)
        }
      })()
      await expect(reading).rejects.toThrow(/event 2 of stream account-1 .*does not follow/u)
      expect(handedOut).toEqual(direction === 'forwards' ? [0, 1] : [])
      expect(store.foreignProblem()).toContain('account-1@2')
    },
  )

  test('given streams that it limits and frees, when asked repeatedly, then those cut now are named', async () => {
    const cut = async () => (await store.readCutStreams?.())?.map(({ stream }) => stream)
    await store.append('account-1', [newEvent(1)], EMPTY_STREAM)
    expect(await cut()).toEqual([])
    double.log.setMetadata('account-1', { $maxCount: 1 })
    double.log.setMetadata('account-2', { $tb: 4 })
    expect(await cut()).toEqual(['account-1', 'account-2'])
    await store.append('account-3', [newEvent(1)], EMPTY_STREAM)
    expect(await cut()).toEqual(['account-1', 'account-2'])
    double.log.setMetadata('account-1', {})
    expect(await cut()).toEqual(['account-2'])
  })

  test('given a copy of an event under another id, when the log is followed, then it is not a second one', async () => {
    await store.append('account-1', [newEvent(7)], EMPTY_STREAM)
    const [genuine] = double.log.streamOf('account-1')
    const { data = json({}), metadata = json({}) } = genuine ?? {}
    double.log.append('account-1', 'any', [{ ...strange(), data, metadata }])
    expect(await store.readAll(-1, 'all', 10)).toHaveLength(1)
  })
})

describe('a server in trouble', () => {
  test('given a paused server, when appending, then the outcome is unknown until it resumes', async () => {
    await store.append('account-1', [newEvent(0)], EMPTY_STREAM)
    double.pause()
    const event = newEvent(1)
    await expect(store.append('account-2', [event], EMPTY_STREAM)).rejects.toMatchObject({
      outcome: 'unknown',
    })
    double.resume()
    expect((await untilKnown('account-2', [event], EMPTY_STREAM)).revision).toBe(0)
    expect(double.log.streamOf('account-2').length).toBe(1)
  })

  test('given an append that is never taken, when sent, then it is refused once and the stream goes on', async () => {
    const { head } = await store.append('account-1', [newEvent(0)], EMPTY_STREAM)
    double.log.appendBytesMax = 2_000
    await expect(
      store.append('account-1', [newEvent(1, 'x'.repeat(2_000))], head),
    ).rejects.toMatchObject({ code: 'APPEND_REFUSED', retryable: false })
    expect(store.appendProblem()).toBeNull()
    await store.append('account-1', [newEvent(2)], head)
    expect(double.log.streamOf('account-1')).toHaveLength(2)
  })

  test('given a stored append without its answer, when repeated, then one copy stays; other data conflicts', async () => {
    double.storeWithoutAcknowledging(1)
    const event = newEvent(1)
    await expect(store.append('account-1', [event], EMPTY_STREAM)).rejects.toMatchObject({
      outcome: 'unknown',
    })
    const other = { ...event, data: { at: 1, amount: 9 } as NewEvent['data'] }
    await expect(store.append('account-1', [other], EMPTY_STREAM)).rejects.toMatchObject({
      code: 'REVISION_CONFLICT',
    })
    await store.append('account-1', [event], EMPTY_STREAM)
    expect(double.log.streamOf('account-1').length).toBe(1)
  })

  test('given hundreds of waiting appends, when the server dies, then all fail as unknown and are handled', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown): void => {
      unhandled.push(error)
    }
    process.on('unhandledRejection', note)
    await store.append('account-0', [newEvent(0)], EMPTY_STREAM)
    double.pause()
    const attempts = Array.from({ length: 300 }, (_, index) =>
      store.append(`account-${index + 1}`, [newEvent(index, 'x'.repeat(20_000))], EMPTY_STREAM),
    )
    const settled = Promise.allSettled(attempts)
    await double.die()
    for (const one of await settled) {
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'STORE_UNAVAILABLE' } })
    }
    await double.comeBack()
    expect((await untilKnown('account-x', [newEvent(1)], EMPTY_STREAM)).revision).toBe(0)
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })

  test('given a follower, when the server dies and returns, then it goes on after the last event it gave', async () => {
    let head = (await store.append('account-1', [newEvent(0)], EMPTY_STREAM)).head
    const stop = new AbortController()
    const seen: number[] = []
    for await (const batch of store.subscribeAll(
      -1,
      { streamPrefixes: ['account-'] },
      stop.signal,
    )) {
      seen.push(...batch.events.map((event) => event.revision))
      if (seen.length === 5) stop.abort()
      else if (batch.events.length > 0) {
        await double.die()
        await double.comeBack()
        head = await untilKnown('account-1', [newEvent(seen.length)], head)
      }
    }
    expect(seen).toEqual([0, 1, 2, 3, 4])
  })
})

test('given a walk through the log, when the node falls silent, then a page times out and comes later', async () => {
  const events = Array.from({ length: 150 }, (_, amount) => newEvent(amount, 'x'.repeat(50_000)))
  let head = EMPTY_STREAM
  for (let at = 0; at < events.length; at += 10) {
    ;({ head } = await store.append('account-1', events.slice(at, at + 10), head))
  }
  const reader = openEventStoreDb({
    connectionString: double.connectionString,
    logger: silent,
    clock,
    readSilenceMs: 300,
  })
  try {
    const first = await reader.readStoredLog(-1, 100)
    double.pause()
    // Some of it is here, or on its way, already; not all.
    const after = first.at(-1)?.position ?? -1
    await expect(reader.readStoredLog(after, 100)).rejects.toBeInstanceOf(StoreUnavailable)
    double.resume()
    const rest = await reader.readStoredLog(after, 100)
    expect([...first, ...rest].map(({ revision }) => revision)).toEqual(
      events.map((_, revision) => revision),
    )
  } finally {
    await reader.close()
  }
})

describe('a cluster', () => {
  /** A second node, which follows the first from now on. */
  async function withFollower(
    run: (follower: EventStoreDbDouble, onFollower: typeof store) => Promise<void>,
  ): Promise<void> {
    const follower = await startEventStoreDbDouble(double.log)
    const onFollower = openEventStoreDb({
      connectionString: follower.connectionString,
      logger: silent,
      clock,
      appendTimeoutMs: 2_000,
    })
    try {
      await run(follower, onFollower)
    } finally {
      await onFollower.close()
      await follower.close()
    }
  }
  const revisionsOf = async (reader: typeof store, stream: string): Promise<number[]> =>
    (await Array.fromAsync(reader.readStream(stream))).map(({ revision }) => revision)

  test('given a follower’s address that lags, when read, written and followed, then the leader is used', async () => {
    const { head } = await store.append('account-1', [newEvent(0)], EMPTY_STREAM)
    await withFollower(async (follower, onFollower) => {
      follower.follow(double)
      const next = await store.append('account-1', [newEvent(1)], head)
      expect(await revisionsOf(onFollower, 'account-1')).toEqual([0, 1])
      expect(await onFollower.headPosition()).toBe(next.position)
      await onFollower.append('account-1', [newEvent(2)], next.head)
      expect(await onFollower.readAll(-1, 'all', 10)).toHaveLength(3)
      for await (const { events } of onFollower.subscribeAll(
        -1,
        { streamPrefixes: ['account-'] },
        AbortSignal.timeout(20_000),
      )) {
        if (events.at(-1)?.revision === 2) return
      }
      expect.unreachable('the subscription ended before the newest event')
    })
  })

  test('given a leader that resigns and keeps clients, when they append and read, then the new one is asked', async () => {
    await withFollower(async (other, onOther) => {
      const { head } = await onOther.append('account-1', [newEvent(0)], EMPTY_STREAM)
      other.follow(double)
      const next = await store.append('account-1', [newEvent(1)], head)
      const last = await onOther.append('account-1', [newEvent(2)], next.head)
      expect(last.head.revision).toBe(2)
      expect(await revisionsOf(onOther, 'account-1')).toEqual([0, 1, 2])
    })
  })

  test('given a walk through the log, when the leader resigns, then it ends with what the new leader has', async () => {
    await withFollower(async (other, onOther) => {
      const events = Array.from({ length: 250 }, (_, amount) => newEvent(amount))
      const { head } = await store.append('account-1', events, EMPTY_STREAM)
      const seen = [...(await onOther.readStoredLog(-1, 100))]
      other.follow(double)
      await store.append('account-1', [newEvent(250)], head)
      for (let isEnd = false; !isEnd;) {
        const page = await onOther.readStoredLog(seen.at(-1)?.position ?? -1, 100)
        seen.push(...page)
        isEnd = page.length < 100
      }
      expect(seen.map(({ revision }) => revision)).toEqual(
        Array.from({ length: 251 }, (_, revision) => revision),
      )
    })
  })

  test('given a follower and nobody who leads, when appended to, then it is stored nowhere and said so', async () => {
    await withFollower(async (follower, onFollower) => {
      follower.follow(follower)
      await expect(
        onFollower.append('account-1', [newEvent(0)], EMPTY_STREAM),
      ).rejects.toMatchObject({ outcome: 'none' })
      await expect(revisionsOf(onFollower, 'account-1')).rejects.toBeInstanceOf(StoreUnavailable)
      expect(double.log.streamOf('account-1')).toEqual([])
      follower.lead()
      await onFollower.append('account-1', [newEvent(0)], EMPTY_STREAM)
    })
  })

  test.each(['appends', 'reads'])(
    'given a leader that freezes, when %s get no answer, then calls and subscriptions move early',
    async (calls) => {
      await withFollower(async (other) => {
        const clustered = openEventStoreDb({
          connectionString: `esdb://${double.host},${other.host}?tls=false&gossipTimeout=1`,
          logger: silent,
          clock,
          appendTimeoutMs: 300,
          readSilenceMs: 500,
        })
        const stop = new AbortController()
        const seen: number[] = []
        const following = (async () => {
          for await (const { events } of clustered.subscribeAll(-1, 'all', stop.signal)) {
            seen.push(...events.map(({ revision }) => revision))
          }
        })()
        try {
          other.follow(double)
          const { head } = await clustered.append('account-1', [newEvent(0)], EMPTY_STREAM)
          await expect.poll(() => seen).toEqual([0])
          other.lead()
          double.follow(other)
          double.pause()
          const began = performance.now()
          const next = newEvent(1)
          const answered =
            calls === 'appends'
              ? () => clustered.append('account-1', [next], head)
              : () => clustered.headPosition()
          await expect
            .poll(() => answered().then(Boolean, () => false), { timeout: 9_000 })
            .toBe(true)
          await clustered.append('account-1', [next], head)
          await expect.poll(() => seen).toEqual([0, 1])
          expect(performance.now() - began).toBeLessThan(9_000)
        } finally {
          stop.abort()
          double.resume()
          await following
          await clustered.close()
        }
      })
    },
  )

  test('given a cluster that goes away, when calls fail, then no rejection is unhandled and all resumes', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown): void => void unhandled.push(error)
    process.on('unhandledRejection', note)
    const { host } = new URL(double.connectionString)
    const clustered = openEventStoreDb({
      connectionString: `esdb://${host},${host}?tls=false&maxDiscoverAttempts=1`,
      logger: silent,
      clock,
      appendTimeoutMs: 2_000,
    })
    const { head } = await clustered.append('account-1', [newEvent(0)], EMPTY_STREAM)
    await double.die()
    const calls = Array.from({ length: 40 }, (_, index) => [
      clustered.append(`account-${index + 2}`, [newEvent(index)], EMPTY_STREAM),
      clustered.headPosition(),
    ]).flat()
    for (const one of await Promise.allSettled(calls)) {
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'STORE_UNAVAILABLE' } })
    }
    await double.comeBack()
    const event = newEvent(1)
    await expect
      .poll(() => clustered.append('account-1', [event], head).catch(() => null), {
        timeout: 20_000,
      })
      .toMatchObject({ head: { revision: 1 } })
    await clustered.close()
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })
})

describe('a user without rights', () => {
  test('given a server that denies writes, when appends repeat, then each says so, the log once', async () => {
    const said: string[] = []
    const note = (_: object, text: string): void => void said.push(text)
    const told = openEventStoreDb({
      connectionString: double.connectionString,
      logger: { info: note, warn: note, error: note },
      clock,
    })
    try {
      double.log.isDenied = () => true
      const event = newEvent(1)
      for (let time = 0; time < 3; time++) {
        await expect(told.append('account-1', [event], EMPTY_STREAM)).rejects.toMatchObject({
          code: 'WRITE_DENIED',
          retryable: true,
          outcome: 'none',
        })
      }
      expect(told.appendProblem()).toBe('EventStoreDB does not let Tollgate write')
      expect(said).toEqual([expect.stringMatching(/does not let Tollgate write.*EVENTSTORE_URL/u)])
      double.log.isDenied = () => false
      expect((await told.append('account-1', [event], EMPTY_STREAM)).head.revision).toBe(0)
      expect(told.appendProblem()).toBeNull()
      expect(said).toHaveLength(2)
    } finally {
      await told.close()
    }
  })

  test('given a process that appends nothing, when a proof of writing fails, then the missing right is said', async () => {
    double.log.isDenied = () => true
    const ready = logWriteProbe(store, { clock, logger: silent })
    expect(await ready()).toBe('EventStoreDB does not let Tollgate write')
    await expect(store.proveWrite()).rejects.toMatchObject({ code: 'WRITE_DENIED' })
  })

  test('given a user who may not limit streams, when writing is to be proven, then nothing is stored', async () => {
    double.log.isDenied = (stream) => stream.startsWith('$$')
    const before = double.log.records.length
    for (let time = 0; time < 3; time++) await store.proveWrite()
    expect(double.log.records).toHaveLength(before)
  })
})

describe('a changed password', () => {
  const runtime = { clock, logger: silent }
  const accounts = { streamPrefixes: ['account-'] }

  test('given work under way, when new calls are refused, then it goes on, with the right warning', async () => {
    const watch = new LogWatch({
      store,
      clock,
      timelines: await ensureTimelines({ store, clock, randomness: systemRandomness }),
      onChange: () => undefined,
    })
    const watched = watchedStore(store, watch)
    const isWritten = logWriteProbe(store, runtime)
    const isRead = storeProbe(store, runtime)
    let { head } = await watched.append('account-1', [newEvent(0)], EMPTY_STREAM)
    const stop = new AbortController()
    const seen: number[] = []
    const following = (async () => {
      for await (const { events } of watched.subscribeAll(-1, accounts, stop.signal)) {
        seen.push(...events.map(({ revision }) => revision))
      }
    })()
    await expect.poll(() => seen).toEqual([0])
    double.rights.user = { name: 'tollgate', password: 'changed' }
    await expect(watch.check()).rejects.toMatchObject({ code: 'READ_DENIED' })
    head = (await watched.append('account-1', [newEvent(1)], head)).head
    await expect.poll(() => seen).toEqual([0, 1])
    expect(await isWritten()).toBeNull()
    expect(await isRead()).toBeNull()
    expect(store.readProblem()).toMatch(/refuses new calls.*the password.*EVENTSTORE_URL/)

    double.dropSubscribers()
    await expect.poll(isRead).toBe('EventStoreDB does not let Tollgate read')
    expect(await isWritten()).toBe('EventStoreDB does not let Tollgate read')
    watch.suspect()
    await expect(watched.append('account-1', [newEvent(2)], head)).rejects.toMatchObject({
      code: 'READ_DENIED',
      outcome: 'none',
    })
    double.rights.user = null
    await expect.poll(isRead, { timeout: 10_000 }).toBeNull()
    await watch.check()
    expect(store.readProblem()).toBeNull()
    stop.abort()
    await following
    expect(store.followProblem()).toBeNull()
  })
})

describe('a stream that another client has cut', () => {
  const amountsOf = async (from?: number): Promise<number[]> => {
    const options = from === undefined ? {} : { from }
    const events = await Array.fromAsync(store.readStream('account-1', options))
    return events.map(({ data }) => (data as unknown as { amount: number }).amount)
  }
  const revisionsBack = async (): Promise<number[]> => {
    const revisions: number[] = []
    for await (const { revision } of store.readStream('account-1', { direction: 'backwards' })) {
      revisions.push(revision)
    }
    return revisions
  }

  beforeEach(async () => {
    const events = Array.from({ length: 150 }, (_, amount) => newEvent(amount))
    await store.append('account-1', events, EMPTY_STREAM)
  })

  test.each([{ $maxCount: 3 }, { $tb: 147 }])(
    'given %j, when it is read from or to its beginning, then it is cut, and what is left can be read',
    async (limit) => {
      expect(await revisionsBack()).toHaveLength(150)
      double.log.setMetadata('account-1', limit)
      const cut = { code: 'STREAM_CUT', retryable: false, stream: 'account-1', firstRevision: 147 }
      await expect(amountsOf()).rejects.toMatchObject(cut)
      await expect(revisionsBack()).rejects.toMatchObject(cut)
      expect(await amountsOf(148)).toEqual([148, 149])
      double.log.setMetadata('account-1', {})
      expect(await amountsOf()).toHaveLength(150)
    },
  )

  test('given a stream emptied or deleted for good, when read, then it is not taken for new', async () => {
    const gone = { code: 'STREAM_CUT', firstRevision: null }
    double.log.setMetadata('account-1', { $tb: Number.MAX_SAFE_INTEGER })
    await expect(amountsOf()).rejects.toMatchObject(gone)
    await expect(revisionsBack()).rejects.toMatchObject(gone)
    double.log.setMetadata('account-1', {})
    double.log.tombstone('account-1')
    await expect(amountsOf()).rejects.toMatchObject(gone)
    await expect(revisionsBack()).rejects.toMatchObject(gone)
    expect(await Array.fromAsync(store.readStream('account-2'))).toEqual([])
  })

  test('given a reader that stops at a carried balance, when the stream is cut before it, then it reads on', async () => {
    double.log.setMetadata('account-1', { $tb: 120 })
    for await (const { revision } of store.readStream('account-1', { direction: 'backwards' })) {
      if (revision === 125) return
    }
    expect.unreachable('the stream ended before')
  })

  test('given a stream that was deleted for good, when it is appended to, then it is refused by name', async () => {
    const { head } = await store.append('account-2', [newEvent(0)], EMPTY_STREAM)
    double.log.tombstone('account-2')
    await expect(store.append('account-2', [newEvent(1)], head)).rejects.toMatchObject({
      code: 'APPEND_REFUSED',
    })
  })
})

describe('answers', () => {
  test('given a server whose clock is an hour ahead, when appending, then it stores and says so', async () => {
    double.setClockAhead(3_600_000)
    expect((await store.append('account-1', [newEvent(0)], EMPTY_STREAM)).head.revision).toBe(0)
  })

  test('given an append that is stored and answered with Timeout, when repeated, then there is one copy', async () => {
    double.storeWithTimeout(1)
    const event = newEvent(1)
    await expect(store.append('account-1', [event], EMPTY_STREAM)).rejects.toMatchObject({
      outcome: 'unknown',
    })
    expect((await store.append('account-1', [event], EMPTY_STREAM)).head.revision).toBe(0)
    expect(double.log.streamOf('account-1')).toHaveLength(1)
  })

  test('given a subscriber dropped as too slow, when events come, then it has all of them without a warning', async () => {
    const warnings: unknown[] = []
    const follower = openEventStoreDb({
      connectionString: double.connectionString,
      logger: { ...silent, warn: (...said: unknown[]) => void warnings.push(said) },
      clock,
    })
    let { head } = await store.append('account-1', [newEvent(0)], EMPTY_STREAM)
    const seen: number[] = []
    const stop = new AbortController()
    for await (const batch of follower.subscribeAll(-1, 'all', stop.signal)) {
      seen.push(...batch.events.map(({ revision }) => revision))
      if (seen.length === 20) stop.abort()
      else if (batch.events.length > 0) {
        double.dropSubscribers()
        head = (await store.append('account-1', [newEvent(seen.length)], head)).head
      }
    }
    await follower.close()
    expect(seen).toEqual(Array.from({ length: 20 }, (_, revision) => revision))
    expect(warnings).toEqual([])
  })
})

test('given a follower, when the server is away for long, then the log tells break and return once each', async () => {
  const said: string[] = []
  const note = (_: object, text: string): void => void said.push(text)
  const told = openEventStoreDb({
    connectionString: double.connectionString,
    logger: { info: note, warn: note, error: note },
    clock,
  })
  const stop = new AbortController()
  const seen: number[] = []
  const following = (async () => {
    for await (const { events } of told.subscribeAll(-1, 'all', stop.signal)) {
      seen.push(...events.map(({ revision }) => revision))
    }
  })()
  const { head } = await store.append('account-1', [newEvent(0)], EMPTY_STREAM)
  await expect.poll(() => seen).toEqual([0])
  const pauses = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => pauses.mockRestore())
  await double.die()
  const fourthFailure = backOffMs(4)
  await expect.poll(() => pauses.mock.calls.some(([, ms]) => ms === fourthFailure)).toBe(true)
  await double.comeBack()
  await untilKnown('account-1', [newEvent(1)], head)
  await expect.poll(() => seen, { timeout: 10_000 }).toEqual([0, 1])
  expect(said).toEqual([
    'a subscription broke off, it starts again',
    'a subscription goes on after the last event',
  ])
  stop.abort()
  await following
  await told.close()
})

test('given several followers, when all have caught up, then they share one subscription, each with all', async () => {
  const stop = new AbortController()
  const seen: Record<string, number[]> = {}
  const followers = ['account-', 'options', 'account-1'].map(async (prefix) => {
    const of: number[] = (seen[prefix] = [])
    const filter = { streamPrefixes: [prefix] }
    for await (const { events } of store.subscribeAll(-1, filter, stop.signal)) {
      of.push(...events.map(({ revision }) => revision))
    }
  })
  let { head } = await store.append('account-1', [newEvent(0)], EMPTY_STREAM)
  await store.append('options', [newEvent(0)], EMPTY_STREAM)
  await expect.poll(() => seen).toEqual({ 'account-': [0], options: [0], 'account-1': [0] })
  await expect.poll(() => double.subscriptions()).toBe(1)
  for (let amount = 1; amount < 50; amount++) {
    head = (await store.append('account-1', [newEvent(amount)], head)).head
  }
  const all = Array.from({ length: 50 }, (_, revision) => revision)
  await expect.poll(() => seen).toEqual({ 'account-': all, options: [0], 'account-1': all })
  expect(double.subscriptions()).toBe(1)
  stop.abort()
  await Promise.all(followers)
  await expect.poll(() => double.subscriptions()).toBe(0)
})

test('given the double, when asked, then it tells its version and a log of its own events counts as empty', async () => {
  expect(await store.describe()).toBe(`EventStoreDB ${DOUBLE_VERSION}`)
  expect(await store.headPosition()).toBe(-1)
  expect(await store.readAll(-1, 'all', 10)).toEqual([])
})

test('given a connection string that cannot be read, when opening, then it fails at once', () => {
  expect(() =>
    openEventStoreDb({ connectionString: 'http://nowhere', logger: silent, clock }),
  ).toThrow(/connection string/i)
})
