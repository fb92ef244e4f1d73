import { sealLedger } from '@tollgate/command-api/audit/seal-ledger.ts'
import { headOfSeal, lastSeal } from '@tollgate/command-api/audit/seals.ts'
import type { NewEvent } from '@tollgate/domain/event.ts'
import { LOG_START } from '@tollgate/domain/event.ts'
import { EMPTY_STREAM, type StreamHead } from '@tollgate/domain/ports/event-store.ts'
import { SEALS_STREAM } from '@tollgate/domain/seal/events.ts'
import { assert, asyncProperty, constantFrom, nat } from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { chainEvents } from '../event-store/chain.ts'
import { decodeEvent, type StoredEvent } from '../event-store/stored-event.ts'
import { UPCASTERS } from '../event-store/upcasters.ts'
import { systemClock, systemRandomness } from '../processes/runtime.ts'
import { verifyLog } from './verify-log.ts'

/** As much of a store as sealing and verifying need, over events that a test may change. */
function storeOf(events: StoredEvent[]) {
  const ofStream = (stream: string): StoredEvent[] => events.filter((e) => e.stream === stream)
  const after = (position: number, limit: number): StoredEvent[] =>
    events.filter((event) => event.position > position).slice(0, limit)
  return {
    hasGaplessPositions: true,
    headPosition: () => Promise.resolve(events.at(-1)?.position ?? LOG_START),
    newestAt: () => Promise.reject(new Error('nobody has a checkpoint here')),
    readStoredLog: (position: number, limit: number) => Promise.resolve(after(position, limit)),
    readStoredLogBackwards: () => Promise.reject(new Error('nobody browses here')),
    readStoredAt: () => Promise.reject(new Error('nobody browses here')),
    async *readStoredStream(stream: string) {
      yield* ofStream(stream)
    },
    readAll: (position: number, _: unknown, limit: number) =>
      Promise.resolve(after(position, limit).map((event) => decodeEvent(event, UPCASTERS))),
    async *readStream(stream: string) {
      for (const event of ofStream(stream).toReversed()) yield decodeEvent(event, UPCASTERS)
    },
    append(stream: string, added: readonly NewEvent[], expected: StreamHead) {
      const { events: chained, head } = chainEvents(stream, added, expected)
      for (const event of chained) {
        events.push({ ...event, stream, position: events.length, recordedAt: 1 })
      }
      return Promise.resolve({ head, position: events.length - 1 })
    },
    appendStored: () => Promise.reject(new Error('nobody copies here')),
    appendSetAside: () => Promise.reject(new Error('nothing is forged here')),
    subscribeAll: () => {
      throw new Error('nobody follows here')
    },
    describe: () => Promise.resolve('memory'),
    close: () => Promise.resolve(),
  }
}

const whole: StoredEvent[] = []
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const

/** Five streams, a seal after every eighth event, some events behind the last seal. */
beforeAll(async () => {
  const store = storeOf(whole)
  const heads = new Map<string, StreamHead>()
  for (let count = 1; count <= 30; count += 1) {
    const stream = `account-${1 + (count % 5)}`
    const event = {
      id: systemRandomness.uuid(),
      type: 'QuotaCredited',
      data: {
        at: count,
        amount: count * 1000,
        source: 'top-up',
        reason: `充值 ${count}`,
      } as NewEvent['data'],
      metadata: { ...cause, schemaVersion: 1 },
    }
    const { head } = await store.append(stream, [event], heads.get(stream) ?? EMPTY_STREAM)
    heads.set(stream, head)
    const writer = { store, clock: systemClock, randomness: systemRandomness }
    if (count % 8 === 0) await sealLedger(writer, cause)
  }
})

test('given a log as it was written, when verified in pages of any size, then it is whole', async () => {
  for (const pageEvents of [1, 2, 7, 33, 100]) {
    expect(await verifyLog(storeOf(whole), { pageEvents })).toMatchObject({
      events: 33,
      seals: 3,
      unsealed: 6,
      firstBreak: null,
    })
  }
})

const texts = constantFrom('dataText', 'metadataText', 'type', 'id', 'stream')

test('given any byte of any event flipped, when verified, then the break is found at that event', async () => {
  await assert(
    asyncProperty(nat(), nat(), nat(6), texts, async (pick, place, bit, text) => {
      const position = pick % whole.length
      const changed = whole.map((event) =>
        event.position === position
          ? { ...event, [text]: flipped(event[text], place, bit) }
          : event,
      )
      const { firstBreak } = await verifyLog(storeOf(changed))
      expect(firstBreak?.position).toBe(position)
      expect(firstBreak?.expected).not.toBe(firstBreak?.found)
    }),
    { numRuns: 500 },
  )
})

test('given any event or seal left out or swapped, when verified against a head, then the log is broken', async () => {
  const { seal } = await lastSeal(storeOf(whole))
  if (seal === null) throw new Error('nothing was sealed')
  const options = { anchor: headOfSeal(seal) }
  const newestSeal = whole.findLast(({ stream }) => stream === SEALS_STREAM)?.position ?? 0
  await assert(
    asyncProperty(nat(newestSeal), nat(whole.length - 1), async (a, b) => {
      const without = whole.filter(({ position }) => position !== a)
      expect((await verifyLog(storeOf(without), options)).firstBreak).toMatchObject({
        position: a + 1,
        expected: `an event at position ${a}`,
      })
      const closedUp = without.map((event, position) => ({ ...event, position }))
      expect((await verifyLog(storeOf(closedUp), options)).firstBreak).not.toBeNull()
      const swapped = whole.map((event, position) => ({
        ...(whole[position === a ? b : position === b ? a : position] ?? event),
        position,
      }))
      // A seal may stand elsewhere than it did: it says itself what it covers.
      const isSeal = [a, b].some((position) => whole[position]?.stream === SEALS_STREAM)
      const isNoticed = a !== b && !isSeal
      const { firstBreak } = await verifyLog(storeOf(swapped), options)
      if (isNoticed) expect(firstBreak).not.toBeNull()
    }),
    { numRuns: 300 },
  )
})

/** Another character in place of one: its lowest bits but never a NUL, which no store keeps. */
function flipped(text: string, place: number, bit: number): string {
  const at = place % text.length
  const code = text.charCodeAt(at) ^ (1 << bit)
  return text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1)
}
