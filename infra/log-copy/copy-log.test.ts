import { sealLedger } from '@tollgate/command-api/audit/seal-ledger.ts'
import { ensureTimelines, openTimeline } from '@tollgate/command-api/timelines/timelines.ts'
import { LOG_START, type NewEvent } from '@tollgate/domain/event.ts'
import {
  EMPTY_STREAM,
  type StreamHead,
  StoreUnavailable,
} from '@tollgate/domain/ports/event-store.ts'
import { type ContractServer, postgresServer } from '@tollgate/tests/contract/servers.ts'
import { openEventStoreDb } from '../event-store/eventstoredb/store.ts'
import { startEventStoreDbDouble } from '@tollgate/tests/support/engines/eventstoredb-double/double.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifyLog } from '../audit/verify-log.ts'
import type { AuditableEventStore } from '../event-store/auditable-store.ts'
import type { StoredEvent } from '../event-store/stored-event.ts'
import { systemClock, systemRandomness } from '../processes/runtime.ts'
import { copyLog } from './copy-log.ts'

let server: ContractServer
let source: AuditableEventStore
let target: AuditableEventStore
const closings: (() => Promise<unknown>)[] = []
const clock = systemClock
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const
const EVENTS = 60

beforeEach(async () => {
  server = await postgresServer()
  source = server.openStore()
  const double = await startEventStoreDbDouble()
  target = openEventStoreDb({ connectionString: double.connectionString, logger: silent, clock })
  closings.push(
    () => source.close(),
    () => target.close(),
    () => double.close(),
    () => server.stop(),
  )
  const writer = { store: source, clock, randomness: systemRandomness }
  await ensureTimelines(writer)
  const heads = new Map<string, StreamHead>()
  for (let count = 1; count <= EVENTS; count += 1) {
    const stream = `account-${1 + (count % 3)}`
    const { head } = await source.append(stream, [credit(count)], heads.get(stream) ?? EMPTY_STREAM)
    heads.set(stream, head)
    if (count % 25 === 0) await sealLedger(writer, cause)
  }
})
afterEach(async () => {
  for (const close of closings.splice(0)) await close()
})

const credit = (count: number): NewEvent => ({
  id: systemRandomness.uuid(),
  type: 'QuotaCredited',
  data: { at: count, amount: count, source: 'grant', reason: `充值 ${count}` } as NewEvent['data'],
  metadata: { ...cause, schemaVersion: 1 },
})

const copy = (to: Pick<AuditableEventStore, 'readStoredLog' | 'appendStored'> = target) =>
  copyLog({ source, target: to, clock, onProgress: () => undefined })

/** All of an event but for what its engine gives it. */
const kept = async (store: AuditableEventStore) =>
  (await store.readStoredLog(LOG_START, 1_000)).map((event) => ({
    ...event,
    position: null,
    recordedAt: null,
    columns: null,
  }))

test('given a copy that fails at any append, when run again, then the target has each event in order', async () => {
  const whole = await kept(source)
  let calls = 0
  for (const isStored of [false, true]) {
    await expect(
      copy({
        readStoredLog: (...args) => target.readStoredLog(...args),
        async appendStored(...args) {
          calls += 1
          if (calls % 9 === 0 && !isStored) throw new Error('killed')
          const appended = await target.appendStored(...args)
          if (calls % 9 === 0) throw new Error('killed')
          return appended
        },
      }),
    ).rejects.toThrow('killed')
    const soFar = await kept(target)
    expect(soFar).toEqual(whole.slice(0, soFar.length))
  }
  const report = await copy()
  expect(report.there).toBeGreaterThan(10)
  expect(report.there + report.appended).toBe(whole.length)
  expect(await kept(target)).toEqual(whole)
  expect(await copy()).toEqual({ there: whole.length, appended: 0, wasWhole: false })
})

test('given a target that is silent for a while, when copied, then appends repeat and none stands twice', async () => {
  let calls = 0
  const copying = copyLog({
    source,
    target: {
      readStoredLog: (...args) => target.readStoredLog(...args),
      async appendStored(...args) {
        calls += 1
        if (calls % 2 === 1) await target.appendStored(...args)
        if (calls % 3 !== 0) throw new StoreUnavailable('no answer', 'unknown')
        return target.appendStored(...args)
      },
    },
    clock: { monotonicMs: () => 0, sleep: () => Promise.resolve() },
    onProgress: () => undefined,
  })
  expect((await copying).there).toBe(0)
  expect(await kept(target)).toEqual(await kept(source))
})

test('given a copy with its own identity and seals, when verified, then any change of an event is found', async () => {
  await copy()
  const writer = { store: target, clock, randomness: systemRandomness }
  await openTimeline(writer, 'restore')
  expect(await sealLedger(writer, cause)).toMatchObject({ made: 1 })
  const report = await verifyLog(target)
  expect(report).toMatchObject({ firstBreak: null, seals: 3, unsealed: 0, events: EVENTS + 5 })
  expect(await copy()).toMatchObject({ appended: 0, wasWhole: true })

  const [seal] = (await target.readStoredLog(LOG_START, 1_000)).filter(
    ({ stream }) => stream === 'ledger-seals',
  )
  const swapped = swapping(target, 10, 11)
  expect((await verifyLog(swapped)).firstBreak).toMatchObject({
    stream: 'ledger-seals',
    position: seal?.position,
  })
})

test('given a target with another log or later work, when copied, then it is refused and left as it is', async () => {
  await target.append('account-9', [credit(1)], EMPTY_STREAM)
  const before = await kept(target)
  await expect(copy()).rejects.toThrow(/the target holds another log: QuotaCredited .*account-9/u)
  expect(await kept(target)).toEqual(before)
})

test('given a whole copy on which Tollgate has worked since, when copied again, then it says so', async () => {
  await copy()
  await target.append('account-9', [credit(1)], EMPTY_STREAM)
  await expect(copy()).rejects.toThrow(/goes on behind the copy: QuotaCredited .*account-9/u)
})

test('given a source with changed bytes, when copied, then the event is named and nothing of it arrives', async () => {
  const changed: Parameters<typeof copyLog>[0]['source'] = {
    readStoredStream: (stream) => source.readStoredStream(stream),
    headPosition: () => source.headPosition(),
    readStoredLog: async (after, limit) =>
      (await source.readStoredLog(after, limit)).map((event) =>
        event.position === 30
          ? { ...event, dataText: event.dataText.replace('"amount":', '"amount":1') }
          : event,
      ),
  }
  const copying = copyLog({ source: changed, target, clock, onProgress: () => undefined })
  await expect(copying).rejects.toThrow(/stream account-\d is not what was written/u)
  expect((await kept(target)).length).toBeLessThanOrEqual(30)
})

/** A store in which two events have changed places. */
function swapping(store: AuditableEventStore, one: number, other: number): AuditableEventStore {
  return {
    ...store,
    hasGaplessPositions: false,
    async readStoredLog(after, limit) {
      const events: StoredEvent[] = [...(await store.readStoredLog(after, limit))]
      const [a, b] = [events[one], events[other]]
      if (a === undefined || b === undefined) return events
      events[one] = { ...b, position: a.position }
      events[other] = { ...a, position: b.position }
      return events
    },
  }
}
