import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { NewEvent } from '@tollgate/domain/event.ts'
import { systemClock } from '../../processes/world.ts'
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
import type { AuditableEventStore, WritableLog } from '../auditable-store.ts'
import { openEventStoreDb } from './store.ts'

const clock = systemClock
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

let double: EventStoreDbDouble
let store: AuditableEventStore & WritableLog

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
  type: 'UsageCharged',
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

test('given a log that was asked for a proof of writing, when it is read, then nothing of it is an event, the stream is limited to one, and what the last append said is known', async () => {
  const { position } = await store.append('account-1', [newEvent(0)], EMPTY_STREAM)
  expect(store.isAppendFailing()).toBe(false)
  // Another process, which has appended nothing.
  const other = openEventStoreDb({
    connectionString: double.connectionString,
    logger: silent,
    clock,
    appendTimeoutMs: 300,
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
    expect(other.isAppendFailing()).toBe(true)
    double.resume()
  } finally {
    await other.close()
  }
})

describe('a server in trouble', () => {
  test('given a paused server, when appending, then the outcome is unknown at the deadline, and known after it resumes', async () => {
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

  test('given an append that is stored and never acknowledged, when repeated, then there is one copy; with other data it conflicts', async () => {
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

  test('given hundreds of appends that wait to be written, when the server dies, then all fail as unknown and no rejection is left unhandled', async () => {
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

  test('given a follower, when the server dies and comes back, then it goes on after the last event that it handed out', async () => {
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
